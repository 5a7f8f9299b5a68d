import { outcome, stateFunctions, type StateModule } from "../../model/loader/states.ts";
import { str } from "../../language/python/values.ts";
import { strip } from "../../language/python/text.ts";
import { programPath } from "../commands.ts";
import { exists } from "../linux/paths.ts";
import { overwrite, readText } from "../modules/file/content.ts";

/** Configuration files of Apache. */
export const states: StateModule = {
  virtual: (context) =>
    ["apache2ctl", "apachectl"].some((name) => programPath(context, name) !== undefined) ||
    { unavailable: "apache module could not be loaded" },
  functions: stateFunctions({
    "configfile(name, config)": {
      doc: "The file has that configuration: a list of directives and sections, as `apache.config` takes it.",
      async run(context, { name, config }) {
        const wanted = str(await context.call("apache.config", [name, config], { edit: false }));
        const { fs } = context.runtime;
        const path = str(name);
        const current = exists(fs, path) ? readText(fs, path) : "";
        if (strip(wanted) === strip(current)) return outcome(name, true, "Configuration is up to date.");
        const changes = { old: current, new: wanted };
        if (context.test) return outcome(name, null, "Configuration will update.", changes);
        try {
          overwrite(context.runtime, path, `${wanted}\n`);
        } catch (error) {
          if (error instanceof Error) {
            context.log.error("cannot write the configuration", { path, error: error.message });
          }
          return outcome(name, false, "Failed to create apache configuration.");
        }
        return outcome(name, true, "Successfully created configuration.", changes);
      },
    },
  }),
};
