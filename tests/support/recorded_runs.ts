/** Returns of state runs, as recorded and as they come, made comparable: what the rules of tests/golden-states leave free is left out. */
import { type AnyMap, entriesOf, isMap, lookup } from "../../src/language/python/values.ts";
import { recordedValue } from "./recorded_values.ts";

/** The functions whose changes and comments come in the order of a directory. */
const OF_DIRECTORIES = /^file_\|-.*_\|-(?:recurse|directory)$/s;

type Entry = [tag: string, entry: AnyMap];

/** A return with `{TIME}` and `{DUR}` in place of times, and without orders that mean nothing: that of an entry's own keys is one. */
export function comparable(value: unknown): unknown {
  const entries = entriesOfRun(value);
  if (entries === undefined) {
    const isEntry = isMap(value) && lookup(value, "__run_num__") !== undefined;
    return isEntry ? comparableEntry("", value) : withoutTraceback(value);
  }
  return {
    $state: entries.map(([tag, entry]) => [tag, comparableEntry(tag, entry)]),
  };
}

/** The entries of a run of states, in the order of their numbers; undefined of any other value. */
function entriesOfRun(value: unknown): Entry[] | undefined {
  if (!isMap(value)) return undefined;
  const recorded = lookup(value, "$state");
  if (recorded !== undefined) {
    return (recorded as [string, never][]).map(([tag, entry]) => [tag, recordedValue(entry) as AnyMap]);
  }
  const entries = entriesOf(value) as Entry[];
  if (entries.length === 0 || !entries.every(([tag]) => typeof tag === "string" && tag.includes("_|-"))) {
    return undefined;
  }
  const number = ([, entry]: Entry) => Number(lookup(entry, "__run_num__"));
  return [...entries].sort((a, b) => number(a) - number(b));
}

function comparableEntry(tag: string, entry: AnyMap): unknown {
  const free = OF_DIRECTORIES.test(tag);
  return new Map(
    entriesOf(entry).sort(([a], [b]) => String(a) < String(b) ? -1 : 1).map(([key, value]) => {
      if (key === "start_time") return [key, "{TIME}"];
      if (key === "duration") return [key, "{DUR}"];
      if (key === "comment" && typeof value === "string") return [key, comparableComment(value, free)];
      if (key === "changes" && free) return [key, sorted(value)];
      if (key === "changes") return [key, withoutPid(value)];
      return [key, value];
    }),
  );
}

function comparableComment(text: string, free: boolean): string {
  if (text.includes("Traceback (most recent call last)") || text.includes("{TRACEBACK}")) {
    return text.replace("{TRACEBACK}", "Traceback (most recent call last):").split("\n")[0]!;
  }
  const [, names] = /^One or more requisite failed: (.*)$/s.exec(text) ?? [];
  if (names !== undefined) return `One or more requisite failed: ${names.split(", ").sort().join(", ")}`;
  const [, missing] = /^The following arguments are missing: (.*)$/s.exec(text) ?? [];
  if (missing !== undefined) return `The following arguments are missing: ${missing.split(" ").sort().join(" ")}`;
  return free ? text.split("\n").sort().join("\n") : text;
}

const withoutTraceback = (value: unknown): unknown =>
  Array.isArray(value) || typeof value !== "string" ? value : comparableComment(value, false);

/** A process number of any kind. */
function withoutPid(value: unknown): unknown {
  if (!isMap(value)) return value;
  return new Map(
    entriesOf(value).map(([key, item]) => [key, key === "pid" && typeof item === "number" ? "{PID}" : item]),
  );
}

/** Maps by their keys, and what was removed without its order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isMap(value)) return value;
  const entries = entriesOf(value).map(([key, item]): [unknown, unknown] => [
    key,
    key === "removed" && Array.isArray(item) ? [...item].sort() : sorted(item),
  ]);
  return new Map(entries.sort(([a], [b]) => String(a) < String(b) ? -1 : 1));
}
