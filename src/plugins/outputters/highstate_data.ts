import {
  type AnyMap,
  entriesOf,
  isFloat,
  isInteger,
  isMap,
  lookup,
  mapOf,
  sizeOf,
  str,
  toFloat,
} from "../../language/python/values.ts";

/** The return of one state, as the outputter needs it; `raw` is the complete return. */
export interface ShownResult {
  raw: AnyMap;
  /** Module, id, name and function: the parts of the key. */
  parts: string[];
  /** True, false, or null for "would have changed"; other values are shown as they are. */
  result: unknown;
  changes: unknown;
  comment: unknown;
  /** Milliseconds. */
  duration: number;
  runNumber: number;
  parallel: boolean;
  warnings: string[] | undefined;
  count: number;
}

/** Separator between the parts of a state's key. */
export const STATE_SEPARATOR = "_|-";

function get(map: AnyMap, key: string): unknown {
  return lookup(map, key);
}

/**
 * The hosts to show and their returns, without the maps that runners and job look-ups wrap around them; a text if there are
 * no hosts.
 */
export function unwrap(data: unknown): [host: string, data: unknown][] | string {
  let inner = data;
  if (isMap(inner)) inner = get(inner, "return") ?? inner;
  if (isMap(inner)) inner = get(inner, "data") ?? inner;
  if (isMap(inner) && sizeOf(inner) === 1) {
    const [, only] = entriesOf(inner)[0] ?? [];
    if (isMap(only) && get(only, "jid") !== undefined && get(only, "fun") !== undefined) {
      const returned = get(only, "return");
      inner = (isMap(returned) ? get(returned, "data") : undefined) ?? inner;
    }
  }
  if (inner === null || typeof inner === "string" || typeof inner === "boolean" || isInteger(inner)) return str(inner);
  if (!isMap(inner)) throw new TypeError("Cannot show states: expected a map of hosts");
  const hosts = entriesOf(inner).map(([host, value]): [string, unknown] => [str(host), value]);
  // An orchestration returns its retcode beside the one host, which is a master.
  const masters = hosts.filter(([host]) => host.endsWith("_master"));
  return masters.length === 1 ? hosts.filter(([host]) => host !== "retcode") : hosts;
}

function durationOf(info: AnyMap): number {
  const value = get(info, "duration") ?? 0;
  const number = isFloat(value) || isInteger(value) ? Number(value) : parseFloat(String(value));
  return Number.isNaN(number) ? 0 : number;
}

/** Reads the return of one state; undefined if the entry is not one. */
export function shownResult(key: string, info: unknown): ShownResult | undefined {
  if (!isMap(info)) return undefined;
  const result = get(info, "result");
  if (result === undefined) return undefined;
  const changes = get(info, "changes");
  if (changes === undefined) throw new TypeError(`Cannot show the state ${key}: it has no changes`);
  const warnings = get(info, "warnings");
  const parts = key.split(STATE_SEPARATOR);
  const count = parts[2]?.startsWith("state_compressed_") ? /\((\d+)\)$/.exec(parts[1] ?? "")?.[1] : undefined;
  return {
    raw: info,
    parts,
    result,
    changes,
    comment: get(info, "comment"),
    duration: durationOf(info),
    runNumber: Number(get(info, "__run_num__") ?? 0),
    parallel: get(info, "__parallel__") !== undefined,
    warnings: Array.isArray(warnings) ? warnings.map(str) : undefined,
    count: Number(count ?? 1),
  };
}

/**
 * Combines states with the same id, sls file and result into one, with their number after the id: Salt's option
 * `state_compress_ids`.
 */
export function compressIds(data: AnyMap): AnyMap {
  const groupOf = (key: string, info: AnyMap) =>
    [key.split(STATE_SEPARATOR)[0], get(info, "__id__"), get(info, "__sls__"), get(info, "result")].map(str).join("_");
  const entries = entriesOf(data).map(([key, info]) => [str(key), info] as const);
  // Data in another format is returned unchanged.
  if (!entries.every(([, info]) => isMap(info) && get(info, "__id__") !== undefined)) return data;
  const states = entries as [string, AnyMap][];
  const groups = Map.groupBy(states, ([key, info]) => groupOf(key, info));
  const compressed = new Map<unknown, AnyMap>();
  for (const group of groups.values()) {
    const [[key, info]] = group as [[string, AnyMap]];
    if (group.length === 1) {
      compressed.set(key, info);
      continue;
    }
    const [id, sls, result] = ["__id__", "__sls__", "result"].map((name) => str(get(info, name)));
    const [module = "", , , fun = ""] = key.split(STATE_SEPARATOR);
    const name = [module, `${id} (${group.length})`, `state_compressed_${sls}_${id}_${result}`, fun];
    compressed.set(name.join(STATE_SEPARATOR), merged(group.map(([, one]) => one)));
  }
  return mapOf(compressed);
}

const COMPRESSED = "compressed changes";

/** Several states as one: with the first number and start, the sum of the durations, and the changes by name. */
function merged(infos: readonly AnyMap[]): AnyMap {
  const map = new Map(entriesOf(infos[0]!));
  map.set("__run_num__", infos.reduce((least, info) => Math.min(least, Number(get(info, "__run_num__"))), Infinity));
  const duration = infos.reduce((sum, info) => Number((sum + durationOf(info)).toFixed(3)), 0);
  map.set("duration", toFloat(duration));
  const starts = infos.map((info) => get(info, "start_time")).filter((time) => time !== undefined).map(str);
  if (starts.length > 0) map.set("start_time", starts.reduce((first, start) => start < first ? start : first));
  const changes = infos.flatMap((info): [unknown, unknown][] => {
    const own = get(info, "changes");
    return isMap(own) && sizeOf(own) > 0 ? [[get(info, "name"), own]] : [];
  });
  if (changes.length > 0) map.set("changes", mapOf([[COMPRESSED, mapOf(changes)]]));
  return mapOf(map);
}

export function compressedChanges({ changes, count }: ShownResult): number {
  const inner = count > 1 && isMap(changes) ? get(changes, COMPRESSED) : undefined;
  return isMap(inner) ? sizeOf(inner) || 1 : 1;
}
