import { dirName, joinPath } from "../../base/paths.ts";

/**
 * The path of a file next to those that a minion's configuration includes by default, such as `_schedule.conf`. Undefined for a
 * minion without configuration files.
 *
 * @param opts `conf_file`, `default_include`
 */
export function includedFile(opts: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const { conf_file, default_include = "minion.d/*.conf" } = opts;
  if (typeof conf_file !== "string" || conf_file === "") return undefined;
  return joinPath(joinPath(dirName(conf_file), dirName(String(default_include))), name);
}

/** The file in which a minion keeps its schedule for the next start. */
export const savedSchedulePath = (opts: Readonly<Record<string, unknown>>): string | undefined =>
  includedFile(opts, "_schedule.conf");
