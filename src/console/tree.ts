import { isRecord } from "../record.ts";

/** One line of a value that is shown as a tree. */
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
  /** How the state went, on the result of a state. */
  mark?: "ok" | "changed" | "failed" | "skipped";
}

/** Result of one state of a state run. */
interface StateResult {
  result: boolean | null;
  comment?: unknown;
  changes?: unknown;
  __id__?: unknown;
  __run_num__?: number;
  name?: unknown;
}

/** Escapes as JSON pointers do, so that paths are unique. */
const pathOf = (path: string, key: string) => `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;

const isState = (value: unknown): value is StateResult =>
  isRecord(value) && "result" in value && "comment" in value && "changes" in value;

/** True if a value is a return of `state.apply`: results of states, with keys of four parts. */
export function isStateRun(value: unknown): value is Record<string, StateResult> {
  if (!isRecord(value)) return false;
  const results = Object.entries(value);
  return results.length > 0 && results.every(([key, result]) => key.includes("_|-") && isState(result));
}

function markOf({ result, changes }: StateResult): NonNullable<TreeRow["mark"]> {
  if (result === false) return "failed";
  const changed = isRecord(changes) && Object.keys(changes).length > 0;
  if (changed || result === null) return "changed";
  return "ok";
}

const MARK_ORDER = ["failed", "changed", "ok"] as const;

/** A value in a few words, for a collapsed row. */
export function summaryOf(value: unknown): string {
  if (isStateRun(value)) {
    const counts = { ok: 0, changed: 0, failed: 0, skipped: 0 };
    for (const result of Object.values(value)) counts[markOf(result)]++;
    return [
      counts.failed > 0 ? `${counts.failed} failed` : "",
      counts.changed > 0 ? `${counts.changed} changed` : "",
      `${counts.ok} ok`,
    ].filter((part) => part !== "").join(", ");
  }
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

/** Whether the container at a path is expanded. */
export type Unfolded = (path: string, depth: number, mark?: TreeRow["mark"]) => boolean;

/**
 * The rows of a value as a tree. A text of several lines becomes several rows, so that all rows have one height. Of the
 * results of states, failed ones come first.
 *
 * @param most the most rows; the last one says that there are more
 */
export function flatten(value: unknown, unfolded: Unfolded, most = 100_000): TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (row: TreeRow): boolean => {
    if (rows.length < most) rows.push(row);
    return rows.length < most;
  };

  function visit(name: string, value: unknown, path: string, depth: number, mark?: TreeRow["mark"]): boolean {
    const head = { path, depth, name, ...(mark === undefined ? {} : { mark }) };
    if (typeof value === "string") {
      const lines = value.replace(/\n$/, "").split("\n");
      if (lines.length === 1) return add({ ...head, text: lines[0]!, kind: value === "" ? "empty" : "text" });
      if (name !== "" && !add({ ...head, text: "", kind: "text" })) return false;
      const inner = name === "" ? depth : depth + 1;
      return lines.every((text, at) => add({ path: `${path}/${at}`, depth: inner, name: "", text, kind: "line" }));
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
    const expanded = name === "" || unfolded(path, depth, mark);
    if (name !== "") {
      const text = mark === undefined || !isState(value) ? summaryOf(value) : stateText(value);
      if (!add({ ...head, text, kind: "container", expanded })) return false;
    }
    if (!expanded) return true;
    return children(value, path, name === "" ? depth : depth + 1);
  }

  function children(value: object, path: string, depth: number): boolean {
    if (Array.isArray(value)) return value.every((one, at) => visit(String(at), one, `${path}/${at}`, depth));
    if (isStateRun(value)) {
      return sortedStates(value).every(([key, result]) =>
        visit(String(result.__id__ ?? key.split("_|-")[1]), result, pathOf(path, key), depth, markOf(result))
      );
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

function stateText({ comment, name }: StateResult): string {
  const text = typeof comment === "string" ? comment.trim().split("\n")[0]! : "";
  return text === "" ? String(name ?? "") : text;
}

function sortedStates(run: Record<string, StateResult>): [string, StateResult][] {
  const rank = (result: StateResult) => MARK_ORDER.indexOf(markOf(result) as typeof MARK_ORDER[number]);
  return Object.entries(run).sort(([, left], [, right]) =>
    rank(left) - rank(right) || (left.__run_num__ ?? 0) - (right.__run_num__ ?? 0)
  );
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
