import { deferred } from "../../../base/async/deferred.ts";
import { messageOf } from "../../../base/errors.ts";
import type { JobContext } from "../../../model/loader/context.ts";
import { killGroups } from "../../../feature/supervise/kill_groups.ts";
import { frame } from "../../../protocol/wire/frames.ts";
import { encode, pack } from "../../../protocol/wire/msgpack.ts";
import { type JobOutcome, packReturn, runJob } from "./executor.ts";
import { OUTPUT_WINDOW, PROTOCOL_VERSION, type SentOutcome, type ToJob } from "./job_protocol.ts";
import { MinionLink, type MinionMessage } from "./minion_link.ts";
import { packable } from "./minion_state.ts";
import { type ProcessContext, processContext, type ProcessContextOptions } from "./process_context.ts";

export interface JobProcessOptions extends ProcessContextOptions {
  /** Token and socket, as the environment has them: {@link JOB_VARIABLE}. */
  ticket: string;
  /** Modules that most jobs need: loaded while the process waits for its job. */
  preload?: readonly string[];
  /** A job that changes nothing, run while the process waits: engines compile code when it first runs. */
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
  const at = ticket.indexOf(" ");
  const connection = await runtime.net.dial({ kind: "unix", path: ticket.slice(at + 1) });
  const process = new JobProcess(new MinionLink(connection), options);
  const off = runtime.process.onSignal("SIGTERM", () => process.stop(new Error("The job was ended by signal 15")));
  process.open(ticket.slice(0, at));
  try {
    return await process.ended;
  } finally {
    off();
  }
}

/** The process of one job as it sees itself. The minion's side is `PooledProcess` (`pooled_process.ts`). */
class JobProcess {
  readonly #link: MinionLink;
  readonly #options: JobProcessOptions;
  readonly #abort = new AbortController();
  readonly #ended = deferred<number>();
  /** Processes that the job has started. */
  readonly #started = new Set<number>();
  /** Prepared while there was no job. */
  #prepared: ProcessContext | undefined;
  /** Settles when the job's function does, whatever happens to its outcome. */
  #work: Promise<unknown> | undefined;
  #stopping = false;
  #sent = false;
  /** Bytes of output that the minion has not taken yet. */
  #untaken = 0;
  #room = deferred<void>();

  constructor(link: MinionLink, options: JobProcessOptions) {
    this.#link = link;
    this.#options = options;
  }

  /** Resolves with the exit code. */
  get ended(): Promise<number> {
    return this.#ended.promise;
  }

  /** Reports to the minion. */
  open(token: string): void {
    this.#link.start({
      onMessage: (message) => this.#receive(message),
      onClose: () => {
        // The minion closes the connection when it has the outcome.
        if (this.#sent) this.#ended.resolve(0);
        else void this.stop(new Error("The minion has exited"), true);
      },
    });
    this.#link.send({ type: "hello", token, version: PROTOCOL_VERSION });
  }

  #receive(message: MinionMessage): void {
    switch (message.type) {
      case "wait":
        this.#prepared = processContext(this.#options, this.#link, message.state);
        void this.#rehearse(this.#prepared);
        break;
      case "job":
        void this.#run(message);
        break;
      case "taken":
        this.#untaken -= message.bytes;
        if (this.#untaken < OUTPUT_WINDOW) {
          this.#room.resolve();
          this.#room = deferred();
        }
        break;
    }
  }

  async #rehearse({ context, functions }: ProcessContext): Promise<void> {
    const { preload = [], rehearsal, formatInfo } = this.#options;
    // A look-up of an unknown function loads its module. An error here shows up again in the job that needs the module.
    for (const name of preload) await functions.find(`${name}._`).catch(() => {});
    if (rehearsal === undefined) return;
    const outcome = await runJob({ functions, context: () => context, load: rehearsal, formatInfo });
    frame({ type: "outcome", outcome: sentOutcome(outcome), grains: {}, lostGrains: [] });
  }

  async #run({ load, state, streams }: ToJob & { type: "job" }): Promise<void> {
    const { context, functions, grains } = state === undefined
      ? this.#prepared!
      : processContext(this.#options, this.#link, state);
    const before = { ...grains };
    const work = runJob({
      functions,
      context: () => context,
      load,
      signal: this.#abort.signal,
      ownProcess: (pid) => {
        this.#started.add(pid);
        this.#link.send({ type: "own", pid });
      },
      output: streams ? (stream, chunk) => this.#output(stream, chunk) : undefined,
      formatInfo: this.#options.formatInfo,
    });
    this.#work = work.catch(() => {});
    let outcome: JobOutcome;
    try {
      outcome = await work;
    } catch (error) {
      if (this.#stopping) return;
      throw error;
    }
    // An aborted job has no outcome: the minion that aborted it reports why.
    if (!this.#stopping) this.#sendOutcome(outcome, before, grains);
  }

  /** Sends the outcome with the grains that the job has changed. */
  #sendOutcome(outcome: JobOutcome, before: Record<string, unknown>, grains: Record<string, unknown>): void {
    const names = new Set([...Object.keys(before), ...Object.keys(grains)]);
    const changed = [...names].filter((name) => before[name] !== grains[name]);
    this.#sent = true;
    this.#link.send({
      type: "outcome",
      outcome: sentOutcome(outcome),
      grains: packable(Object.fromEntries(changed.map((name) => [name, grains[name]]))),
      lostGrains: changed.filter((name) => grains[name] === undefined),
    });
  }

  #output(...[stream, chunk]: Parameters<NonNullable<JobContext["output"]>>): void | Promise<void> {
    this.#untaken += chunk.length;
    this.#link.send({ type: "output", stream, chunk });
    if (this.#untaken >= OUTPUT_WINDOW) return this.#room.promise;
  }

  /**
   * Aborts the job, which has some time to clean up, and then ends the process.
   *
   * @param alone the minion is gone, so this process has to end those that its job started
   */
  async stop(reason: Error, alone = false): Promise<void> {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#abort.abort(reason);
    if (this.#work !== undefined) {
      const { clock, process } = this.#options.runtime;
      // With a minion there, the minion does it: it still can when this process hangs.
      if (alone) killGroups(process, this.#started, "SIGTERM");
      const until = clock.now() + GRACE_MS;
      await Promise.race([this.#work, clock.sleep(GRACE_MS)]);
      const alive = (pid: number) => process.alive(-pid) || process.alive(pid);
      while (alone && clock.now() < until && [...this.#started].some(alive)) await clock.sleep(LOOK_MS);
      if (alone) killGroups(process, this.#started, "SIGKILL");
    }
    this.#ended.resolve(alone && this.#work === undefined ? 0 : TERMINATED);
  }
}

/** An outcome in the form of the wire; one that cannot be packed becomes a failure. */
function sentOutcome(outcome: JobOutcome): SentOutcome {
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
