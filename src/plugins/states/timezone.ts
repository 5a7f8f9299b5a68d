import { CommandExecutionError, SaltInvocationError } from "../../model/loader/family.ts";
import { outcome, stateFunctions, type StateModule } from "../../model/loader/states.ts";
import { str, truthy } from "../../language/python/values.ts";
import { fails, messageFor } from "./outcome.ts";

/** The time zone of this host. */
export const states: StateModule = {
  functions: stateFunctions({
    "system(name, utc=True)": {
      doc: "The host is in that time zone, and its clock of hardware runs in UTC.",
      async run(context, { name, utc }) {
        const same = await context.call("timezone.zone_compare", [name]).catch(fails(
          `Unable to compare desired timezone '${str(name)}' to system timezone: `,
          messageFor(CommandExecutionError, SaltInvocationError),
        ));
        const clockIsUtc = await context.call("timezone.get_hwclock") !== "localtime";
        const setsZone = same !== true;
        const setsClock = truthy(utc) && !clockIsUtc;
        if (!setsZone && !setsClock) {
          const already = [
            `Timezone ${str(name)} already set`,
            ...(truthy(utc) ? [`UTC already set to ${str(name)}`] : []),
          ];
          return outcome(name, true, already.join(", "));
        }
        if (context.test) {
          const needs = [
            ...(same === false ? [`Timezone ${str(name)} needs to be set`] : []),
            ...(setsClock ? [`UTC needs to be set to ${str(utc)}`] : []),
          ];
          return outcome(name, null, needs.join(", "));
        }
        const ret = outcome(name, null, "");
        const comments: string[] = [];
        if (setsZone) {
          ret.result = truthy(await context.call("timezone.set_zone", [name]));
          if (ret.result) ret.changes.timezone = name;
          comments.push(ret.result ? `Set timezone ${str(name)}` : "Failed to set timezone");
        }
        if (setsClock) {
          ret.result = truthy(await context.call("timezone.set_hwclock", ["UTC"]));
          if (ret.result) ret.changes.utc = utc;
          comments.push(`${ret.result ? "Set UTC to" : "Failed to set UTC to"} ${str(utc)}`);
        }
        ret.comment = comments.join(", ");
        return ret;
      },
    },
  }),
};
