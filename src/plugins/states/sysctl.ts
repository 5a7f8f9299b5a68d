import { fails, messageFor } from "./outcome.ts";
import { CommandExecutionError } from "../../model/loader/family.ts";
import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { hasFunction, outcome, stateFunctions } from "../../model/loader/states.ts";
import { isMap, lookup, str, truthy } from "../../language/python/values.ts";
import { splitWords } from "../../language/python/text.ts";

const spaced = (text: string) => text.replace(/ +|\t+/g, " ");

async function predict(context: StateContext, name: unknown, value: unknown, config: unknown): Promise<StateReturn> {
  const configured = await context.call("sysctl.show", [], { config_file: config });
  const set = `${str(name)} = ${str(value)}`;
  if (configured === null || configured === undefined) {
    return outcome(
      name,
      null,
      `Sysctl option ${str(name)} might be changed, we failed to check config file at ${str(config)}. The file is ` +
        "either unreadable, or missing.",
    );
  }
  // A file that is not there has no settings.
  const inFile = isMap(configured) && lookup(configured, name) !== undefined;
  const current = str(await context.call("sysctl.get", [name]) ?? "");
  if (truthy(current) && inFile && splitWords(current).join(" ") === splitWords(str(value)).join(" ")) {
    return outcome(name, true, `Sysctl value ${set} is already set`);
  }
  if (truthy(current) && !inFile) {
    return spaced(current) !== spaced(str(value))
      ? outcome(name, null, `Sysctl option ${str(name)} set to be changed to ${str(value)}`)
      : outcome(
        name,
        null,
        "Sysctl value is currently set on the running system but not in a config file. Sysctl option " +
          `${str(name)} set to be changed to ${str(value)} in config file.`,
      );
  }
  if (!truthy(current) && inFile) {
    return outcome(
      name,
      null,
      `Sysctl value ${
        str(name)
      } is present in configuration file but is not present in the running config. The value ` +
        `${str(name)} is set to be changed to ${str(value)}`,
    );
  }
  return outcome(name, null, `Sysctl option ${str(name)} would be changed to ${str(value)}`);
}

/** Parameters of the kernel. */
export const states: StateModule = {
  functions: stateFunctions({
    "present(name, value, config=None)": {
      doc: "The parameter has that value, now and after the next boot.",
      async run(context, args) {
        const { name, value } = args;
        const config = args.config ??
          (await hasFunction(context, "sysctl.default_config")
            ? await context.call("sysctl.default_config")
            : "/etc/sysctl.conf");
        if (context.test) return await predict(context, name, value, config);
        const done = await context.call("sysctl.persist", [name, value, config]).catch(
          fails(`Failed to set ${str(name)} to ${str(value)}: `, messageFor(CommandExecutionError)),
        );
        const set = `${str(name)} = ${str(value)}`;
        if (done === "Updated") return outcome(name, true, `Updated sysctl value ${set}`, { [str(name)]: value });
        return outcome(name, true, done === "Already set" ? `Sysctl value ${set} is already set` : "");
      },
    },
  }),
};
