/** Checks the value of an option by its row: for the start, for `--check` and for a reload. */
import { number, type OptionSpec, type OptionTable } from "./option.ts";
import { anyNumber, ports, type Rule, withinRange } from "./rules.ts";

/** Options of returners and job caches that are in no program's table. */
const MODULE_OPTIONS: OptionTable = {
  "redis.port": number(6379, "", { rule: ports }),
  "redis.db": number(0, "", { rule: withinRange(0) }),
  "returner.postgres.port": number(5432, "", { rule: ports }),
  "postgres.port": number(5432, "", { rule: ports }),
  "master_job_cache.postgres.port": number(5432, "", { rule: ports }),
};

/** A value that an option must not have. */
interface ValueProblem {
  /** The expected value, to complete "expected …". */
  expected: string;
  /** True if a daemon warns, uses the default and starts. */
  mild: boolean;
}

const SWITCH = /^(?:true|false|yes|no|on|off|y|n|1|0|)$/i;

/** The rule of a type, for options without their own rule. */
function ruleOfType({ type, default: value }: OptionSpec<unknown>): Rule | undefined {
  if (type === "bool") {
    return (value) => typeof value !== "string" || SWITCH.test(value) ? undefined : "True or False";
  }
  if (type !== "number") return undefined;
  return Number(value) < 0 ? anyNumber : withinRange(0, Infinity, false);
}

/**
 * Finds a value that has the right type but is not allowed, such as a negative number of seconds.
 *
 * @param spec the option's row; undefined for names of returners and other modules, such as `redis.port`
 * @returns undefined for a value that can be used
 */
export function valueProblem(
  option: string,
  value: unknown,
  spec: OptionSpec<unknown> | undefined = MODULE_OPTIONS[option],
): ValueProblem | undefined {
  if (value === null || value === undefined || spec === undefined) return undefined;
  const expected = (spec.rule ?? ruleOfType(spec))?.(value);
  return expected === undefined ? undefined : { expected, mild: spec.mild === true };
}
