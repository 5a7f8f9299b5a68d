import { outcome, stateFunctions, type StateModule } from "../../model/loader/states.ts";
import { type Args, entriesOf, isMap, str, truthy } from "../../language/python/values.ts";

/** What becomes of the variables: name → value, null for one that goes. */
function changesTo(
  now: Readonly<Record<string, string>>,
  wanted: readonly (readonly [string, unknown])[],
  { false_unsets: falseUnsets, clear_all: clearAll }: Args,
): Record<string, unknown> {
  const changes = new Map<string, unknown>();
  const names = new Set(wanted.map(([name]) => name));
  const gone = falseUnsets === true ? null : "";
  if (clearAll === true) { for (const name of Object.keys(now)) if (!names.has(name)) changes.set(name, gone); }
  for (const [name, value] of wanted) {
    const before = now[name];
    if (value !== false) {
      if ((before ?? "") !== value) changes.set(name, value);
    } else if (gone === null ? before !== undefined : before !== "") changes.set(name, gone);
  }
  return Object.fromEntries(changes);
}

/** Variables of the environment. */
export const states: StateModule = {
  functions: stateFunctions({
    "setenv(name, value, false_unsets=False, clear_all=False, update_minion=False, permanent=False)": {
      doc:
        "The variable, or each of a map of them, has that value. False empties it, or with `false_unsets` removes it; " +
        "`clear_all` does so with all others.",
      async run(context, args) {
        const { name, value } = args;
        if (typeof value !== "string" && value !== false && !isMap(value)) {
          return outcome(name, false, "Environ value must be string, dict or False");
        }
        const wanted = isMap(value)
          ? entriesOf(value).map(([key, item]) => [str(key), item] as const)
          : [[str(name), value] as const];
        const changes = changesTo(context.runtime.process.environment(), wanted, args);
        const changed = Object.keys(changes).length > 0;
        if (wanted.some(([, one]) => typeof one !== "string" && one !== false)) {
          return outcome(name, false, "Failed to set environ variables", changes);
        }
        // A dry run answers True here, whatever it would change.
        if (context.test) {
          const comment = changed
            ? "Environ values will be changed"
            : "Environ values are already set with the correct values";
          return outcome(name, true, comment, changes);
        }
        if (!changed) return outcome(name, true, "Environ values were already set with the correct values");
        const { false_unsets, clear_all, update_minion, permanent } = args;
        const environ = Object.fromEntries(wanted);
        const done = await context.call("environ.setenv", [environ, false_unsets, clear_all, update_minion, permanent]);
        if (!truthy(done)) return outcome(name, false, "Failed to set environ variables", changes);
        return outcome(name, true, "Environ values were set", done as Record<string, unknown>);
      },
    },
  }),
};
