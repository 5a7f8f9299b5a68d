import { DEFAULT_LIMITS, type Limits } from "../../jinja/mod.ts";
import { entriesOf, isMap, truthy } from "../../python/values.ts";

const atLeastOne = (value: unknown, otherwise: number): number => {
  const number = Number(value ?? otherwise);
  return number >= 1 ? number : otherwise;
};

/** The limits of one render from a configuration: `template_max_steps` rounds and calls, `template_max_size` characters. */
export function templateLimitsOf(opts: Record<string, unknown>): Limits {
  return {
    ...DEFAULT_LIMITS,
    steps: atLeastOne(opts.template_max_steps, DEFAULT_LIMITS.steps),
    characters: atLeastOne(opts.template_max_size, DEFAULT_LIMITS.characters),
  };
}

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
