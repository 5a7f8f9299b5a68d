/** Configurations from options that are given in code, where no file is read. */
import { ConfigError } from "../errors.ts";
import { nearestName } from "../known.ts";
import { completeOptions, putUnderRoot } from "./load.ts";
import { MASTER_OPTIONS, type MasterOpts } from "./master_opts.ts";
import { MINION_OPTIONS, type MinionOpts } from "./minion_opts.ts";
import type { OptionTable } from "./option.ts";
import { checkObeyed } from "./unobeyed.ts";

/** Letters that may be wrong in a name for it to be taken for a mistyped one: modules have options of their own. */
const MISTYPED = 1;

function given(table: OptionTable, values: Record<string, unknown>, whose: string): Record<string, unknown> {
  for (const key of Object.keys(values)) {
    if (Object.hasOwn(table, key)) continue;
    const near = nearestName(key, Object.keys(table), { letters: key.length > 4 ? MISTYPED : 0 });
    if (near !== undefined) throw new ConfigError(`Unknown option "${key}" of a ${whose}: did you mean "${near}"?`);
  }
  const opts = completeOptions(table, values, (_key, message) => {
    throw new ConfigError(message);
  });
  checkObeyed(table, opts, new Set(Object.keys(values)));
  putUnderRoot(opts);
  return opts;
}

/**
 * The whole configuration of a master from those of Salt's options that are to be others than the defaults; paths are put
 * below `root_dir`.
 *
 * @example
 * ```ts
 * const opts = masterOptions({ root_dir: "/srv/run", interface: "127.0.0.1", timeout: 10 });
 * ```
 * @throws {ConfigError} for values of a wrong type, and for names that are nearly those of options
 */
export function masterOptions(values: Partial<MasterOpts> = {}): MasterOpts {
  return given(MASTER_OPTIONS, values, "master") as MasterOpts;
}

/**
 * The same for a minion.
 *
 * @throws {ConfigError} as {@link masterOptions}
 */
export function minionOptions(values: Partial<MinionOpts> = {}): MinionOpts {
  return given(MINION_OPTIONS, values, "minion") as MinionOpts;
}
