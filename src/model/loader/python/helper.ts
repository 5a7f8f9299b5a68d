/** The process that runs Python modules: started on first use, kept for a while, and ended with this process. */
import { AsyncQueue } from "../../../base/async/queue.ts";
import { type Deferred, deferred } from "../../../base/async/deferred.ts";
import { messageOf } from "../../../base/errors.ts";
import { LOG_LEVELS, type Logger } from "../../../base/log.ts";
import { fieldsOf, isFloat, isMap, listOf, lookup, str } from "../../../language/python/values.ts";
import { frame, FrameReader } from "../../../protocol/wire/frames.ts";
import { decode } from "../../../protocol/wire/msgpack.ts";
import type { Child } from "../../../runtime/process.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { CommandExecutionError } from "../family.ts";
import type { JobOrder, JobPublisher } from "../job_publisher.ts";
import { BOOT } from "./boot.ts";
import { hostErrorOf, told } from "./python_error.ts";
import { Shared, type SharedValues } from "./shared_values.ts";

/** Functions of one kind that Python modules may call. */
export interface Callable {
  /** Looks up a function; undefined if it does not exist. */
  find(name: string): Promise<{ doc: string; run: object } | undefined>;
  run(name: string, positional: unknown[], keyword: Record<string, unknown>): Promise<unknown>;
  names(): Promise<string[]>;
}

/** The caller of a function in a Python module, with the values that the function receives. */
export interface PythonCaller extends SharedValues {
  readonly log: Logger;
  readonly signal?: AbortSignal;
  ownProcess?(pid: number): void;
  /** Functions by kind, under Salt's names: `modules`, `states`, `runners`. */
  readonly callable: Partial<Record<string, Callable>>;
  /** The return code of the job, which both processes may set. */
  code?: { get(): unknown; set(code: number): void };
  /** Reports the progress of a runner. */
  progress?(data: unknown): Promise<void>;
  /** Jobs on minions, for what runs beside a master. */
  jobs?: JobPublisher;
  /** Starts a runner without waiting for it, for an engine of a master. @returns its jid */
  startRunner?(fun: string, arg: unknown[], kwarg: Record<string, unknown>): Promise<string>;
  /** The bus of an engine. */
  events?: {
    /** Keeps events from now on. */
    listen(): void;
    /** The next event; null if none comes in time. */
    next(waitMs: number): Promise<{ tag: string; data: Record<string, unknown> } | null>;
    /** @param here true for the bus of the engine's host, also if that has a master */
    fire(tag: string, data: unknown, here: boolean): Promise<void>;
  };
}

/** What a function of a file is called with. */
export interface GivenArguments {
  positional: unknown[];
  keyword: Record<string, unknown>;
  /** Names that the module gets while the function runs. @default none */
  globals?: Record<string, unknown>;
  /** True if the values of a generator are a list. @default as Salt's minion returns them */
  isListed?: boolean;
}

export interface PythonFile {
  /** Identifies a version of a file: it changes with the file. */
  key: string;
  kind: string;
  name: string;
  path: string;
  /** False for a module of Salt's own package. */
  own: boolean;
}

/** Milliseconds for the interpreter to start, and for a module to be imported. */
const START_MS = 30_000;
/** Milliseconds for importing a module of Salt's package: hundreds of them may be requested at once. */
const LENT_MS = 600_000;
/** Milliseconds that a helper gets to end after its job was ended. */
const GRACE_MS = 2000;
/** Milliseconds after which an idle helper is ended: it would keep this process from ending. */
const IDLE_MS = 30_000;
/** Loads that Python has at a time: the one that runs, and the next. */
const LOADS_AHEAD = 2;
/** Bytes of one message from the helper, at most. */
const MAX_BYTES = 257 * 1024 * 1024;
/** Bytes that the helper may print in one call; the rest is dropped. */
const MAX_PRINTED_BYTES = 64 * 1024;
/** Characters of the helper's last output that an error shows. */
const LAST_WORDS = 1000;

/** Levels of Python's log that Brine has, too. */
const LEVELS = ["critical", "error", "warning", "info", "trace"] as const;

/** Functions that a helper runs: if a module in the same helper calls one, the helper calls it directly. */
const LINKS = new WeakMap<object, { helper: object; key: string; name: string }>();

interface Pending {
  caller: PythonCaller;
  answer: Deferred<unknown>;
}

/** The message that stands for one with a value that cannot be read here: it fails its own call, and no other. */
function unreadable(error: unknown, body: Uint8Array): Record<string, unknown> {
  // What comes before the value is read again, up to the same error.
  const head: Record<"op" | "n" | "c", unknown> = { op: undefined, n: undefined, c: undefined };
  try {
    decode(body, { mode: "bin", apart: head });
  } catch {
    if (head.n === undefined) throw error;
  }
  const { op, n, c } = head;
  const message = `The value cannot be read: ${messageOf(error)}`;
  if (op !== undefined) return { op: "unreadable", n, c, message };
  return { n, e: { kinds: ["ValueError", "Exception"], message, traceback: `ValueError: ${message}\n` } };
}

class Running {
  readonly #child: Child;
  readonly #input: AsyncQueue<Uint8Array>;
  readonly #runtime: Pick<Runtime, "process" | "clock">;
  readonly shared: Shared;
  readonly loaded = new Map<string, Promise<unknown>>();
  readonly pending = new Map<number, Pending>();
  /** Loads that have not begun. */
  readonly #waiting: (() => void)[] = [];
  /** Loads that begin now, and are not pending yet. */
  #beginning = 0;
  /** What modules have asked and was not answered. */
  #questions = 0;
  #last = 0;
  ended = false;

  constructor(
    child: Child,
    input: AsyncQueue<Uint8Array>,
    runtime: Pick<Runtime, "process" | "clock">,
    shared: Shared,
  ) {
    this.#child = child;
    this.#input = input;
    this.#runtime = runtime;
    this.shared = shared;
  }

  get pid(): number {
    return this.#child.pid;
  }

  send(message: Record<string, unknown>): void {
    this.#input.offer(frame(message));
  }

  /** Sends a request and resolves with the answer. @param limitMs timeout in milliseconds, after which the helper is ended */
  async ask(caller: PythonCaller, message: Record<string, unknown>, limitMs?: number): Promise<unknown> {
    caller.signal?.throwIfAborted();
    if (this.ended) throw new CommandExecutionError("The Python helper has ended");
    const number = ++this.#last;
    const bytes = frame({ ...message, n: number });
    const pending: Pending = { caller, answer: deferred<unknown>() };
    this.pending.set(number, pending);
    this.#input.offer(bytes);
    const stop = () => {
      pending.answer.reject(caller.signal!.reason);
      this.end();
    };
    caller.signal?.addEventListener("abort", stop, { once: true });
    const cancel = limitMs === undefined ? () => {} : this.#runtime.clock.after(limitMs, () => {
      pending.answer.reject(
        new CommandExecutionError(`The Python helper has not answered within ${limitMs / 1000} seconds`),
      );
      this.end();
    });
    try {
      return await pending.answer.promise;
    } finally {
      cancel();
      caller.signal?.removeEventListener("abort", stop);
      this.pending.delete(number);
    }
  }

  /**
   * As {@link ask}, once nothing else runs there: whatever is sent while a module waits for an answer runs inside of it, and hundreds of modules would be
   * nested deeper than Python allows.
   */
  async askInTurn(caller: PythonCaller, message: () => Record<string, unknown>, limitMs: number): Promise<unknown> {
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      this.#next();
    });
    this.#beginning--;
    try {
      return await this.ask(caller, message(), limitMs);
    } finally {
      this.#next();
    }
  }

  /**
   * Begins the next load. If Python waits for an answer, which may need just that load, it has nothing else to do. Otherwise one
   * more load is sent ahead, so that Python does not wait for this process.
   */
  #next(): void {
    if (this.#questions === 0) {
      while (this.pending.size + this.#beginning < LOADS_AHEAD && this.#waiting.length > 0) {
        this.#begin(this.#waiting.shift());
      }
      return;
    }
    if (this.pending.size + this.#beginning > this.#questions) return;
    this.#runtime.clock.after(0, () => {
      if (this.pending.size + this.#beginning <= this.#questions) this.#begin(this.#waiting.pop());
    });
  }

  #begin(load: (() => void) | undefined): void {
    if (load === undefined) return;
    this.#beginning++;
    load();
  }

  /** Answers a question of a module. */
  async during<T>(answer: () => Promise<T>): Promise<T> {
    this.#questions++;
    this.#next();
    try {
      return await answer();
    } finally {
      this.#questions--;
    }
  }

  signal(how: "SIGTERM" | "SIGKILL"): void {
    try {
      this.#runtime.process.kill(-this.pid, how);
    } catch {
      // The process group is gone, and its number may belong to another user.
    }
  }

  /** Ends the process, and the processes that its modules have started. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.signal("SIGTERM");
    const off = this.#runtime.clock.after(GRACE_MS, () => this.signal("SIGKILL"));
    void this.#child.exited.then(off);
  }

  /** Lets the process end when its work is done. */
  close(): void {
    this.ended = true;
    this.#input.close();
  }
}

/** Runs the Python modules of this process. If the helper has died, the next call starts a new one. */
export class PythonHelper {
  readonly #runtime: Runtime;
  readonly #python: string;
  readonly #options: { salt: boolean; sources: () => Promise<Record<string, string>> };
  #running: Promise<Running> | undefined;
  #printed = 0;
  #lastWords = "";
  #isStale = false;
  /** Number of calls that have not ended. */
  #busy = 0;
  #notIdle = () => {};

  constructor(
    runtime: Runtime,
    python: string,
    options: { salt: boolean; sources: () => Promise<Record<string, string>> },
  ) {
    this.#runtime = runtime;
    this.#python = python;
    this.#options = options;
  }

  /** Path of the interpreter. */
  get python(): string {
    return this.#python;
  }

  /** Modules may have changed: with the next call, the helper forgets which modules it has found. */
  forget(): void {
    this.#isStale = true;
  }

  link(run: object, key: string, name: string): void {
    LINKS.set(run, { helper: this, key, name });
  }

  /** Loads a file and returns its description. */
  async load(caller: PythonCaller, file: PythonFile): Promise<unknown> {
    return await this.#during(async () => await this.#loaded(await this.#ready(caller), caller, file));
  }

  /** Calls a function of a file. */
  async call(
    caller: PythonCaller,
    file: PythonFile,
    name: string,
    given: GivenArguments,
  ): Promise<unknown> {
    return await this.#during(async () => await this.#call(caller, file, name, given));
  }

  async #call(
    caller: PythonCaller,
    file: PythonFile,
    name: string,
    given: GivenArguments,
  ): Promise<unknown> {
    const running = await this.#ready(caller);
    await this.#loaded(running, caller, file);
    this.#printed = 0;
    return await running.ask(caller, {
      op: "call",
      key: file.key,
      f: name,
      a: given.positional,
      k: given.keyword,
      ...(given.globals === undefined ? {} : { g: given.globals }),
      ...(given.isListed === true ? { listed: true } : {}),
      rc: caller.code?.get() ?? 0,
      s: this.#changes(running, caller),
    });
  }

  /** Runs a text as a module, and calls its function `run`. @param names additional names for the module */
  async runText(caller: PythonCaller, text: string, path: string, names: Record<string, unknown>): Promise<unknown> {
    return await this.#during(async () => {
      const running = await this.#ready(caller);
      return await running.ask(caller, { op: "run_text", text, path, names, s: this.#changes(running, caller) });
    });
  }

  /** Keeps the process during a request, and for a while after it. */
  async #during<T>(work: () => Promise<T>): Promise<T> {
    this.#notIdle();
    this.#busy++;
    try {
      return await work();
    } finally {
      if (--this.#busy === 0 && this.#running !== undefined) {
        this.#notIdle = this.#runtime.clock.after(IDLE_MS, () => void this.close());
      }
    }
  }

  /** Ends the process when it is idle. */
  async close(): Promise<void> {
    this.#notIdle();
    const running = this.#running;
    this.#running = undefined;
    (await running?.catch(() => undefined))?.close();
  }

  #changes(running: Running, caller: PythonCaller): Record<string, unknown> | null {
    const changes = running.shared.changes(caller);
    if (!this.#isStale) return changes;
    this.#isStale = false;
    return { ...changes, forget: true };
  }

  #loaded(running: Running, caller: PythonCaller, { key, kind, name, path, own }: PythonFile): Promise<unknown> {
    let loaded = running.loaded.get(key);
    if (loaded === undefined) {
      // What has changed is sent with what is sent first.
      const asked = () => ({ op: "load", key, kind, name, path, own, s: this.#changes(running, caller) });
      running.loaded.set(key, loaded = running.askInTurn(caller, asked, own ? START_MS : LENT_MS));
      loaded.catch(() => running.loaded.delete(key));
    }
    return loaded;
  }

  async #ready(caller: PythonCaller): Promise<Running> {
    let running = this.#running;
    if (running === undefined || (await running.catch(() => undefined))?.ended !== false) {
      if (this.#running === running) this.#running = this.#start(caller);
      running = this.#running!;
    }
    const found = await running;
    caller.ownProcess?.(found.pid);
    return found;
  }

  async #start(caller: PythonCaller): Promise<Running> {
    const { process } = this.#runtime;
    const input = new AsyncQueue<Uint8Array>({ limit: Infinity });
    const reader = new FrameReader(MAX_BYTES, unreadable);
    const early = deferred<Running>();
    const sources = new TextEncoder().encode(JSON.stringify(await this.#options.sources()));
    const head = new Uint8Array(4);
    new DataView(head.buffer).setUint32(0, sources.length);
    input.offer(head);
    input.offer(sources);
    this.#lastWords = "";
    this.#printed = 0;
    const child = await process.spawn({
      argv: [this.#python, "-I", "-c", BOOT],
      env: process.environment(),
      detached: true,
      stdin: input,
      onStdout: async (chunk) => {
        const running = await early.promise;
        try {
          reader.push(chunk);
          for (let message = reader.next(); message !== undefined; message = reader.next()) {
            this.#receive(running, message);
          }
        } catch (error) {
          this.#lost(running, `sent what cannot be read: ${messageOf(error)}`);
          running.end();
        }
      },
      onStderr: (chunk) => this.#print(caller.log, chunk),
    });
    const running = new Running(child, input, this.#runtime, new Shared());
    early.resolve(running);
    void child.exited.then(({ code, signal }) => {
      running.ended = true;
      this.#lost(running, signal === null ? `exited with ${code}` : `was killed by ${signal}`);
    });
    caller.ownProcess?.(child.pid);
    const { salt } = this.#options;
    await running.ask(caller, { op: "start", salt, level: levelOf(caller.log) }, START_MS);
    return running;
  }

  /** Rejects the requests that a dead helper has not answered. */
  #lost(running: Running, how: string): void {
    const words = this.#lastWords.trim();
    for (const { answer } of running.pending.values()) {
      answer.reject(
        new CommandExecutionError(`The Python helper ${this.#python} ${how}${words === "" ? "" : `: ${words}`}`),
      );
    }
  }

  #print(log: Logger, chunk: Uint8Array): void {
    const text = new TextDecoder().decode(chunk.subarray(-MAX_PRINTED_BYTES));
    this.#lastWords = (this.#lastWords + text).slice(-LAST_WORDS);
    if (this.#printed > MAX_PRINTED_BYTES) return;
    this.#printed += chunk.length;
    log.debug("a Python module printed", { text: text.trimEnd() });
    if (this.#printed > MAX_PRINTED_BYTES) log.warning("a Python module prints much: the rest is dropped", {});
  }

  #receive(running: Running, message: unknown): void {
    if (!isMap(message)) throw new TypeError("a message must be a map");
    const op = lookup(message, "op");
    if (op === "log") return this.#log(running, message);
    const number = Number(lookup(message, "n"));
    if (op !== undefined) {
      const caller = running.pending.get(Number(lookup(message, "c")))?.caller;
      void running.during(() => this.#answer(running, number, String(op), message, caller));
      return;
    }
    const pending = running.pending.get(number);
    if (pending === undefined) return;
    const error = lookup(message, "e");
    if (error !== undefined) return pending.answer.reject(hostErrorOf(this, error));
    const code = lookup(message, "rc");
    if (typeof code === "number" && Number.isInteger(code)) pending.caller.code?.set(code);
    pending.answer.resolve(lookup(message, "r") ?? null);
  }

  #log(running: Running, message: Parameters<typeof lookup>[0]): void {
    const first = running.pending.values().next().value;
    const log = first?.caller.log;
    if (log === undefined) return;
    const said = str(lookup(message, "level")).toLowerCase();
    const level = LEVELS.find((one) => one === said) ?? "debug";
    log[level](str(lookup(message, "text")), { module: str(lookup(message, "name")) });
  }

  /** Answers a request of a module while it runs. */
  async #answer(
    running: Running,
    n: number,
    op: string,
    message: Parameters<typeof lookup>[0],
    caller: PythonCaller | undefined,
  ): Promise<void> {
    const answer: Record<string, unknown> = { n };
    try {
      const field = (name: string) => lookup(message, name);
      if (op === "unreadable") throw Object.assign(new Error(str(field("message"))), { name: "ValueError" });
      if (op === "progress") {
        await caller?.progress?.(field("data"));
        answer.r = null;
      } else if (op === "event" || op === "fire" || op === "listen") {
        const { events } = caller ?? {};
        if (events === undefined) throw new CommandExecutionError("Only engines hear and fire events");
        if (op === "listen") events.listen();
        answer.r = op === "event" ? await events.next(Number(field("wait")) * 1000) : null;
        if (op === "fire") await events.fire(str(field("tag")), field("data"), field("here") === true);
      } else if (op === "expand" || op === "publish" || op === "answers") {
        answer.r = await this.#jobs(caller, op, field) ?? null;
      } else if (op === "start") {
        if (caller?.startRunner === undefined) {
          throw new CommandExecutionError("Only engines of a master start runners");
        }
        answer.r = await caller.startRunner(str(field("f")), listOf(field("a")), fieldsOf(field("k")));
      } else {
        const kind = str(field("kind"));
        const callable = caller?.callable[kind];
        const code = field("rc");
        if (typeof code === "number") caller?.code?.set(code);
        answer.r = await this.#ask(running, callable, kind, op, field);
      }
    } catch (error) {
      answer.e = told(this, error);
    }
    answer.rc = caller?.code?.get() ?? 0;
    if (running.ended) return;
    try {
      running.send(answer);
    } catch (error) {
      running.send({ n, e: { kind: "TypeError", message: `The value cannot be sent: ${messageOf(error)}` } });
    }
  }

  /** Expands a target, publishes a job, or asks for the returns of one. */
  async #jobs(
    caller: PythonCaller | undefined,
    op: "expand" | "publish" | "answers",
    field: (name: string) => unknown,
  ): Promise<unknown> {
    const { jobs } = caller ?? {};
    if (jobs === undefined) {
      throw new CommandExecutionError(
        "Only runners, and engines of a master, publish jobs without waiting: use publish.publish",
      );
    }
    if (op === "expand") return await jobs.expand(field("target") as { tgt: string | string[]; tgt_type: string });
    if (op === "publish") return await jobs.publish(field("order") as JobOrder);
    const wait = field("wait");
    const waitMs = typeof wait === "number" || isFloat(wait) ? Number(wait) * 1000 : undefined;
    return await jobs.answers(str(field("jid")), waitMs, field("missing") as string[]);
  }

  async #ask(
    running: Running,
    callable: Callable | undefined,
    kind: string,
    op: string,
    field: (name: string) => unknown,
  ): Promise<unknown> {
    if (op === "names") return await callable?.names() ?? [];
    const name = str(field("f"));
    if (op === "find") {
      const found = await callable?.find(name);
      if (found === undefined) return null;
      const link = LINKS.get(found.run);
      // The search has loaded the function's file into this helper: it can call the function directly.
      if (link?.helper === this && running.loaded.has(link.key)) return { module: link.key, function: link.name };
      return { doc: found.doc };
    }
    if (callable === undefined) throw new CommandExecutionError(`No functions of ${kind} can be called from here`);
    const positional = field("a");
    const keyword = field("k");
    return await callable.run(
      name,
      Array.isArray(positional) ? positional : [],
      isMap(keyword) ? (keyword instanceof Map ? Object.fromEntries(keyword) : keyword) : {},
    ) ?? null;
  }
}

/** The most detailed level that a logger records. */
const levelOf = (log: Logger): string => LOG_LEVELS.find((level) => log.enabled(level)) ?? "quiet";
