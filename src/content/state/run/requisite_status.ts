import type { LowChunk } from "../../../model/loader/states.ts";
import { sizeOf } from "../../../language/python/values.ts";
import { type StateEntry, tagOf } from "./chunk.ts";

/**
 * The requisites of a chunk taken together:
 *
 * - `unmet`: some have not run yet, or do not exist
 * - `fail`: one that must succeed has failed
 * - `pre`: the state that this chunk has as `prereq` would change nothing
 * - `onfail`, `onchanges`: the required states did not fail, or changed nothing
 * - `change`: a watched state has changed something
 * - `met`: the chunk is to run
 */
export type RequisiteStatus = "unmet" | "fail" | "pre" | "onfail" | "onchanges" | "change" | "met";

/** Kinds of requisites that decide about a chunk, in the order of evaluation. */
export const DECIDING: readonly string[] = [
  "require",
  "require_any",
  "watch",
  "watch_any",
  "prereq",
  "onfail",
  "onfail_any",
  "onfail_all",
  "onchanges",
  "onchanges_any",
];

/** The chunks that a chunk's requisites name: kind → one list for each requisite. Equal requisites share their list. */
export type FoundRequisites = ReadonlyMap<string, readonly (readonly LowChunk[])[]>;

/** Entries so far: of real runs, and of dry runs for `prereq`. */
interface Entries {
  running: ReadonlyMap<string, StateEntry>;
  pre: ReadonlyMap<string, StateEntry>;
}

type Verdict = RequisiteStatus | "premet" | "onchangesmet";

/** Evaluates requisites. A final verdict on a list is kept, however many chunks require it. */
export class RequisiteStatuses {
  /** Kind → list → the final verdicts on it. */
  readonly #known = new Map<string, Map<readonly LowChunk[], ReadonlySet<Verdict>>>();

  of(found: FoundRequisites, entries: Entries): RequisiteStatus {
    // Most chunks have no requisites.
    if (found.size === 0) return "met";
    const verdicts = new Set<Verdict>();
    for (const [kind, lists] of found) {
      const ran = kind === "prereq" ? entries.pre : entries.running;
      const ofThisKind = new Set<Verdict>();
      for (const list of lists) for (const verdict of this.#ofList(kind, list, ran)) ofThisKind.add(verdict);
      for (const verdict of ofKind(kind, ofThisKind)) verdicts.add(verdict);
    }
    return together(verdicts);
  }

  #ofList(kind: string, list: readonly LowChunk[], ran: ReadonlyMap<string, StateEntry>): ReadonlySet<Verdict> {
    const known = this.#known.get(kind)?.get(list);
    if (known !== undefined) return known;
    const verdicts = new Set<Verdict>();
    for (const chunk of list) {
      const entry = ran.get(tagOf(chunk));
      const verdict = entry === undefined ? "unmet" : ofEntry(kind, entry);
      if (verdict !== undefined) verdicts.add(verdict);
      // One unmet requisite is enough: the chunk has to wait.
      if (verdict === "unmet") return verdicts;
    }
    // An entry is final, except that of a dry run.
    if (kind !== "prereq") this.#remember(kind, list, verdicts);
    return verdicts;
  }

  #remember(kind: string, list: readonly LowChunk[], verdicts: ReadonlySet<Verdict>): void {
    let lists = this.#known.get(kind);
    if (lists === undefined) this.#known.set(kind, lists = new Map());
    lists.set(list, verdicts);
  }
}

/** The verdicts on the requisites of one kind, taken together. */
function ofKind(kind: string, verdicts: Set<Verdict>): Set<Verdict> {
  if (kind.endsWith("_any") || kind === "onfail") anyOf(verdicts);
  // With `_all` every requisite must fail: one that did not is enough to decide.
  if (kind.endsWith("_all") && verdicts.has("onfail")) verdicts.delete("met");
  return verdicts;
}

function ofEntry(kind: string, entry: StateEntry): Verdict | undefined {
  const changed = sizeOf(entry.changes) > 0;
  if (kind.startsWith("onchanges")) return entry.result === false || !changed ? "onchanges" : "onchangesmet";
  if (kind.startsWith("onfail")) {
    if (entry.result === true) return "onfail";
  } else if (entry.result === false) return "fail";
  if (kind.startsWith("watch") && changed) return "change";
  if (kind === "prereq") return entry.result === null ? "premet" : "pre";
  if (kind === "prerequired" && entry.result !== null) return undefined;
  return entry.__state_ran__ === false ? undefined : "met";
}

function anyOf(verdicts: Set<Verdict>): void {
  if (verdicts.has("met") || verdicts.has("change")) verdicts.delete("fail");
  if (verdicts.has("onchangesmet")) {
    verdicts.delete("onchanges");
    verdicts.delete("fail");
  }
  if (verdicts.has("met")) verdicts.delete("onfail");
}

function together(verdicts: ReadonlySet<Verdict>): RequisiteStatus {
  if (verdicts.has("unmet")) return "unmet";
  if (verdicts.has("fail")) return "fail";
  if (verdicts.has("pre")) return verdicts.has("premet") ? "met" : "pre";
  const changed = verdicts.has("onchangesmet");
  if (verdicts.has("onfail") && !changed) return "onfail";
  if (verdicts.has("onchanges") && !changed) return "onchanges";
  if (verdicts.has("change")) return "change";
  return verdicts.has("onfail") ? "onfail" : "met";
}
