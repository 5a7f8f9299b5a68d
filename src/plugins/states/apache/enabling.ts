import type { Context } from "../../../model/loader/family.ts";
import type { StateContext, StateModule, StateReturn } from "../../../model/loader/states.ts";
import { outcome, stateFunctions } from "../../../model/loader/states.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { operand, programPath } from "../../commands.ts";

/** One kind of what Debian's Apache enables: the end of its functions, and its word in comments. */
interface Kind {
  word: "mod" | "site" | "conf";
  title: string;
}

async function turned(context: StateContext, { word, title }: Kind, on: boolean, name: unknown): Promise<StateReturn> {
  const done = on ? "enabled" : "disabled";
  const program = `a2${on ? "en" : "dis"}${word}`;
  operand(name, `a name for ${program}`);
  if (truthy(await context.call(`apache.check_${word}_enabled`, [name])) === on) {
    return outcome(name, true, `${str(name)} already ${done}.`);
  }
  const changes = on ? { old: null, new: name } : { old: name, new: null };
  if (context.test) return outcome(name, null, `Apache ${title} ${str(name)} is set to be ${done}.`, changes);
  const { Status: status } = await context.call(`apache.${program}`, [name]) as Record<string, unknown>;
  if (typeof status === "string" && status.includes(done)) return outcome(name, true, "", changes);
  const why = typeof status === "string" ? ` (${status})` : "";
  return outcome(name, false, `Failed to ${on ? "enable" : "disable"} ${str(name)} Apache ${title}${why}`);
}

export function enabling(kind: Kind): StateModule {
  const { word, title } = kind;
  const run = (on: boolean) => (context: StateContext, { name }: Args) => turned(context, kind, on, name);
  return {
    virtual: (context: Context) =>
      (context.grains.os_family === "Debian" && programPath(context, `a2en${word}`) !== undefined) ||
      { unavailable: "apache module could not be loaded" },
    functions: stateFunctions({
      "enabled(name)": { doc: `The ${title} of Debian's Apache is enabled.`, run: run(true) },
      "disabled(name)": {
        doc: `The ${title} of Debian's Apache is disabled.`,
        run: run(false),
      },
    }),
  };
}

/** Configurations of Debian's Apache. */
export const CONFIGURATIONS = enabling({ word: "conf", title: "conf" });

/** Modules of Debian's Apache. */
export const MODULES = enabling({ word: "mod", title: "module" });

/** Sites of Debian's Apache. */
export const SITES = enabling({ word: "site", title: "site" });
