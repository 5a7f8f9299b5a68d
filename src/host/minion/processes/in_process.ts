import type { Context } from "../../../model/loader/family.ts";
import type { FunctionTable } from "../../../model/loader/loader.ts";
import type { Execution } from "./execution.ts";
import { executeJob } from "./executor.ts";

export interface InProcessOptions {
  functions: FunctionTable;
  /** The state of the minion as a job begins. @param master address of the master that sent the job */
  context(master?: string): Context;
  /** Formats the information of a command's failure: the nested outputter. */
  formatInfo?: ((info: unknown) => string) | undefined;
}

/** Runs jobs in this process. */
export function inProcess({ functions, context, formatInfo }: InProcessOptions): Execution {
  return {
    run: async (request) => {
      await request.begin?.();
      return await executeJob({ functions, formatInfo, ...request, context: () => context(request.master) });
    },
    renew: () => {},
    close: () => Promise.resolve(),
  };
}
