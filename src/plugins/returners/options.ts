import type { ReturnerContext } from "../../model/loader/family.ts";
import { isMap, lookup, truthy } from "../../language/python/values.ts";
import { Packed, unpack } from "../../protocol/wire/msgpack.ts";

/** Where Salt's `config.option` looks, the nearest first. */
function sources(context: ReturnerContext): Record<string, unknown>[] {
  const { opts } = context;
  return [opts, opts.grains, opts.pillar].filter((one): one is Record<string, unknown> => isMap(one));
}

function configured(context: ReturnerContext, prefix: string, option: string): unknown {
  for (const source of sources(context)) {
    const nested = lookup(source, prefix);
    for (const value of [isMap(nested) ? lookup(nested, option) : undefined, lookup(source, `${prefix}.${option}`)]) {
      if (value !== undefined && value !== null && value !== "") return value;
    }
  }
  return undefined;
}

/**
 * The options of a returner: `redis.host: db1`, or a map `redis: {host: db1}`. Under `--return_config word` those of
 * `word.redis` come first, one by one, and `--return_kwargs` overrides both.
 *
 * @param prefix what the options stand under: `redis`, `returner.postgres`
 * @param defaults every option that there is; undefined for none
 * @see salt/returners/__init__.py get_returner_options
 */
export function returnerOptions<T extends Record<string, unknown>>(
  context: ReturnerContext,
  prefix: string,
  defaults: T,
): T {
  const other = prefix.startsWith("returner.") ? prefix.slice("returner.".length) : `returner.${prefix}`;
  const prefixes = [prefix, other];
  const { retConfig } = context;
  if (retConfig !== undefined && retConfig !== "") prefixes.unshift(...prefixes.map((one) => `${retConfig}.${one}`));
  const found: Record<string, unknown> = { ...defaults };
  for (const option of Object.keys(defaults)) {
    const given = context.retKwargs?.[option];
    found[option] = given !== undefined && given !== null && given !== ""
      ? given
      : prefixes.map((one) => configured(context, one, option)).find((value) => value !== undefined) ??
        defaults[option];
  }
  return found as T;
}

/** An option that must be a number. @throws {TypeError} naming it */
export function numberOption(name: string, value: unknown): number {
  const number = typeof value === "number" || (typeof value === "string" && value.trim() !== "") ? Number(value) : NaN;
  if (Number.isFinite(number)) return number;
  throw new TypeError(`Cannot use ${JSON.stringify(value)} as ${name}: expected a number`);
}

/** Salt's `keep_jobs_seconds`, or the older `keep_jobs` in hours if only that is set; seconds, 0 for ever. */
export function returnerKeepSeconds(opts: Record<string, unknown>): number {
  const { keep_jobs_seconds: seconds = 86400, keep_jobs: hours } = opts;
  const given = seconds === 86400 && typeof hours === "number" ? hours * 3600 : seconds;
  return Math.floor(numberOption("keep_jobs_seconds", given));
}

/** The `success` of a return as one boolean: of several functions, whether all of them succeeded. */
export function verdict(success: unknown): boolean {
  if (isMap(success)) return Object.values(success).every(truthy);
  return Array.isArray(success) ? success.every(truthy) : truthy(success ?? false);
}

/** A return whose value is read: a master gives it came. */
export function wholeReturn(ret: Record<string, unknown>): Record<string, unknown> {
  return ret.return instanceof Packed ? { ...ret, return: unpack(ret.return, "wire") } : ret;
}
