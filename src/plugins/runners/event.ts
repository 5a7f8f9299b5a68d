import { runnerFunctions, type RunnerModule, SaltInvocationError } from "../../model/loader/family.ts";
import { entriesOf, isMap, repr, str } from "../../language/python/values.ts";

export const runner: RunnerModule = {
  functions: runnerFunctions({
    "send(tag: str, data=None)": {
      doc: "Fires an event on the master's bus.\n\n    salt-run event.send my/tag '{\"done\": true}'",
      async run(context, { tag, data }) {
        if (data !== null && !isMap(data)) {
          throw new SaltInvocationError(`The data of an event must be a map, not ${repr(data)}`);
        }
        await context.fire(
          tag,
          data === null ? {} : Object.fromEntries(entriesOf(data).map(([key, value]) => [str(key), value])),
        );
        return true;
      },
    },
  }),
};
