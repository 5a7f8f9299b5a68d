import type { RunnerContext, RunnerModule } from "../../model/loader/family.ts";
import { sdbFunctions } from "../sdb/functions.ts";

type Functions = ReturnType<typeof sdbFunctions>;

/** A master has no pillar of its own: its profiles are in its configuration. */
const ofMaster = ({ runtime, log, opts }: RunnerContext) => ({ runtime, log, opts, pillar: {} });

/** Values of `sdb://` addresses, by the profiles of the master. */
export const runner: RunnerModule = {
  functions: Object.fromEntries(
    Object.entries(sdbFunctions("salt-run", "uri")).map((
      [name, { run, ...one }]: [string, Functions[keyof Functions]],
    ) => [
      name,
      { ...one, run: (context, args) => run(ofMaster(context), args) },
    ]),
  ) as RunnerModule["functions"],
};
