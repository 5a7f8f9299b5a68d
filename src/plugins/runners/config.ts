import { shownMasterConfig } from "../../model/config/salt_defaults.ts";
import { runnerFunctions, type RunnerModule } from "../../model/loader/family.ts";
import { traverse } from "../../language/python/traverse.ts";

export const runner: RunnerModule = {
  functions: runnerFunctions({
    "get(key: str, default='', delimiter: str=':')": {
      doc: "A value of the master's configuration; parts of the way to it are separated by colons. Passwords and" +
        " secrets are hidden.\n\n" +
        "    salt-run config.get nodegroups:web",
      run: ({ opts }, { key, default: fallback, delimiter }) => {
        const found = traverse(shownMasterConfig(opts), key, delimiter);
        return found === undefined ? fallback : found;
      },
    },
  }),
};
