import type { ComponentChildren, JSX, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type ListWindow, scrollTo, windowOf } from "../../window.ts";

interface RowProps {
  index: number;
  active: boolean;
}

interface VirtualListProps {
  count: number;
  /** Height of a row in pixels; touch screens get more. @default 30 */
  row?: number;
  label: string;
  render(props: RowProps): JSX.Element;
  keyOf(index: number): string;
  onOpen?(index: number): void;
  onChoose?(index: number): void;
  header?: ComponentChildren;
  class?: string;
  /** For lists with the newest row first: rows in sight stay in place when rows are added before them, unless this changes. */
  stick?: string;
  /** Called with the range of rows that are drawn. */
  onWindow?(first: number, end: number): void;
}

/**
 * A list that keeps only the visible rows in the document. All rows have one height. Arrow keys move, Enter opens, Space
 * selects.
 */
export function VirtualList(
  { count, row, label, render, keyOf, onOpen, onChoose, header, class: more = "", stick, onWindow }: VirtualListProps,
) {
  const box = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(-1);
  const [id] = useState(() => `list-${Math.random().toString(36).slice(2)}`);
  const height = rowHeight(row);
  const current = Math.min(active, count - 1);
  const { visible, viewHeight, onScroll } = useVisibleRows(box, count, height);
  useEffect(() => onWindow?.(visible.first, visible.end), [visible.first, visible.end, count, onWindow === undefined]);
  useStickyScroll(box, count, height, stick);

  const move = (to: number) => {
    const next = Math.max(0, Math.min(count - 1, to));
    setActive(next);
    const element = box.current!;
    element.scrollTop = scrollTo(next, { scrollTop: element.scrollTop, height: element.clientHeight, row: height });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || count === 0) return;
    const to = keyTarget(event.key, current, count, Math.max(1, Math.floor(viewHeight / height) - 1));
    if (to !== undefined) move(to);
    else if (event.target !== event.currentTarget) return;
    else if (event.key === "Enter" && current >= 0) onOpen?.(current);
    else if (event.key === " " && current >= 0) (onChoose ?? onOpen)?.(current);
    else return;
    event.preventDefault();
  };
  const onClick = (event: MouseEvent, index: number) => {
    setActive(index);
    // Clicks on controls in a row, and selections of text, do not open the row.
    if ((event.target as HTMLElement).closest("button, a, input, label") || getSelection()?.toString()) return;
    onOpen?.(index);
  };

  const rows: JSX.Element[] = [];
  for (let index = visible.first; index < visible.end; index++) {
    rows.push(
      <div
        key={keyOf(index)}
        id={`${id}-${index}`}
        role="row"
        aria-rowindex={index + 1}
        class={`row ${index === current ? "active" : ""} ${onOpen === undefined ? "" : "opens"}`}
        style={{ height: `${height}px` }}
        onClick={(event) => onClick(event, index)}
      >
        {render({ index, active: index === current })}
      </div>,
    );
  }
  return (
    <div
      class={`list ${more}`}
      role="grid"
      aria-label={label}
      aria-rowcount={count}
      tabIndex={0}
      aria-activedescendant={current >= visible.first && current < visible.end ? `${id}-${current}` : undefined}
      onKeyDown={onKeyDown}
    >
      {header !== undefined && <div class="list-head" role="row">{header}</div>}
      <div class="list-body" role="rowgroup" ref={box} onScroll={onScroll}>
        <div class="list-inner" style={{ paddingTop: `${visible.before}px`, paddingBottom: `${visible.after}px` }}>
          {rows}
        </div>
      </div>
    </div>
  );
}

/** The height of a row in pixels. An explicit height (lines of a tree) may be smaller, but on touch screens large enough to be hit. */
function rowHeight(row: number | undefined): number {
  const touch = matchMedia("(pointer: coarse)").matches;
  return Math.max(row ?? 30, touch ? row === undefined ? 40 : 32 : 0);
}

/** The index that a key moves to; undefined for other keys. */
function keyTarget(key: string, current: number, count: number, page: number): number | undefined {
  const targets: Record<string, number> = {
    ArrowDown: current + 1,
    ArrowUp: current - 1,
    PageDown: current + page,
    PageUp: current - page,
    Home: 0,
    End: count - 1,
  };
  return Object.hasOwn(targets, key) ? targets[key] : undefined;
}

/** The visible rows, kept up to date while the box is scrolled and resized. */
function useVisibleRows(box: RefObject<HTMLDivElement | null>, count: number, row: number): {
  visible: ListWindow;
  viewHeight: number;
  onScroll(): void;
} {
  const [place, setPlace] = useState({ scrollTop: 0, height: 600 });
  const measure = () => {
    // The browser reports a scroll in the next frame, when the list may have been removed.
    if (box.current === null) return;
    const { scrollTop, clientHeight } = box.current;
    setPlace((before) =>
      before.height === clientHeight && before.scrollTop === scrollTop ? before : { scrollTop, height: clientHeight }
    );
  };
  useLayoutEffect(() => {
    const observer = new ResizeObserver(measure);
    observer.observe(box.current!);
    measure();
    return () => observer.disconnect();
  }, []);
  return { visible: windowOf({ ...place, row, count }), viewHeight: place.height, onScroll: measure };
}

/** Scrolls along when rows are added on top, so that the rows in sight stay in place. */
function useStickyScroll(
  box: RefObject<HTMLDivElement | null>,
  count: number,
  row: number,
  stick: string | undefined,
): void {
  const previous = useRef({ stick, count });
  useLayoutEffect(() => {
    const element = box.current!;
    const added = count - previous.current.count;
    if (stick !== undefined && stick === previous.current.stick && added > 0 && element.scrollTop > row / 2) {
      element.scrollTop += added * row;
    }
    previous.current = { stick, count };
  }, [count, stick]);
}
