import { isRecord } from "../base/record.ts";
import type { StateMark, StatePart } from "./state_run.ts";
import { isStateRun, runSummary, shownFields, stateMark, statesOf } from "./state_run.ts";

/** The most rows of a value. */
const MAX_ROWS = 100_000;
/** The most levels of a value that are shown: values come from minions, and must not exhaust the stack. */
const MAX_DEPTH = 200;
const DEEPER = `deeper than ${MAX_DEPTH} levels: copy as JSON`;

export interface TreeRow {
  /** JSON pointer to the place in the value; unique. */
  path: string;
  depth: number;
  /** Key or index; empty for the lines of a text. */
  name: string;
  /** Text beside the name: the value, or a summary of a container. */
  text: string;
  kind: "text" | "number" | "boolean" | "null" | "empty" | "container" | "line";
  /** Whether a container is expanded; undefined for other values. */
  expanded?: boolean;
  mark?: StateMark;
  difference?: "added" | "removed";
  jid?: string;
}

/** Escapes as JSON pointers do, so that paths are unique. */
function pathOf(path: string, key: string): string {
  return `${path}/${/[~/]/.test(key) ? key.replaceAll("~", "~0").replaceAll("/", "~1") : key}`;
}

/** A value in a few words, for a collapsed row. */
export function treeSummary(value: unknown): string {
  if (isStateRun(value)) return runSummary(value);
  if (Array.isArray(value)) {
    return value.length === 0 ? "empty list" : `${value.length} ${plural(value.length, "item")}`;
  }
  if (isRecord(value)) {
    const keys = Object.keys(value);
    return keys.length === 0 ? "empty mapping" : `${keys.length} ${plural(keys.length, "key")}`;
  }
  if (typeof value === "string") {
    const lines = value.trimEnd().split("\n");
    const first = lines.find((line) => line.trim() !== "") ?? "";
    return lines.length > 1 ? `${first.trim()}  (${lines.length} lines)` : first.trim() || "empty text";
  }
  return value === undefined ? "" : String(value);
}

const plural = (count: number, word: string) => count === 1 ? word : `${word}s`;

/** True if a value does not fit on one row. */
export function hasMore(value: unknown): boolean {
  if (typeof value === "string") return value.trimEnd().includes("\n");
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

/** Returns true if the container at a path is expanded. */
export type Unfolded = (path: string, depth: number, mark?: StateMark | StatePart) => boolean;

/**
 * The rows of a value as a tree. A text of several lines becomes several rows, so that all rows have the same height. In the
 * results of states, failed ones come first.
 *
 * @param most the most rows; the last one says that there are more
 */
export function flatten(value: unknown, unfolded: Unfolded, most = MAX_ROWS): TreeRow[] {
  const rows: TreeRow[] = [];
  /** The text of each state's result when it is collapsed. */
  const texts = new Map<object, string>();
  const add = (row: TreeRow): boolean => {
    if (rows.length < most) rows.push(row);
    return rows.length < most;
  };

  function visit(
    name: string,
    value: unknown,
    path: string,
    depth: number,
    mark?: StateMark,
    part?: StatePart,
  ): boolean {
    const head = { path, depth, name, ...(mark === undefined ? {} : { mark }) };
    if (typeof value === "string") {
      const lines = value.replace(/\n$/, "").split("\n");
      const job = name === "job" && part === undefined && /^\d{20}$/.test(value) ? { jid: value } : {};
      if (lines.length === 1) return add({ ...head, text: lines[0]!, kind: value === "" ? "empty" : "text", ...job });
      if (name !== "" && !add({ ...head, text: "", kind: "text" })) return false;
      const inner = name === "" ? depth : depth + 1;
      const isDifference = part === "changes" && /^(?:---|\+\+\+|@@) /m.test(value);
      return lines.every((text, at) => {
        const difference = isDifference ? differenceOf(text) : {};
        return add({ path: `${path}/${at}`, depth: inner, name: "", text, kind: "line", ...difference });
      });
    }
    if (typeof value !== "object" || value === null) {
      const kind = value === null || value === undefined
        ? "null"
        : typeof value === "number"
        ? "number"
        : typeof value === "boolean"
        ? "boolean"
        : "text";
      return add({ ...head, text: String(value ?? "null"), kind });
    }
    if (Object.keys(value).length === 0) {
      return add({ ...head, text: Array.isArray(value) ? "[]" : "{}", kind: "empty" });
    }
    if (depth >= MAX_DEPTH) return add({ ...head, text: DEEPER, kind: "text" });
    const expanded = name === "" || unfolded(path, depth, mark ?? part);
    if (name !== "") {
      const text = texts.get(value) ?? treeSummary(value);
      if (!add({ ...head, text, kind: "container", expanded })) return false;
    }
    if (!expanded) return true;
    return children(value, path, name === "" ? depth : depth + 1, mark);
  }

  function children(value: object, path: string, depth: number, mark: StateMark | undefined): boolean {
    if (mark !== undefined) {
      return shownFields(value as Record<string, unknown>).every(({ name, value: one, part }, at) =>
        visit(name, one, pathOf(path, `${at}:${name}`), depth, undefined, part)
      );
    }
    if (Array.isArray(value)) return value.every((one, at) => visit(String(at), one, `${path}/${at}`, depth));
    if (isStateRun(value)) {
      return statesOf(value).every(({ key, id, result, mark, text }) => {
        texts.set(result, text);
        return visit(id, result, pathOf(path, key), depth, mark);
      });
    }
    return Object.entries(value).every(([key, one]) => visit(key === "" ? '""' : key, one, pathOf(path, key), depth));
  }

  if (!visit("", value, "", 0)) {
    rows.push({
      path: "/…",
      depth: 0,
      name: "",
      text: `more than ${most} rows: copy as JSON to see all`,
      kind: "line",
    });
  }
  return rows;
}

/** The kind of a line of a unified difference: added or removed; lines of the header are neither. */
function differenceOf(line: string): Pick<TreeRow, "difference"> {
  if (/^(?:\+(?!\+\+ ))/.test(line)) return { difference: "added" };
  return /^-(?!-- )/.test(line) ? { difference: "removed" } : {};
}

/**
 * The number of rows that {@link flatten} makes, without making them: thousands of returns are laid out, and only some are visible.
 *
 * @param opens returns true if containers of a depth are expanded, wherever they are
 */
export function countRows(
  value: unknown,
  opens: (depth: number, mark?: StateMark | StatePart) => boolean,
  most = MAX_ROWS,
): number {
  let count = 0;
  function visit(isRoot: boolean, value: unknown, depth: number, mark?: StateMark, part?: StatePart): void {
    if (count >= most) return;
    if (typeof value === "string") {
      const lines = lineCount(value);
      count += lines === 1 || isRoot ? lines : lines + 1;
      return;
    }
    const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
    if (keys.length === 0 || depth >= MAX_DEPTH) {
      count++;
      return;
    }
    if (!isRoot) count++;
    if (!isRoot && !opens(depth, mark ?? part)) return;
    const inner = isRoot ? depth : depth + 1;
    if (mark !== undefined) {
      for (const field of shownFields(value as Record<string, unknown>)) {
        visit(false, field.value, inner, undefined, field.part);
      }
      return;
    }
    const hasMarks = isStateRun(value);
    for (const key of keys) {
      const one = (value as Record<string, unknown>)[key];
      visit(false, one, inner, hasMarks ? stateMark(one as object) : undefined);
    }
  }
  visit(true, value, 0);
  return count < most ? count : most + 1;
}

/** The number of lines of a text; a line end at the end adds none. */
function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < text.length - 1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** Filters a mapping, keeping entries whose key or value contains the text. */
export function filterTop(value: unknown, words: string): unknown {
  const wanted = words.trim().toLowerCase();
  if (wanted === "" || !isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([key, one]) =>
      key.toLowerCase().includes(wanted) || (JSON.stringify(one) ?? "").toLowerCase().includes(wanted)
    ),
  );
}

/** A mapping with sorted keys. */
export function sortedTop(value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => left < right ? -1 : left > right ? 1 : 0));
}
