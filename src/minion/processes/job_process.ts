/** The process of one job, seen from inside. */
import { deferred } from "../../async/deferred.ts";
import { LONG } from "../../crypto/crypticle.ts";
import { messageOf, SaltError } from "../../errors.ts";
import { type FileRequest, openFiles } from "../../fileserver/mod.ts";
import type { Context, JobContext } from "../../loader/context.ts";
import { withCustomModules } from "../../loader/custom.ts";
import type { OpenHostMaster } from "../../loader/host_master.ts";
import { createFunctionTable, functionTableOptions, type ModuleRegistry } from "../../loader/loader.ts";
import { createLogger, type LogFields, type Logger, type LogLevel, type LogRecord } from "../../log.ts";
import { type AnyMap, entriesOf, isMap } from "../../python/containers.ts";
import type { Runtime } from "../../runtime/mod.ts";
import type { Connection } from "../../runtime/net.ts";
import { release } from "../../runtime/bytes.ts";
import { decode, encode, pack } from "../../wire/msgpack.ts";
import type { JobSession } from "./bulk_requests.ts";
import { type JobOutcome, packReturn, runJob } from "./executor.ts";
import {
  frame,
  FrameReader,
  type FromJob,
  type MinionState,
  OUTPUT_WINDOW,
  PROTOCOL_VERSION,
  type RequestName,
  type SentOutcome,
  type ToJob,
} from "./job_protocol.ts";

export interface JobProcessOptions {
  runtime: Runtime;
  modules: ModuleRegistry;
  /** Token and socket, as the environment has them: {@link JOB_VARIABLE}. */
  ticket: string;
  /** Modules that most jobs need: loaded while there is time. */
  preload?: readonly string[];
  /** A job that changes nothing, run while there is time: engines compile what they run when they first run it. */
  rehearsal?: Record<string, unknown>;
  /** How the information of a command's failure is shown: the nested outputter. */
  formatInfo?(info: unknown): string;
  /** See {@link Context.hostMaster}. */
  hostMaster?: (log: Logger) => OpenHostMaster;
}

/** Time that a job has to come to its end when it is told to, and what it started when it is told by us. */
const GRACE_MS = 2000;

/** Bytes of files after which a job gets connections of its own: to make them takes longer than to fetch less than that. */
const MUCH = 512 * 1024;

/** How often it is looked whether what the job started has ended. */
const LOOK_MS = 20;

/** The code of a process that a signal asked to end. */
const TERMINATED = 143;

/**
 * Waits for a job of the minion that started this process, runs it, and sends back what came of it.
 *
 * @returns the exit code, with which the process should end at once: it is not meant for a second job
 */
export async function runJobProcess(options: JobProcessOptions): Promise<number> {
  const { runtime, ticket } = options;
  const at = ticket.indexOf(" ");
  const connection = await runtime.net.dial({ kind: "unix", path: ticket.slice(at + 1) });
  const process = new JobProcess(connection, options);
  const off = runtime.process.onSignal("SIGTERM", () => process.stop(new Error("The job was ended by signal 15")));
  process.open(ticket.slice(0, at));
  try {
    return await process.ended;
  } finally {
    off();
  }
}

type Job = ToJob & { type: "job" };

/** What a job is run with. */
interface Scene {
  context: Context;
  /** Those of the context, which a job may change. */
  grains: Record<string, unknown>;
}

class JobProcess {
  readonly #connection: Connection;
  readonly #options: JobProcessOptions;
  readonly #reader = new FrameReader();
  readonly #abort = new AbortController();
  readonly #ended = deferred<number>();
  readonly #replies = new Map<number, (reply: ToJob & { type: "reply" }) => void>();
  readonly #own = new Set<number>();
  #lastRequest = 0;
  /** Made ready while there was no job. */
  #scene: Scene | undefined;
  /** The function's own work, whatever becomes of its outcome. */
  #work: Promise<unknown> | undefined;
  #stopping = false;
  #sent = false;
  /** Bytes of output that the minion has not taken yet. */
  #untaken = 0;
  #room = deferred<void>();
  /** Bytes of files that came by way of the minion. */
  #relayed = 0;
  #bulk: Promise<FileRequest | undefined> | undefined;
  /** Those that nobody but this job holds anything of. */
  readonly #ownReplies = new WeakSet<object>();

  constructor(connection: Connection, options: JobProcessOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  get ended(): Promise<number> {
    return this.#ended.promise;
  }

  open(token: string): void {
    this.#connection.start({
      onData: (chunk) => {
        this.#reader.push(chunk);
        for (let message = this.#reader.next(); message !== undefined; message = this.#reader.next()) {
          this.#receive(message as ToJob);
        }
      },
      onClose: () => {
        // After the outcome that is how the minion says that it has it.
        if (this.#sent) this.#ended.resolve(0);
        else void this.stop(new Error("The minion is gone"), true);
      },
    });
    this.#send({ type: "hello", token, version: PROTOCOL_VERSION });
  }

  #send(message: FromJob): void {
    this.#connection.write(frame(message));
  }

  #receive(message: ToJob): void {
    switch (message.type) {
      case "wait":
        this.#scene = this.#prepare(message.state);
        void this.#rehearse(this.#scene);
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
      case "reply":
        this.#replies.get(message.id)?.(message);
        this.#replies.delete(message.id);
        break;
    }
  }

  async #rehearse({ context }: Scene): Promise<void> {
    const { preload = [], rehearsal, formatInfo } = this.#options;
    const { functions } = context;
    // To look for what is not there loads a module; what goes wrong with it goes wrong again in the job that it matters to.
    for (const name of preload) await functions.find(`${name}._`).catch(() => {});
    if (rehearsal === undefined) return;
    const outcome = await runJob({ functions, context: () => context, load: rehearsal, formatInfo });
    frame({ type: "outcome", outcome: sentOutcome(outcome), grains: {}, lostGrains: [] });
  }

  async #run(job: Job): Promise<void> {
    const { context, grains } = job.state === undefined ? this.#scene! : this.#prepare(job.state);
    const before = { ...grains };
    const { formatInfo } = this.#options;
    const work = runJob({
      functions: context.functions,
      context: () => context,
      load: job.load,
      signal: this.#abort.signal,
      ownProcess: (pid) => {
        this.#own.add(pid);
        this.#send({ type: "own", pid });
      },
      output: job.streams ? (stream, chunk) => this.#output(stream, chunk) : undefined,
      formatInfo,
    });
    this.#work = work.catch(() => {});
    let outcome: JobOutcome;
    try {
      outcome = await work;
    } catch (error) {
      if (this.#stopping) return;
      throw error;
    }
    // Whoever ended the job tells what became of it.
    if (this.#stopping) return;
    const names = new Set([...Object.keys(before), ...Object.keys(grains)]);
    const changed = [...names].filter((name) => before[name] !== grains[name]);
    this.#sent = true;
    this.#send({
      type: "outcome",
      outcome: sentOutcome(outcome),
      grains: packable(Object.fromEntries(changed.map((name) => [name, grains[name]]))),
      lostGrains: changed.filter((name) => grains[name] === undefined),
    });
  }

  #prepare(packed: Uint8Array): Scene {
    const { runtime, modules, hostMaster } = this.#options;
    const state = decode(packed, { mode: "bin" }) as MinionState;
    const grains = recordOf(state.grains);
    const opts = recordOf(state.opts);
    const log = this.#log(state.level);
    const context: Context = {
      runtime,
      log,
      opts,
      grains,
      pillar: recordOf(state.pillar),
      call: () => Promise.reject(new TypeError("Only a job can call functions")),
      functions: createFunctionTable(
        () => withCustomModules(modules, { runtime, log, opts }),
        () => context,
        functionTableOptions(opts),
      ),
      jobs: {
        running: () => this.#request("running") as Promise<Record<string, unknown>[]>,
        signal: async (jid, signal) =>
          await this.#request("signal", jid, signal) as { pid: number } | null ?? undefined,
      },
      master: state.master
        ? {
          fireEvent: async (tag, data) => await this.#request("fireEvent", tag, data) === true,
          fireLocal: (tag, data) => this.#send({ type: "fireLocal", tag, data }),
          request: (load, how = {}) => this.#request("master", load, how),
          askLocal: async (...question) =>
            await this.#request("askLocal", ...question) as Record<string, unknown> | null ?? undefined,
        }
        : undefined,
      compilePillar: async (call) => await this.#request("pillar", call) as AnyMap,
      hostMaster: hostMaster?.(log)(opts),
      files: openFiles({
        runtime,
        log: log.child("files"),
        opts,
        request: state.master ? (load, how = {}) => this.#fetch(log, load, how) : undefined,
        done: (reply) => {
          // What comes by way of the minion may share its memory with the message after it.
          if (this.#ownReplies.delete(reply as object)) release((reply as { data: Uint8Array }).data);
        },
      }),
    };
    return { context, grains };
  }

  #log(threshold: LogLevel): Logger {
    return createLogger(({ level, name, message, fields }: LogRecord) => {
      this.#send({ type: "log", level, name, message, fields: packableFields(fields) });
    }, threshold);
  }

  #request(name: RequestName, ...args: unknown[]): Promise<unknown> {
    const id = ++this.#lastRequest;
    this.#send({ type: "request", id, name, args });
    return new Promise((resolve, reject) => {
      this.#replies.set(id, ({ error, value }) => error === undefined ? resolve(value) : reject(new Error(error)));
    });
  }

  /** A request about files: by way of the minion until it becomes much. */
  async #fetch(log: Logger, ...[load, how = {}]: Parameters<FileRequest>): Promise<unknown> {
    if (how.raw && this.#relayed >= MUCH) {
      const send = await (this.#bulk ??= this.#openBulk(log));
      if (send !== undefined) {
        const reply = await send(load, how);
        if (isPiece(reply) && reply.data.length >= LONG) this.#ownReplies.add(reply);
        return reply;
      }
    }
    const reply = await this.#request("master", load, how);
    if (how.raw && isPiece(reply)) this.#relayed += reply.data.length;
    return reply;
  }

  async #openBulk(log: Logger): Promise<FileRequest | undefined> {
    const ask = async (stale?: string) => await this.#request("session", stale) as JobSession | null ?? undefined;
    const session = await ask();
    if (session === undefined) return undefined;
    // Most jobs do without.
    const { bulkRequests } = await import("./bulk_requests.ts");
    const renew = async (stale: string) => {
      const fresh = await ask(stale);
      if (fresh === undefined) throw new SaltError("NO_SESSION", "The minion has no session with the master any more");
      return fresh;
    };
    return bulkRequests({ runtime: this.#options.runtime, log: log.child("files"), session, renew });
  }

  #output(...[stream, chunk]: Parameters<NonNullable<JobContext["output"]>>): void | Promise<void> {
    this.#untaken += chunk.length;
    this.#send({ type: "output", stream, chunk });
    if (this.#untaken >= OUTPUT_WINDOW) return this.#room.promise;
  }

  /** Ends the job, which has some time to clean up, and then the process. */
  async stop(reason: Error, alone = false): Promise<void> {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#abort.abort(reason);
    if (this.#work !== undefined) {
      const { clock, process } = this.#options.runtime;
      // With a minion there, that is the minion's to do: it still can when this process hangs.
      if (alone) killGroups(process, this.#own, "SIGTERM");
      const until = clock.now() + GRACE_MS;
      await Promise.race([this.#work, clock.sleep(GRACE_MS)]);
      const alive = (pid: number) => process.alive(-pid) || process.alive(pid);
      while (alone && clock.now() < until && [...this.#own].some(alive)) await clock.sleep(LOOK_MS);
      if (alone) killGroups(process, this.#own, "SIGKILL");
    }
    this.#ended.resolve(alone && this.#work === undefined ? 0 : TERMINATED);
  }
}

/** True for a reply with bytes of a file. */
function isPiece(reply: unknown): reply is { data: Uint8Array } {
  return isMap(reply) && "data" in reply && reply.data instanceof Uint8Array;
}

/** Signals processes with all that they started. */
export function killGroups(process: Runtime["process"], pids: Iterable<number>, signal: "SIGTERM" | "SIGKILL"): void {
  for (const pid of pids) {
    try {
      process.kill(-pid, signal) || process.kill(pid, signal);
    } catch {
      // Somebody else's by now: the number was given away again.
    }
  }
}

/** The top of a map as an object: the codec makes a `Map` of one that has numbers for names. */
function recordOf(value: unknown): Record<string, unknown> {
  return value instanceof Map
    ? Object.fromEntries(entriesOf(value).map(([key, item]) => [String(key), item]))
    : isMap(value)
    ? value as Record<string, unknown>
    : {};
}

/** Without the values that are no data. */
export function packable(values: Record<string, unknown>): Record<string, unknown> {
  try {
    encode(values, "bin");
    return values;
  } catch {
    return Object.fromEntries(
      Object.entries(values).filter(([, value]) => {
        try {
          encode(value, "bin");
          return true;
        } catch {
          return false;
        }
      }),
    );
  }
}

function packableFields(fields: LogFields): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (value instanceof Error) return [name, value.message];
      try {
        encode(value, "bin");
        return [name, value];
      } catch {
        return [name, String(value)];
      }
    }),
  );
}

function sentOutcome(outcome: JobOutcome): SentOutcome {
  const { return: value, ended: _ended, ...packed } = packReturn(outcome);
  const sent = { ...packed, return: value.bytes };
  try {
    encode(sent, "bin");
    return sent;
  } catch (error) {
    // A function may set any return code.
    const text = `The minion function has a return code that cannot be sent: ${messageOf(error)}`;
    return { return: pack(text, "wire").bytes, retcode: 1, success: false, out: "nested" };
  }
}
