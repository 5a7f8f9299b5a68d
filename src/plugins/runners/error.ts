import type { RunnerModule } from "../../loader/family.ts";
import { str } from "../../python/repr.ts";

/** Fails on purpose, to see how an error is shown. */
export const runner: RunnerModule = {
  functions: {
    error: {
      signature: "name=None, message=''",
      doc:
        "Raises an error with this name; without a name, returns an empty map.\n\n    salt-run error.error name=Exception message=Oops",
      run(_context, { name, message }) {
        if (name === null) return {};
        throw Object.assign(new Error(str(message)), { name: str(name) });
      },
    },
  },
};
