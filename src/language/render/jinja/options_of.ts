import { entriesOf, isMap, truthy } from "../../python/values.ts";

/**
 * Jinja2's options of a configuration: `jinja_sls_env` for an SLS file, `jinja_env` for any other template, and the older
 * `jinja_trim_blocks` and `jinja_lstrip_blocks` for both.
 */
export function jinjaOptionsOf(opts: Record<string, unknown>, isSls: boolean): Record<string, unknown> {
  const given = isSls ? opts.jinja_sls_env : opts.jinja_env;
  const options: Record<string, unknown> = {};
  if (isMap(given)) { for (const [name, value] of entriesOf(given)) options[String(name)] = value; }
  if (truthy(opts.jinja_trim_blocks ?? false)) options.trim_blocks = true;
  if (truthy(opts.jinja_lstrip_blocks ?? false)) options.lstrip_blocks = true;
  return options;
}
