import { entriesOf, isMap, lookup, sorted, str } from "../../python/mod.ts";
import { STATE_SEPARATOR } from "./highstate_data.ts";
import type { OutputOptions } from "./outputter.ts";
import { labelled } from "./table.ts";

const TITLE = "duration (ms)";
const MAX_NAME = 60;

/** The states of a run with how long they took, the shortest first. */
export function profile(data: unknown, options: OutputOptions): string {
  if (!isMap(data)) throw new TypeError("Cannot show the durations of what is no map of hosts");
  const rows = entriesOf(data).flatMap(([, states]) => {
    if (!isMap(states)) throw new TypeError("Cannot show the durations of what is no map of states");
    return entriesOf(states).map(([key, state]) => row(str(key), state));
  });
  const ordered = sorted(rows, ({ duration }) => duration) ?? rows;
  const texts = ordered.map(({ name, fun, duration }) => [name, fun, duration.toFixed(4).padStart(TITLE.length)]);
  return labelled(["name", "mod.fun", TITLE], texts, options);
}

function row(key: string, state: unknown): { name: string; fun: string; duration: number } {
  if (!isMap(state)) throw new TypeError(`The state ${key} is no map`);
  const parts = key.split(STATE_SEPARATOR);
  const name = str(lookup(state, "name") ?? lookup(state, "__id__") ?? "<>");
  return {
    name: name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}...` : name,
    fun: `${parts[0]}.${parts[parts.length - 1]}`,
    duration: Number(lookup(state, "duration") ?? -1),
  };
}
