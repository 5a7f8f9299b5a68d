import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { scrollTo, windowOf } from "../../window.ts";

export interface RowProps {
  index: number;
  active: boolean;
}

const coarse = () => matchMedia("(pointer: coarse)").matches;

/**
 * A list of which only the rows in sight are in the document. All rows are of one height. Arrow keys move, Enter opens,
 * Space chooses.
 */
export function VirtualList(
  { count, row, label, render, keyOf, onOpen, onChoose, header, class: more = "", stick, onWindow }: {
    count: number;
    /** Height of a row in pixels; fingers get more. @default 30 */
    row?: number;
    label: string;
    render(props: RowProps): JSX.Element;
    keyOf(index: number): string;
    onOpen?(index: number): void;
    onChoose?(index: number): void;
    header?: ComponentChildren;
    class?: string;
    /** The newest stand first: keep what is being read where it is when some are put before it. */
    stick?: string;
    /** Called with the rows that are in sight. */
    onWindow?(first: number, end: number): void;
  },
) {
  const box = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ scrollTop: 0, height: 600 });
  const [active, setActive] = useState(-1);
  const [id] = useState(() => `list-${Math.random().toString(36).slice(2)}`);
  // Lines of a tree may be lower than rows by themselves, but not too low to be hit.
  const height = Math.max(row ?? 30, coarse() ? row === undefined ? 40 : 32 : 0);
  const current = Math.min(active, count - 1);

  useLayoutEffect(() => {
    const element = box.current!;
    const measure = () =>
      setPlace((before) =>
        before.height === element.clientHeight && before.scrollTop === element.scrollTop
          ? before
          : { scrollTop: element.scrollTop, height: element.clientHeight }
      );
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);

  const visible = windowOf({ ...place, row: height, count });
  useEffect(() => onWindow?.(visible.first, visible.end), [visible.first, visible.end, count, onWindow === undefined]);

  const previous = useRef<{ stick: string | undefined; count: number }>({ stick, count });
  useLayoutEffect(() => {
    const element = box.current!;
    const added = count - previous.current.count;
    if (stick !== undefined && stick === previous.current.stick && added > 0 && element.scrollTop > height / 2) {
      element.scrollTop += added * height;
    }
    previous.current = { stick, count };
  }, [count, stick]);

  const move = (to: number) => {
    const next = Math.max(0, Math.min(count - 1, to));
    setActive(next);
    const element = box.current!;
    element.scrollTop = scrollTo(next, { scrollTop: element.scrollTop, height: element.clientHeight, row: height });
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || count === 0) return;
    const page = Math.max(1, Math.floor(place.height / height) - 1);
    const steps: Record<string, number> = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      PageDown: current + page,
      PageUp: current - page,
      Home: 0,
      End: count - 1,
    };
    if (Object.hasOwn(steps, event.key)) move(steps[event.key]!);
    else if (event.target !== event.currentTarget) return;
    else if (event.key === "Enter" && current >= 0) onOpen?.(current);
    else if (event.key === " " && current >= 0) (onChoose ?? onOpen)?.(current);
    else return;
    event.preventDefault();
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
        onClick={(event) => {
          setActive(index);
          if (!(event.target as HTMLElement).closest("button, a, input, label") && !getSelection()?.toString()) {
            onOpen?.(index);
          }
        }}
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
      <div
        class="list-body"
        role="rowgroup"
        ref={box}
        onScroll={(event) => {
          const { scrollTop, clientHeight } = event.currentTarget;
          setPlace({ scrollTop, height: clientHeight });
        }}
      >
        <div class="list-inner" style={{ paddingTop: `${visible.before}px`, paddingBottom: `${visible.after}px` }}>
          {rows}
        </div>
      </div>
    </div>
  );
}
