import { isRecord } from "../../base/record.ts";

export interface EngineEntry {
  /** Name in the configuration; a name that comes again gets a number, so that names are unique on a host. */
  name: string;
  /** Name of the engine's module, or path of a program. */
  module: string;
  /** Name of the module's function. */
  fun: string;
  settings: Record<string, unknown>;
}

/** The engines in the options `engines` and `ext_processes`. */
export interface EngineList {
  entries: EngineEntry[];
  /** Entries that cannot be read, each with the remedy. */
  mistakes: string[];
}

const FORM = "expected a list of names and of maps {name: {option: value}}";

/**
 * Reads the options `engines` and `ext_processes`, in all forms that Salt takes.
 *
 * ```ts
 * import { engineList } from "./engine_list.ts";
 *
 * engineList({ engines: [{ hook: { engine_module: "webhook", port: 8000 } }] }).entries;
 * // [{ name: "hook", module: "webhook", fun: "start", settings: { port: 8000 } }]
 * ```
 *
 * @see salt/engines/__init__.py start_engines
 */
export function engineList(opts: Record<string, unknown>): EngineList {
  const { engines, ext_processes } = opts;
  const mistakes: string[] = [];
  const entries: EngineEntry[] = [];
  const add = (name: string, entry: Omit<EngineEntry, "name">) => {
    let unique = name;
    for (let n = 2; entries.some((other) => other.name === unique); n++) unique = `${name}-${n}`;
    entries.push({ name: unique, ...entry });
  };
  for (const [name, given] of enginePairs(engines, mistakes)) {
    if (given !== null && given !== undefined && !isRecord(given)) {
      mistakes.push(`engines: the options of "${name}" are ${shapeOf(given)}: expected a map, such as {port: 8000}`);
      continue;
    }
    const { engine_module, ...settings } = given ?? {};
    add(name, { module: engine_module === undefined ? name : String(engine_module), fun: "start", settings });
  }
  for (const item of Array.isArray(ext_processes) ? ext_processes : []) {
    const text = String(item);
    const dot = text.lastIndexOf(".");
    if (text.startsWith("/")) add(text, { module: text, fun: "start", settings: {} });
    else if (dot > 0) add(text, { module: text.slice(0, dot), fun: text.slice(dot + 1), settings: {} });
    else {mistakes.push(
        `ext_processes: "${text}" is neither "module.function" of a custom engine nor the path of a program`,
      );}
  }
  return { entries, mistakes };
}

/** Pairs of name and options. As in Salt, only the first entry of a map in a list counts. */
function enginePairs(engines: unknown, mistakes: string[]): [string, unknown][] {
  if (engines === undefined || engines === null || engines === "") return [];
  if (isRecord(engines)) return Object.entries(engines);
  const list = Array.isArray(engines) ? engines : [engines];
  return list.flatMap((item): [string, unknown][] => {
    if (typeof item === "string") return [[item, undefined]];
    const pairs = isRecord(item) ? Object.entries(item) : [];
    if (pairs.length === 0) mistakes.push(`engines: ${shapeOf(item)} names no engine: ${FORM}`);
    if (pairs.length > 1) {
      const others = pairs.slice(1).map(([name]) => name).join(", ");
      mistakes.push(
        `engines: ${others} in one map with ${pairs[0]![0]}: give each engine a separate list item`,
      );
    }
    return pairs.slice(0, 1);
  });
}

function shapeOf(value: unknown): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  return isRecord(value) ? "an empty map" : JSON.stringify(value) ?? typeof value;
}
