import { executionFunctions, type ExecutionModule, type JobContext } from "../../model/loader/family.ts";
import { entriesOf, isMap, str } from "../../language/python/values.ts";

/** Sets a variable; false empties or removes it. @returns its new value, null if it is gone, false if that failed */
function setval(context: JobContext, key: unknown, value: unknown, falseUnsets: unknown): string | false | null {
  const { process } = context.runtime;
  if (typeof key !== "string" || key === "" || /[=\0]/.test(key)) return false;
  if (value === false && falseUnsets === true) {
    process.setEnv(key, undefined);
    return null;
  }
  const text = value === false ? "" : value;
  if (typeof text !== "string" || text.includes("\0")) return false;
  process.setEnv(key, text);
  return text;
}

const SCOPE = "\n\nIt holds for the process of this job, and for what the job starts.";

/** Variables of the environment. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    "get(key, default='')": {
      doc: "The value of a variable, or `default`.\n\n    salt '*' environ.get PATH",
      run: (context, { key, default: fallback }) =>
        typeof key === "string" ? context.runtime.process.env(key) ?? fallback : false,
    },
    "has_value(key, value=None)": {
      doc: "True if the variable exists, and if its value equals `value`.\n\n    salt '*' environ.has_value HOME",
      run(context, { key, value }) {
        const found = typeof key === "string" ? context.runtime.process.env(key) : undefined;
        return found !== undefined && (value === null || found === value);
      },
    },
    "item(keys, default='')": {
      doc: "One variable or a list of them by name; `default` replaces those that are missing.\n\n" +
        "    salt '*' environ.item '[PATH, HOME]'",
      run(context, { keys, default: fallback }) {
        const names: unknown[] = Array.isArray(keys) ? keys : typeof keys === "string" ? [keys] : [];
        return Object.fromEntries(
          names.map((name) => [str(name), context.runtime.process.env(str(name)) ?? fallback]),
        );
      },
    },
    "items()": {
      doc: "All variables.\n\n    salt '*' environ.items",
      run: (context) => context.runtime.process.environment(),
    },
    "setval(key, val, false_unsets=False, permanent=False)": {
      doc: "Sets a variable to a text. False empties it, or with `false_unsets` removes it." +
        `${SCOPE}\n\n    salt '*' environ.setval EDITOR vi`,
      run: (context, { key, val, false_unsets: falseUnsets }) => setval(context, key, val, falseUnsets),
    },
    "setenv(environ, false_unsets=False, clear_all=False, update_minion=False, permanent=False)": {
      doc: "Sets several variables from a map; with `clear_all` all others are emptied or removed." +
        `${SCOPE}\n\n    salt '*' environ.setenv '{EDITOR: vi, PAGER: less}'`,
      run(context, args): Record<string, unknown> | false {
        const { environ, false_unsets: falseUnsets, clear_all: clearAll, update_minion: updateMinion, permanent } =
          args;
        if (!isMap(environ)) return false;
        const entries = entriesOf(environ).map(([key, value]): [string, unknown] => [str(key), value]);
        const names = new Set(entries.map(([name]) => name));
        const changed: [string, unknown][] = [];
        if (clearAll === true) {
          for (const name of Object.keys(context.runtime.process.environment())) {
            if (!names.has(name)) changed.push([name, setval(context, name, false, falseUnsets)]);
          }
        }
        for (const [name, value] of entries) {
          if (typeof value !== "string" && value !== false) return false;
          changed.push([name, setval(context, name, value, falseUnsets)]);
        }
        if (updateMinion === true) {
          context.master?.fireLocal("environ_setenv", {
            environ,
            false_unsets: falseUnsets,
            clear_all: clearAll,
            permanent,
          });
        }
        return Object.fromEntries(changed);
      },
    },
  }),
};
