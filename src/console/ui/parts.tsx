import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../api.ts";
import { isOpen, type PartState } from "../job.ts";
import type { Presence } from "../fleet.ts";
import { scrollTo, windowOf } from "../window.ts";

const ICONS: Record<string, string> = {
  fleet: "M3 4h14v5H3zM3 11h14v5H3zM6 6.5h.01M6 13.5h.01",
  run: "M4 5l5 5-5 5M11 15h6",
  jobs: "M4 5h12M4 10h12M4 15h7",
  keys:
    "M12.5 3a4.5 4.5 0 1 0-3.9 6.7L3 15.300V17h3v-2h2v-2h1.600l1.600-1.800A4.500 4.500 0 0 0 12.500 3zM13.500 6.500h.01",
  events: "M2 10h4l2-6 4 12 2-6h4",
  ok: "M4 10.500l4 4 8-9",
  bad: "M5 5l10 10M15 5L5 15",
  warn: "M10 3l8 14H2zM10 8v4M10 14.500h.01",
  clock: "M10 3a7 7 0 1 0 .01 0M10 6v4l3 2",
  off: "M10 3a7 7 0 1 0 .01 0M5 15L15 5",
  question: "M10 3a7 7 0 1 0 .01 0M8 8a2 2 0 1 1 2.500 2c-.5.200-.5.500-.5 1M10 13.500h.01",
  play: "M6 4l10 6-10 6z",
  pause: "M7 4v12M13 4v12",
  search: "M9 4a5 5 0 1 0 .01 0M13 13l4 4",
  copy: "M7 7h9v9H7zM4 12V4h9",
  again: "M16 10a6 6 0 1 1-2-4.500M14 2v4h-4",
  sun:
    "M10 7a3 3 0 1 0 .01 0M10 2v1.500M10 16.500V18M2 10h1.500M16.500 10H18M4.500 4.500l1 1M14.500 14.500l1 1M4.500 15.500l1-1M14.500 5.500l1-1",
  moon: "M16 12A7 7 0 1 1 8 4a5.500 5.500 0 0 0 8 8z",
  auto: "M10 3a7 7 0 1 0 .01 0M10 3v14M12.500 4v12M15 6v8",
  out: "M8 4H4v12h4M12 6l4 4-4 4M16 10H8",
  right: "M8 5l5 5-5 5",
  down: "M5 8l5 5 5-5",
  stop: "M5 5h10v10H5z",
  more: "M10 5v.01M10 10v.01M10 15v.01",
  eye: "M2 10s3-5 8-5 8 5 8 5-3 5-8 5-8-5-8-5zM10 8a2 2 0 1 0 .01 0",
};

/** A drawing beside a word; it says nothing by itself. */
export function Icon({ name, size = 16 }: { name: string; size?: number }) {
  return (
    <svg
      class={`icon icon-${name}`}
      width={size}
      height={size}
      viewBox="0 0 20 20"
      aria-hidden="true"
      focusable="false"
    >
      <path d={ICONS[name] ?? ""} />
    </svg>
  );
}

type ButtonProps = {
  icon?: string;
  kind?: "plain" | "primary" | "danger" | "quiet";
  label?: string;
  children?: ComponentChildren;
  onClick?: (event: MouseEvent) => unknown;
  disabled?: boolean;
  pressed?: boolean;
  type?: "button" | "submit";
  title?: string;
  class?: string;
};

/** A button; `label` names one that has only an icon. */
export function Button(
  { icon, kind = "plain", label, children, onClick, disabled, pressed, type = "button", title, class: more = "" }:
    ButtonProps,
) {
  return (
    <button
      type={type}
      class={`button ${kind} ${children === undefined ? "square" : ""} ${more}`}
      aria-label={label}
      title={title ?? label}
      aria-pressed={pressed}
      disabled={disabled}
      onClick={onClick}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
    </button>
  );
}

const STATES: Record<PartState | Presence, { icon: string; tone: string; label: string }> = {
  queued: { icon: "clock", tone: "idle", label: "queued" },
  published: { icon: "clock", tone: "idle", label: "waiting" },
  started: { icon: "play", tone: "info", label: "running" },
  returned: { icon: "ok", tone: "ok", label: "returned" },
  failed: { icon: "bad", tone: "bad", label: "failed" },
  "timed out": { icon: "clock", tone: "bad", label: "timed out" },
  lost: { icon: "off", tone: "bad", label: "lost" },
  expired: { icon: "clock", tone: "warn", label: "expired" },
  cancelled: { icon: "stop", tone: "warn", label: "cancelled" },
  "no answer": { icon: "question", tone: "bad", label: "no answer" },
  up: { icon: "ok", tone: "ok", label: "up" },
  down: { icon: "off", tone: "bad", label: "down" },
  unknown: { icon: "question", tone: "idle", label: "unknown" },
};

export const toneOf = (state: PartState | Presence): string => STATES[state].tone;
export const labelOf = (state: PartState | Presence): string => STATES[state].label;

/** A state by drawing, word and colour. */
export function State({ state }: { state: PartState | Presence }) {
  const { icon, tone, label } = STATES[state];
  return (
    <span class={`state ${tone}`}>
      <Icon name={icon} size={14} />
      <span>{label}</span>
    </span>
  );
}

/** A number with its state, which may be pressed to see only those. */
export function Count(
  { state, count, pressed, onClick }: {
    state: PartState | Presence;
    count: number;
    pressed?: boolean;
    onClick?: () => unknown;
  },
) {
  const { icon, tone, label } = STATES[state];
  const inner = (
    <>
      <Icon name={icon} size={14} />
      <b>{count.toLocaleString("en")}</b> {label}
    </>
  );
  if (onClick === undefined) return <span class={`count ${tone}`}>{inner}</span>;
  return <button type="button" class={`count ${tone}`} aria-pressed={pressed} onClick={onClick}>{inner}</button>;
}

/** How the parts of a job stand, as lengths of one bar; the words are beside it. */
export function Bar({ counts, total }: { counts: [PartState, number][]; total: number }) {
  const done = counts.filter(([state]) => !isOpen(state)).reduce((sum, [, count]) => sum + count, 0);
  const rank = (state: PartState) => state === "returned" ? 0 : isOpen(state) ? 2 : 1;
  const ordered = [...counts].sort(([left], [right]) => rank(left) - rank(right));
  return (
    <div
      class="bar"
      role="progressbar"
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={done}
      aria-label="Targets that have ended"
    >
      {ordered.filter(([, count]) => count > 0).map(([state, count]) => (
        <span
          key={state}
          class={`fill ${toneOf(state)}`}
          style={{ flexGrow: count }}
        />
      ))}
    </div>
  );
}

/** Where a page's list is searched; the key `/` leads to it. */
export function SearchField(
  { label, placeholder, value, onChange, mono = false }: {
    label: string;
    placeholder: string;
    value: string;
    onChange(value: string): void;
    mono?: boolean;
  },
) {
  return (
    <label class="search grow">
      <Icon name="search" />
      <input
        type="search"
        class={mono ? "mono" : undefined}
        data-search
        aria-label={label}
        placeholder={placeholder}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}

/** What to do where there is nothing to see. */
export function Empty({ icon, title, children }: { icon: string; title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <Icon name={icon} size={28} />
      <p class="empty-title">{title}</p>
      {children !== undefined && <div class="muted">{children}</div>}
    </div>
  );
}

/** What went wrong and what to do about it. */
export function Problem({ error, retry }: { error: unknown; retry?: () => unknown }) {
  if (error === undefined || (error instanceof ApiError && error.kind === "signed out")) return null;
  const message = error instanceof Error ? error.message : String(error);
  return (
    <div class="problem" role="alert">
      <Icon name="warn" />
      <div>
        <p>{message}</p>
        {error instanceof ApiError && <p class="muted">{error.remedy}</p>}
      </div>
      {retry !== undefined && <Button icon="again" onClick={retry}>Try again</Button>}
    </div>
  );
}

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

/** A dialog over the page; Esc and a press beside it close it. */
export function Dialog(
  { title, children, onClose, wide = false }: {
    title: string;
    children: ComponentChildren;
    onClose: () => void;
    wide?: boolean;
  },
) {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = element.current!;
    if (!dialog.open) dialog.showModal();
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={element}
      class={wide ? "wide" : ""}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClose={() => {
        // A browser may close it without asking; once it is not shown any more this is only the echo of that.
        if (element.current !== null) onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2>{title}</h2>
          <Button icon="bad" kind="quiet" label="Close" onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  );
}

/** Asks before something that cannot be taken back. */
export function Confirm(
  { title, children, action, onConfirm, onClose, kind = "danger" }: {
    title: string;
    kind?: "danger" | "primary";
    children: ComponentChildren;
    action: string;
    onConfirm: () => unknown;
    onClose: () => void;
  },
) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="dialog-text">{children}</div>
      <div class="actions end">
        <Button onClick={onClose}>Leave it</Button>
        <Button
          kind={kind}
          onClick={() => {
            onClose();
            onConfirm();
          }}
        >
          {action}
        </Button>
      </div>
    </Dialog>
  );
}

/** A text of code that is copied by a press. */
export function CopyButton({ text, label = "Copy as JSON" }: { text: () => string; label?: string }) {
  const [done, setDone] = useState<"" | "copied" | "failed">("");
  useEffect(() => {
    if (done === "") return;
    const timer = setTimeout(() => setDone(""), 1500);
    return () => clearTimeout(timer);
  }, [done]);
  return (
    <Button
      icon={done === "copied" ? "ok" : "copy"}
      onClick={async () => {
        try {
          await copy(text());
          setDone("copied");
        } catch {
          setDone("failed");
        }
      }}
    >
      {done === "copied" ? "Copied" : done === "failed" ? "Could not copy" : label}
    </Button>
  );
}

/** Copies, also from pages that came over plain HTTP, where the browser has no clipboard to offer. */
async function copy(text: string): Promise<void> {
  if (isSecureContext) return await navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) throw new Error("The browser did not copy");
}
