/** The process of one job: what `salt-minion` becomes when it starts itself for one. */
import type { ModuleRegistry } from "../../src/model/loader/loader.ts";
import { openHostMaster } from "../host_master.ts";
import { childMain } from "./child.ts";
import { runJobProcess } from "../../src/host/minion/processes/job_process.ts";
import { MODULES } from "../../src/plugins/modules/mod.ts";
import { nested } from "../../src/plugins/outputters/nested.ts";

export interface JobProgramOptions {
  /** @default those of Brine */
  modules?: ModuleRegistry;
  /** Modules that are loaded before there is a job. @default those that most jobs call */
  preload?: readonly string[];
}

/** Takes the way that every job takes, from the words of its arguments to the packed return. */
const REHEARSAL = { fun: "test.echo", arg: ["rehearsal"], jid: "", tgt: "", tgt_type: "glob", ret: "" };

/** Runs the one job, and ends. */
export async function jobMain({ modules = MODULES, preload = ["cmd", "test"] }: JobProgramOptions = {}): Promise<void> {
  await childMain((runtime, ticket) =>
    runJobProcess({
      runtime,
      modules,
      ticket,
      preload,
      rehearsal: REHEARSAL,
      formatInfo: (info) => nested(info, {}, {}),
      hostMaster: (log) => openHostMaster(runtime, log),
    })
  );
}
