import { entriesOf, isMap, lookup, sorted, str } from "../../language/python/values.ts";
import { STATE_SEPARATOR } from "./highstate_data.ts";
import type { OutputOptions } from "./outputter.ts";
import { labelled } from "./table.ts";

const TITLE = "duration (ms)";
const MAX_NAME = 60;

/** Shows the states of a run with their durations, the shortest first. */
export function profile(data: unknown, options: OutputOptions): string {
  if (!isMap(data)) throw new TypeError("Cannot show durations: expected a map of hosts");
  const rows = entriesOf(data).flatMap(([, states]) => statesOf(states).map(([key, state]) => row(str(key), state)));
  // Sorted by duration, then name, then function: sorting is stable, so the most significant key comes last.
  const byText = sorted(sorted(rows, ({ fun }) => fun)!, ({ name }) => name)!;
  const ordered = sorted(byText, ({ duration }) => duration) ?? byText;
  const texts = ordered.map(({ name, fun, duration }) => [name, fun, duration.toFixed(4).padStart(TITLE.length)]);
  return labelled(["name", "mod.fun", TITLE], texts, options);
}

/** States by their ids. Data that is not a map has as many unnamed states as Python finds items in it. */
function statesOf(states: unknown): [unknown, unknown][] {
  if (isMap(states)) return entriesOf(states).map(([id, state]) => [id, isMap(state) ? state : { name: str(id) }]);
  if (typeof states !== "string" && !Array.isArray(states)) {
    throw new TypeError("Cannot show durations: expected a map of states");
  }
  return Array.from(states, (item) => [item, {}]);
}

function row(key: string, state: unknown): { name: string; fun: string; duration: number } {
  if (!isMap(state)) throw new TypeError(`Cannot show the duration of the state ${key}: expected a map`);
  const parts = key.split(STATE_SEPARATOR);
  const name = str(lookup(state, "name") ?? lookup(state, "__id__") ?? "<>");
  return {
    name: name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 3)}...` : name,
    fun: `${parts[0]}.${parts[parts.length - 1]}`,
    duration: Number(lookup(state, "duration") ?? -1),
  };
}
