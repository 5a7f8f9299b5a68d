import { CommandExecutionError } from "../../model/loader/family.ts";
import { outcome, stateFunctions, type StateModule } from "../../model/loader/states.ts";
import { str, truthy } from "../../language/python/values.ts";
import { parseLocale } from "../modules/locale.ts";

/** Locales: the one of the system, and those that are there. */
export const states: StateModule = {
  functions: stateFunctions({
    "system(name)": {
      doc: "The system's locale is that one.",
      async run(context, { name }) {
        try {
          if (await context.call("locale.get_locale") === name) {
            return outcome(name, true, `System locale ${str(name)} already set`);
          }
          parseLocale(name);
          if (context.test) return outcome(name, null, `System locale ${str(name)} needs to be set`);
          return truthy(await context.call("locale.set_locale", [name]))
            ? outcome(name, true, `Set system locale ${str(name)}`, { locale: name })
            : outcome(name, false, `Failed to set system locale to ${str(name)}`);
        } catch (error) {
          if (!(error instanceof CommandExecutionError)) throw error;
          return outcome(name, false, `Failed to set system locale: ${error.message}`);
        }
      },
    },
    "present(name)": {
      doc: "There is such a locale; it is generated if need be.",
      async run(context, { name }) {
        if (truthy(await context.call("locale.avail", [name]))) {
          return outcome(name, true, `Locale ${str(name)} is already present`);
        }
        if (context.test) return outcome(name, null, `Locale ${str(name)} needs to be generated`);
        return truthy(await context.call("locale.gen_locale", [name]))
          ? outcome(name, true, `Generated locale ${str(name)}`, { locale: name })
          : outcome(name, false, `Failed to generate locale ${str(name)}`);
      },
    },
  }),
};
