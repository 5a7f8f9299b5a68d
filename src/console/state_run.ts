/** The result of a state run: as one line, and state by state with failures first. */
import { isRecord } from "../base/record.ts";

/** The result of a state; `would change` in a dry run. */
export type StateMark = "failed" | "would change" | "changed" | "ok";

/** The marks in the order in which states are shown. */
const MARKS: readonly StateMark[] = ["failed", "would change", "changed", "ok"];

interface StateResult {
  result: boolean | null;
  comment: unknown;
  changes: unknown;
  __id__?: unknown;
  __run_num__?: unknown;
  __sls__?: unknown;
  name?: unknown;
  duration?: unknown;
}

interface ShownState {
  key: string;
  id: string;
  result: StateResult & object;
  mark: StateMark;
  /** The function, comment and duration of the state, on one line. */
  text: string;
}

const isState = (value: unknown): value is StateResult =>
  isRecord(value) && "result" in value && "comment" in value && "changes" in value;

/** True if a value is a return of `state.apply`: results of states, with keys of four parts. */
export function isStateRun(value: unknown): value is Record<string, StateResult> {
  if (!isRecord(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => key.includes("_|-") && isState(value[key]));
}

/** The part of a state's result that a row belongs to: changes are shown, details are collapsed. */
export type StatePart = "changes" | "details";

/** A field of a state's result, for display. */
interface ShownField {
  name: string;
  value: unknown;
  part?: StatePart;
}

/** The text of a replaced value, `{old, new}`, as most states report it. */
function replacedText(value: unknown): string | undefined {
  if (!isRecord(value) || Object.keys(value).length !== 2 || !("old" in value) || !("new" in value)) return undefined;
  const [before, now] = [value.old, value.new];
  if ([before, now].some((one) => typeof one === "object" && one !== null)) return undefined;
  const text = (one: unknown) => one === "" || one === null || one === undefined ? "(none)" : String(one);
  return `${text(before)} → ${text(now)}`;
}

/** The changes of a state, or, for a state on minions, the changes of the states of each minion. */
function changedFields(changes: unknown): ShownField[] {
  if (!isRecord(changes)) return [];
  const shown = changes.out === "highstate" && isRecord(changes.ret) ? changes.ret : changes;
  return Object.entries(shown).map(([name, value]) => ({
    name: name === "" ? '""' : name,
    value: replacedText(value) ?? value,
    part: "changes",
  }));
}

/** The result of a state for display: changes, comment and time; the rest is in the details. */
export function shownFields(result: Record<string, unknown>): ShownField[] {
  const { changes, comment, name, duration, __id__: id, __jid__: jid } = result;
  const took = durationOf({ duration } as StateResult);
  const isLong = typeof comment === "object" && comment !== null;
  return [
    ...changedFields(changes),
    ...(comment === "" || comment === undefined
      ? []
      : [{ name: "comment", value: isLong ? comment : String(comment) }]),
    ...(typeof name === "string" && name !== id ? [{ name: "name", value: name }] : []),
    ...(took > 0 ? [{ name: "took", value: durationText(took) }] : []),
    ...(typeof jid === "string" ? [{ name: "job", value: jid }] : []),
    ...Object.entries(result).filter(([key]) => !KNOWN.has(key) && !key.startsWith("__"))
      .map(([key, value]) => ({ name: key, value })),
    {
      name: "details",
      value: Object.fromEntries(Object.entries(result).filter(([key]) => key.startsWith("__") || DETAILS.has(key))),
      part: "details",
    },
  ];
}

const DETAILS: ReadonlySet<string> = new Set(["name", "result", "duration", "start_time"]);
const KNOWN: ReadonlySet<string> = new Set([...DETAILS, "changes", "comment"]);

export function stateMark({ result, changes }: { result?: unknown; changes?: unknown }): StateMark {
  if (result === false) return "failed";
  if (result === null) return "would change";
  return isRecord(changes) && Object.keys(changes).length > 0 ? "changed" : "ok";
}

const durationOf = ({ duration }: StateResult) =>
  typeof duration === "number" ? duration : Number.parseFloat(String(duration)) || 0;

/** The text of a duration: `12 ms`, `3.4 s`, `2 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** A summary of a run: `1 failed, 2 would change, 3 ok in 1.2 s`. */
export function runSummary(run: Record<string, StateResult>): string {
  const results = Object.values(run);
  const counts = new Map<StateMark, number>(MARKS.map((mark) => [mark, 0]));
  for (const result of results) counts.set(stateMark(result), counts.get(stateMark(result))! + 1);
  const parts = MARKS.filter((mark) => mark === "ok" || counts.get(mark)! > 0).map((mark) =>
    `${counts.get(mark)} ${mark}`
  );
  const total = results.reduce((sum, result) => sum + durationOf(result), 0);
  return `${parts.join(", ")}${total > 0 ? ` in ${durationText(total)}` : ""}`;
}

/** The states of a run: failed ones first, then those that would change something, then those that did. */
export function statesOf(run: Record<string, StateResult>): ShownState[] {
  const states = Object.entries(run).map(([key, result]) => {
    const [module = "", id = "", , fun = ""] = key.split("_|-");
    const comment = typeof result.comment === "string" ? result.comment.trim().split("\n")[0]! : "";
    const took = durationOf(result) > 0 ? durationText(durationOf(result)) : "";
    const text = [`${module}.${fun}`, comment || String(result.name ?? ""), took].filter((part) => part !== "").join(
      " · ",
    );
    return { key, id: String(result.__id__ ?? id) || key, result, mark: stateMark(result), text };
  });
  const number = ({ result }: ShownState) => Number(result.__run_num__ ?? 0);
  return states.sort((left, right) =>
    MARKS.indexOf(left.mark) - MARKS.indexOf(right.mark) || number(left) - number(right)
  );
}
