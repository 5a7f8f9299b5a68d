/** The process of one job: the program that `salt-minion` starts for each job. */
import type { ModuleRegistry } from "../../src/model/loader/loader.ts";
import { openLocalHostMaster } from "../host_master.ts";
import { childMain } from "./child.ts";
import { runJobProcess } from "../../src/host/minion/processes/job_process.ts";
import { MODULES } from "../../src/plugins/modules/mod.ts";
import { nested } from "../../src/plugins/outputters/nested.ts";

interface JobProgramOptions {
  /** Execution modules. @default those of Brine */
  modules?: ModuleRegistry;
  /** Modules to load before the job arrives. @default those that most jobs use */
  preload?: readonly string[];
}

/** A job that runs all code of a typical job, from the words of its arguments to the packed return, so that it is loaded. */
const REHEARSAL = { fun: "test.echo", arg: ["rehearsal"], jid: "", tgt: "", tgt_type: "glob", ret: "" };

/** Runs one job, and ends. */
export async function jobMain({ modules = MODULES, preload = ["cmd", "test"] }: JobProgramOptions = {}): Promise<void> {
  await childMain((runtime, ticket) =>
    runJobProcess({
      runtime,
      modules,
      ticket,
      preload,
      rehearsal: REHEARSAL,
      formatInfo: (info) => nested(info, {}, {}),
      hostMaster: (log) => openLocalHostMaster(runtime, log),
    })
  );
}
