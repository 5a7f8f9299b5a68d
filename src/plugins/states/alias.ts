import { outcome, stateFunctions, type StateModule } from "../../model/loader/states.ts";
import { str, truthy } from "../../language/python/values.ts";
import { aliasEntry } from "../modules/aliases.ts";

/** Aliases of mail addresses, in the file of the option `aliases.file`. */
export const states: StateModule = {
  functions: stateFunctions({
    "present(name, target)": {
      doc: "The alias has that target, an address or a list of them.",
      async run(context, { name, target }) {
        if (truthy(await context.call("aliases.has_target", [name, target]))) {
          return outcome(name, true, `Alias ${str(name)} already present`);
        }
        aliasEntry(name, target);
        const entry = `${str(name)} -> ${str(target)}`;
        if (context.test) return outcome(name, null, `Alias ${entry} is set to be added`);
        return truthy(await context.call("aliases.set_target", [name, target]))
          ? outcome(name, true, `Set email alias ${entry}`, { alias: name })
          : outcome(name, false, `Failed to set alias ${entry}`);
      },
    },
    "absent(name)": {
      doc: "There is no such alias.",
      async run(context, { name }) {
        if (!truthy(await context.call("aliases.get_target", [name]))) {
          return outcome(name, true, `Alias ${str(name)} already absent`);
        }
        if (context.test) return outcome(name, null, `Alias ${str(name)} is set to be removed`);
        return truthy(await context.call("aliases.rm_alias", [name]))
          ? outcome(name, true, `Removed alias ${str(name)}`, { alias: name })
          : outcome(name, false, `Failed to remove alias ${str(name)}`);
      },
    },
  }),
};
