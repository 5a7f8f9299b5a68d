import type { MinionOpts } from "../../model/config/minion_opts.ts";
import { ConfigError, SaltError } from "../../base/errors.ts";
import type { PillarCall } from "../../model/loader/pillar_link.ts";
import { type AnyMap, entriesOf, isMap, lookup, str, typeName } from "../../language/python/values.ts";

/** Characters that are shown of a reply that is no pillar. */
const MAX_SHOWN_CHARACTERS = 500;

/** Compiles a pillar without a master, from the files of the minion itself. */
export type OwnPillar = (
  request: PillarCall & { id: string; grains: Record<string, unknown>; extraMinionData: Record<string, unknown> },
) => Promise<AnyMap>;

/** The option at one path, in its maps: `{a: {b: value}}` for `a:b`. */
function partOf(opts: AnyMap, [key = "", ...rest]: readonly string[]): Record<string, unknown> | undefined {
  const value = lookup(opts, key);
  if (value === undefined) return undefined;
  if (rest.length === 0) return { [key]: value };
  const below = isMap(value) ? partOf(value, rest) : undefined;
  return below === undefined ? undefined : { [key]: below };
}

function joined(under: unknown, over: unknown): unknown {
  if (Array.isArray(under) && Array.isArray(over)) return [...under, ...over];
  if (!isMap(under) || !isMap(over)) return over;
  const both = new Map(entriesOf(under));
  for (const [key, value] of entriesOf(over)) both.set(key, both.has(key) ? joined(both.get(key), value) : value);
  return Object.fromEntries(both);
}

/**
 * The options that the minion passes on to external pillars.
 *
 * @throws {ConfigError} if `pass_to_ext_pillars` is not a list
 */
export function extraMinionData(opts: Record<string, unknown>): Record<string, unknown> {
  const { pass_to_ext_pillars: names = [] } = opts;
  if (!Array.isArray(names)) {
    throw new ConfigError("'pass_to_ext_pillars' config is malformed: expected a list of names");
  }
  const parts = names.map((name) => partOf(opts, str(name).split(":")) ?? {});
  return parts.reduce<unknown>(joined, {}) as Record<string, unknown>;
}

/** The command by which a minion sends its grains and gets its pillar. */
export function pillarRequest(
  grains: Record<string, unknown>,
  opts: MinionOpts,
  call: PillarCall = {},
): Record<string, unknown> {
  return {
    cmd: "_pillar",
    grains,
    saltenv: call.saltenv === undefined ? opts.saltenv ?? null : call.saltenv,
    pillarenv: call.pillarenv === undefined ? opts.pillarenv ?? null : call.pillarenv,
    pillar_override: call.override ?? {},
    extra_minion_data: extraMinionData(opts),
    ver: "2",
    ...(call.ext === undefined || call.ext === null ? {} : { ext: call.ext }),
    ...(call.cleanCache ? { clean_cache: true } : {}),
  };
}

/** The pillar of a master's reply. @throws {SaltError} if it is not a pillar: the minion keeps the one that it has */
export function pillarOf(reply: unknown): AnyMap {
  if (isMap(reply)) return reply;
  // A master that cannot compile the pillar answers with the reason.
  const why = typeof reply === "string" && reply !== "" ? `: ${reply.slice(0, MAX_SHOWN_CHARACTERS)}` : "";
  throw new SaltError("BAD_PILLAR", `Got a bad pillar from master, type ${typeName(reply)}, expecting dict${why}`);
}

/** Returns a pillar as modules see it: all keys are text. */
export function pillarRecord(pillar: AnyMap): Record<string, unknown> {
  return pillar instanceof Map
    ? Object.fromEntries(entriesOf(pillar).map(([key, value]) => [str(key), value]))
    : pillar;
}
