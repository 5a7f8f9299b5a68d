import type { Logger } from "../../base/log.ts";
import { isMap, lookup, repr, str } from "../../language/python/values.ts";
import { PythonError } from "../../language/python/python_error.ts";
import { stringFormat } from "../../language/python/string_format.ts";

/** Texts that one pattern may stand for: a minion chooses its grains. */
const MOST = 1000;

function itemOf(value: unknown, key: string | number): unknown {
  const found = isMap(value)
    ? lookup(value, String(key)) ?? lookup(value, key as string)
    : Array.isArray(value)
    ? value[key as number]
    : undefined;
  if (found === undefined) throw new PythonError("KeyError", repr(key));
  return found;
}

function format(pattern: string, names: ReadonlyMap<string, unknown>): string {
  return stringFormat(pattern, {
    positional: [],
    named: names,
    item: itemOf,
    attribute: (_value, name) => {
      throw new PythonError("KeyError", repr(name));
    },
    dateTime: (value) => str(value),
  });
}

/** The value of `grains[roles]`. @throws {PythonError} KeyError */
function valueOf(field: string, names: ReadonlyMap<string, unknown>): unknown {
  const [first = "", ...rest] = field.split(/[[\]]+/).filter((part) => part !== "");
  if (!names.has(first)) throw new PythonError("KeyError", repr(first));
  return rest.reduce<unknown>((value, key) => itemOf(value, /^\d+$/.test(key) ? Number(key) : key), names.get(first));
}

/** One pattern for each value of the lists in it: `by-role/{grains[roles]}` becomes `by-role/web` and `by-role/db`. */
function expand(pattern: string, names: ReadonlyMap<string, unknown>): string[] {
  for (const [token, field] of pattern.matchAll(/\{([^{}!:]+)\}/g)) {
    const value = valueOf(field!, names);
    if (!Array.isArray(value)) continue;
    const all = value.flatMap((item) => expand(pattern.replaceAll(token, () => str(item)), names));
    if (all.length > MOST) throw new RangeError(`"${pattern}" stands for more than ${MOST} names`);
    return all;
  }
  return [pattern];
}

/** What patterns such as `secret/{minion}` stand for. One that uses a value that is not there is left out. */
export function filledPatterns(
  patterns: readonly unknown[],
  names: ReadonlyMap<string, unknown>,
  log: Logger,
): string[] {
  return patterns.flatMap((given) => {
    const pattern = str(given);
    const filled: string[] = [];
    try {
      for (const one of expand(pattern, names)) filled.push(format(one, names));
    } catch (error) {
      if (!(error instanceof PythonError) || error.type !== "KeyError") throw error;
      log.warning("vault: a pattern uses a value that the minion does not have", { pattern });
    }
    return filled;
  });
}
