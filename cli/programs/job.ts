/** The process of one job: what `salt-minion` becomes when it starts itself for one. */
import type { Clock } from "../../src/base/async/clock.ts";
import type { ModuleRegistry } from "../../src/model/loader/loader.ts";
import { openHostMaster } from "../host_master.ts";
import { MINION_VARIABLE } from "./job_command.ts";
import { JOB_VARIABLE } from "../../src/host/minion/processes/job_protocol.ts";
import { runJobProcess } from "../../src/host/minion/processes/job_process.ts";
import { MODULES } from "../../src/plugins/modules/mod.ts";
import { nested } from "../../src/plugins/outputters/nested.ts";
import { currentRuntime } from "../../src/runtime/current.ts";

declare const process: {
  env: Record<string, string | undefined>;
  ppid: number;
  stderr: { write(text: string): boolean };
  on(event: string, handler: (error: unknown) => void): void;
  exit(code: number): never;
};

export interface JobProgramOptions {
  /** @default those of Brine */
  modules?: ModuleRegistry;
  /** Modules that are loaded before there is a job. @default those that most jobs call */
  preload?: readonly string[];
}

/** Takes the way that every job takes, from the words of its arguments to the packed return. */
const REHEARSAL = { fun: "test.echo", arg: ["rehearsal"], jid: "", tgt: "", tgt_type: "glob", ret: "" };

/** How often the minion is checked for, and the time for an orderly end once it has gone. */
const LOOK_MS = 1000;
const ORPHANED_MS = 10_000;

/**
 * Ends this process some time after its minion. A connection that closes shows that sooner, but Deno hands on its listening
 * sockets to child processes: one that connects as the minion dies is held by its siblings, and never answered.
 */
function endWithMinion(clock: Clock): void {
  const parent = Number(process.env[MINION_VARIABLE] ?? process.ppid);
  delete process.env[MINION_VARIABLE];
  const look = () => {
    if (process.ppid === parent) clock.after(LOOK_MS, look);
    else clock.after(ORPHANED_MS, () => process.exit(143));
  };
  clock.after(LOOK_MS, look);
}

/** Runs the one job, and ends. */
export async function jobMain({ modules = MODULES, preload = ["cmd", "test"] }: JobProgramOptions = {}): Promise<void> {
  const ticket = process.env[JOB_VARIABLE];
  if (ticket === undefined) {
    throw new TypeError("Cannot run a job: --job-process is for minions, which start processes for jobs with it");
  }
  // What a command gets of our environment must not hold it.
  delete process.env[JOB_VARIABLE];
  // Not all runtimes end by themselves then.
  for (const event of ["uncaughtException", "unhandledRejection"]) {
    process.on(event, (error) => {
      process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
      process.exit(1);
    });
  }
  const runtime = await currentRuntime();
  endWithMinion(runtime.clock);
  process.exit(
    await runJobProcess({
      runtime,
      modules,
      ticket,
      preload,
      rehearsal: REHEARSAL,
      formatInfo: (info) => nested(info, {}, {}),
      hostMaster: (log) => openHostMaster(runtime, log),
    }),
  );
}
