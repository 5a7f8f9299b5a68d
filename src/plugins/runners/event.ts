import { runnerFunctions, type RunnerModule, SaltInvocationError } from "../../model/loader/family.ts";
import { entriesOf, isMap } from "../../language/python/containers.ts";
import { repr, str } from "../../language/python/repr.ts";

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
