/** Makes a configuration from options that code gives, without reading files. */
import { ConfigError } from "../../base/errors.ts";
import { completeOptions, settlePaths } from "./load.ts";
import { MASTER_OPTIONS, type MasterOpts } from "./master_opts.ts";
import { MINION_OPTIONS, type MinionOpts } from "./minion_opts.ts";
import type { OptionTable } from "./option.ts";
import { firstMistyped, type Host, refuseHarmfulOptions } from "./review.ts";

function given(host: Host, table: OptionTable, values: Record<string, unknown>): Record<string, unknown> {
  const mistyped = firstMistyped(Object.keys(values));
  if (mistyped !== undefined) {
    throw new ConfigError(`Unknown option "${mistyped.option}" of a ${host}: did you mean "${mistyped.meant}"?`);
  }
  const { opts, problems } = completeOptions(table, values);
  const [problem] = problems;
  if (problem !== undefined) throw new ConfigError(problem.message);
  refuseHarmfulOptions(host, { opts, given: Object.keys(values) });
  settlePaths(opts, table);
  return opts;
}

/**
 * The whole configuration of a master: the given options, and defaults for all others; paths are put below `root_dir`.
 *
 * @example
 * ```ts
 * const opts = masterOptions({ root_dir: "/srv/run", interface: "127.0.0.1", timeout: 10 });
 * ```
 * @throws {ConfigError} for values of a wrong type, for names that are nearly those of options, and for options that would do
 *   harm if they were ignored
 */
export function masterOptions(values: Partial<MasterOpts> = {}): MasterOpts {
  return given("master", MASTER_OPTIONS, values) as MasterOpts;
}

/**
 * The whole configuration of a minion, like {@link masterOptions}.
 *
 * @example
 * ```ts
 * console.log(minionOptions({ id: "web1" }).master_port); // 4506
 * ```
 * @throws {ConfigError} as {@link masterOptions}
 */
export function minionOptions(values: Partial<MinionOpts> = {}): MinionOpts {
  return given("minion", MINION_OPTIONS, values) as MinionOpts;
}
