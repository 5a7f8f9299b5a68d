import { within } from "../../../base/async/within.ts";
import { deferred } from "../../../base/async/deferred.ts";
import { messageOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import type { JobContext } from "../../../model/loader/family.ts";
import { killGroups } from "../../../feature/supervise/part_door.ts";
import { type PartHandlers, type PartHost, servePart } from "../../../feature/supervise/serve_part.ts";
import { frame } from "../../../protocol/wire/frames.ts";
import { decode, encode, pack } from "../../../protocol/wire/msgpack.ts";
import { executeJob, type JobOutcome, packReturn } from "./execute_job.ts";
import { type JobResult, type JobWork, OUTPUT_WINDOW } from "./job_protocol.ts";
import { packable } from "./minion_state.ts";
import { type ProcessContext, processContext, type ProcessContextOptions } from "./process_context.ts";

interface JobProcessOptions extends ProcessContextOptions {
  /** Token and socket, as the environment has them: `PART_VARIABLE`. */
  ticket: string;
  /** Modules that most jobs need: loaded while the process waits for its job. */
  preload?: readonly string[];
  /** A job that changes nothing, run while the process waits, because JavaScript engines compile code when it first runs. */
  rehearsal?: Record<string, unknown>;
  /** Formats the information of a command's failure: the nested outputter. */
  formatInfo?(info: unknown): string;
}

/** Time that an aborted job has to clean up, and then the processes that it started. */
const GRACE_MS = 2000;

/** The interval at which the process looks whether those that its job started have ended. */
const LOOK_MS = 20;

/** The exit code of a process that SIGTERM has ended. */
const TERMINATED = 143;

/**
 * Waits for a job of the minion that started this process, runs it, and sends back its outcome.
 *
 * @returns the exit code; the process should exit with it at once, because it is not meant for a second job
 */
export async function runJobProcess(options: JobProcessOptions): Promise<number> {
  const { runtime, ticket } = options;
  const ended = deferred<number>();
  let job: JobProcess | undefined;
  const off = runtime.process.onSignal("SIGTERM", () => {
    const stopped = job?.stop(new Error("The job was ended by signal 15")) ?? Promise.resolve();
    void stopped.then(() => ended.resolve(TERMINATED));
  });
  const served = servePart({
    runtime,
    ticket,
    open: (_part, _config, log, minion) => (job = new JobProcess(options, minion, log)).handlers,
  });
  try {
    return await Promise.race([served, ended.promise]);
  } finally {
    off();
  }
}

/** The process of one job as it sees itself. The minion's side is `PooledProcess` (`pooled_process.ts`). */
class JobProcess {
  readonly #options: JobProcessOptions;
  readonly #minion: PartHost;
  readonly #log: Logger;
  readonly #abort = new AbortController();
  readonly #started = new Set<number>();
  /** Prepared while there was no job. */
  #prepared: ProcessContext | undefined;
  /** Settles when the job's function does, whatever happens to its outcome. */
  #work: Promise<unknown> | undefined;
  #stopping: Promise<void> | undefined;
  /** How many bytes of output the minion has not taken yet. */
  #untaken = 0;
  #room = deferred<void>();

  constructor(options: JobProcessOptions, minion: PartHost, log: Logger) {
    this.#options = options;
    this.#minion = minion;
    this.#log = log;
  }

  readonly handlers: PartHandlers = {
    prepare: (state) => this.#rehearse(this.#prepared = this.#context(state)),
    job: (body) => this.#run(decode(body, { mode: "bin" }) as JobWork),
    // The minion has the outcome, or is gone.
    close: () => this.#work === undefined ? undefined : this.stop(new Error("The minion has exited"), true),
  };

  #context(state: Uint8Array): ProcessContext {
    return processContext(this.#options, this.#minion, this.#log, state);
  }

  async #rehearse({ context, functions }: ProcessContext): Promise<void> {
    const { preload = [], rehearsal, formatInfo } = this.#options;
    // A look-up of an unknown function loads its module. An error here shows up again in the job that needs the module.
    for (const name of preload) await functions.find(`${name}._`).catch(() => {});
    if (rehearsal === undefined) return;
    const outcome = await executeJob({ functions, context: () => context, load: rehearsal, formatInfo });
    frame({ type: "reply", value: { ...sentOutcome(outcome), grains: {}, lostGrains: [] } });
  }

  async #run({ load, state, streams }: JobWork): Promise<JobResult> {
    const { context, functions, grains } = state === undefined ? this.#prepared! : this.#context(state);
    const before = { ...grains };
    const work = executeJob({
      cleansUp: true,
      functions,
      context: () => context,
      load,
      signal: this.#abort.signal,
      ownProcess: (pid) => {
        this.#started.add(pid);
        this.#minion.tell("own", pid);
      },
      output: streams ? (stream, chunk) => this.#output(stream, chunk) : undefined,
      formatInfo: this.#options.formatInfo,
    });
    this.#work = work.catch(() => {});
    const outcome = await work.catch((error) => {
      if (this.#stopping === undefined) throw error;
    });
    // An aborted job has no outcome: the minion that aborted it reports why.
    if (outcome === undefined || this.#stopping !== undefined) return await new Promise<never>(() => {});
    this.#work = undefined;
    return { ...sentOutcome(outcome), ...changes(before, grains) };
  }

  #output(...[stream, chunk]: Parameters<NonNullable<JobContext["output"]>>): void | Promise<void> {
    this.#untaken += chunk.length;
    const taken = () => {
      this.#untaken -= chunk.length;
      if (this.#untaken >= OUTPUT_WINDOW) return;
      this.#room.resolve();
      this.#room = deferred();
    };
    this.#minion.ask("output", stream, chunk).then(taken, taken);
    if (this.#untaken >= OUTPUT_WINDOW) return this.#room.promise;
  }

  /**
   * Aborts the job, which has some time to clean up.
   *
   * @param alone the minion is gone, so this process has to end those that its job started
   */
  stop(reason: Error, alone = false): Promise<void> {
    return this.#stopping ??= this.#stop(reason, alone);
  }

  async #stop(reason: Error, alone: boolean): Promise<void> {
    this.#abort.abort(reason);
    if (this.#work === undefined) return;
    const { clock, process } = this.#options.runtime;
    // With a minion there, the minion does it: it still can when this process hangs.
    if (alone) killGroups(process, this.#started, "SIGTERM");
    const until = clock.now() + GRACE_MS;
    await within(clock, GRACE_MS, undefined, this.#work);
    const alive = (pid: number) => process.alive(-pid) || process.alive(pid);
    while (alone && clock.now() < until && [...this.#started].some(alive)) await clock.sleep(LOOK_MS);
    if (alone) killGroups(process, this.#started, "SIGKILL");
  }
}

function changes(
  before: Record<string, unknown>,
  grains: Record<string, unknown>,
): Pick<JobResult, "grains" | "lostGrains"> {
  const names = new Set([...Object.keys(before), ...Object.keys(grains)]);
  const changed = [...names].filter((name) => before[name] !== grains[name]);
  return {
    grains: packable(Object.fromEntries(changed.map((name) => [name, grains[name]]))),
    lostGrains: changed.filter((name) => grains[name] === undefined),
  };
}

/** Returns an outcome in the form of the wire; an outcome that cannot be packed becomes a failure. */
function sentOutcome(outcome: JobOutcome): Omit<JobResult, "grains" | "lostGrains"> {
  const { return: value, ended: _ended, ...packed } = packReturn(outcome);
  const sent = { ...packed, return: value.bytes };
  try {
    encode(sent, "bin");
    return sent;
  } catch (error) {
    // A function may set any return code.
    const text = `The return code of the function cannot be sent: ${messageOf(error)}`;
    return { return: pack(text, "wire").bytes, retcode: 1, success: false, out: "nested" };
  }
}
