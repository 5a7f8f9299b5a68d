/** A simulated process: environment, signals and children of the memory runtime. */
import { deferred } from "../../base/async/deferred.ts";
import { SaltError, SystemError } from "../../base/errors.ts";
import type { Child, ExitStatus, Finished, ProcessHost, Signal, SpawnOptions } from "../process.ts";

/** What a simulated program gets from its caller. */
export interface MemoryCall {
  argv: readonly string[];
  cwd: string;
  env: Record<string, string>;
  stdin: Uint8Array;
  /** The promise resolves once the text has been read: a program that awaits it has a pipe without a buffer. */
  stdout(text: string | Uint8Array): Promise<void>;
  stderr(text: string | Uint8Array): Promise<void>;
  /** Aborts when the process is killed. */
  signal: AbortSignal;
}

/** A program of the memory runtime; returns its exit code. */
export type MemoryProgram = (call: MemoryCall) => number | Promise<number>;

export interface MemoryProcessOptions {
  /** The id of this process. @default 4242 */
  pid?: number;
  argv?: readonly string[];
  env?: Record<string, string>;
  /** The user number of this process. @default 0 */
  uid?: number;
  gid?: number;
  cwd?: string;
  /** The programs that can be spawned, by the first word of `argv`. */
  programs?: Record<string, MemoryProgram>;
}

/** Thrown by `exit()`, since there is no process to end. */
export class MemoryExit extends SaltError {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super("EXIT", `The process of the memory runtime exits with ${exitCode}`);
    this.exitCode = exitCode;
  }
}

const SIGNALS: Record<number, Signal> = {
  1: "SIGHUP",
  2: "SIGINT",
  3: "SIGQUIT",
  9: "SIGKILL",
  10: "SIGUSR1",
  12: "SIGUSR2",
  15: "SIGTERM",
};
/** Signals that do not end a program. */
const HARMLESS = new Set<string | number>([0, "SIGCONT", "SIGSTOP"]);

/** What a program prints on one stream: delivered piece by piece, the next one when the receiver is ready. */
class Pipe {
  readonly #to: SpawnOptions["onStdout"];
  #last: Promise<void> | undefined;

  constructor(to: SpawnOptions["onStdout"]) {
    this.#to = to;
  }

  /** Resolves once everything has been read. */
  get drained(): Promise<void> {
    return this.#last ?? Promise.resolve();
  }

  write(text: string | Uint8Array): Promise<void> {
    const chunk = typeof text === "string" ? new TextEncoder().encode(text) : text;
    const before = this.#last;
    // If nothing is pending, the chunk is delivered at once, as tests expect.
    const taking = before === undefined ? this.#to?.(chunk) : before.then(() => this.#to?.(chunk));
    if (taking === undefined) return Promise.resolve();
    const last: Promise<void> = taking.catch(() => {}).then(() => {
      if (this.#last === last) this.#last = undefined;
    });
    return this.#last = last;
  }
}

/** The whole input of a program; the program starts once the input is complete. */
async function inputOf(stdin: SpawnOptions["stdin"]): Promise<Uint8Array> {
  if (stdin === undefined || !(Symbol.asyncIterator in stdin)) return await stdin ?? new Uint8Array(0);
  const chunks: Uint8Array[] = [];
  for await (const chunk of stdin) chunks.push(chunk);
  const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Runs a program as a child. @param onEnd called when it has ended, before its output was read */
function startChild(
  pid: number,
  program: MemoryProgram,
  { argv, cwd = "/", env = {}, stdin, onStdout, onStderr }: SpawnOptions,
  onEnd: () => void,
): Child {
  const exited = deferred<ExitStatus>();
  const killed = new AbortController();
  const stdout = new Pipe(onStdout);
  const stderr = new Pipe(onStderr);
  const over = (status: ExitStatus) => {
    onEnd();
    void Promise.all([stdout.drained, stderr.drained]).then(() => exited.resolve(status));
  };
  const kill = (signal: Signal | number = "SIGTERM") => {
    if (HARMLESS.has(signal)) return;
    over({ code: null, signal: typeof signal === "number" ? SIGNALS[signal] ?? `SIG${signal}` : signal });
    killed.abort();
  };
  const run = async () => {
    await Promise.resolve();
    const code = await program({
      argv,
      cwd,
      env,
      stdin: await inputOf(stdin),
      stdout: (text) => killed.signal.aborted ? Promise.resolve() : stdout.write(text),
      stderr: (text) => killed.signal.aborted ? Promise.resolve() : stderr.write(text),
      signal: killed.signal,
    });
    over({ code, signal: null });
  };
  // A program that throws has crashed.
  run().catch(() => over({ code: 1, signal: null }));
  return { pid, exited: exited.promise, kill };
}

/** Runs a program that returns at once; a program that returns a promise counts as one that takes too long. */
function runNow(
  call: Pick<MemoryCall, "argv" | "cwd" | "env">,
  programs: Record<string, MemoryProgram>,
  maxBytes: number,
): Finished | undefined {
  const [name = ""] = call.argv;
  if (!Object.hasOwn(programs, name)) return undefined;
  const out: number[] = [];
  const code = programs[name]!({
    ...call,
    stdin: new Uint8Array(0),
    stdout(text) {
      for (const byte of typeof text === "string" ? new TextEncoder().encode(text) : text) out.push(byte);
      return Promise.resolve();
    },
    stderr: () => Promise.resolve(),
    signal: AbortSignal.abort(),
  });
  return typeof code === "number" && out.length <= maxBytes ? { code, stdout: Uint8Array.from(out) } : undefined;
}

export function memoryProcess(options: MemoryProcessOptions = {}): ProcessHost {
  const { pid = 4242, argv = [], programs = {}, cwd = "/" } = options;
  const env = { ...options.env };
  let { uid = 0, gid = 0 } = options;
  let umask = 0o022;
  let nextPid = pid + 1;
  const children = new Map<number, (signal: Signal | number) => void>();
  const handlers = new Map<Signal, Set<() => void>>();

  function spawn(call: SpawnOptions): Promise<Child> {
    const [name = ""] = call.argv;
    if (!Object.hasOwn(programs, name)) {
      return Promise.reject(new SystemError("ENOENT", `Cannot run "${name}": ENOENT`, { program: name }));
    }
    const number = nextPid++;
    const child = startChild(number, programs[name]!, { cwd, env, ...call }, () => children.delete(number));
    children.set(number, child.kill);
    return Promise.resolve(child);
  }

  return {
    pid,
    argv,
    platform: "linux",
    env: (name) => Object.hasOwn(env, name) ? env[name] : undefined,
    environment: () => ({ ...env }),
    setEnv(name, value) {
      if (value === undefined) delete env[name];
      else env[name] = value;
    },
    cwd: () => cwd,
    uid: () => uid,
    gid: () => gid,
    umask(mask) {
      const before = umask;
      if (mask !== undefined) umask = mask;
      return before;
    },
    become(user) {
      gid = user.gid;
      uid = user.uid;
    },
    spawn,
    runNow: (argv, { maxBytes }) => runNow({ argv, cwd, env }, programs, maxBytes),
    onSignal(signal, handler) {
      const set = handlers.get(signal) ?? new Set();
      handlers.set(signal, set.add(handler));
      return () => void set.delete(handler);
    },
    kill(target, signal) {
      const number = Math.abs(target);
      if (number === pid) {
        const name = typeof signal === "number" ? SIGNALS[signal] : signal;
        if (name !== undefined) { for (const handler of [...handlers.get(name) ?? []]) handler(); }
        return true;
      }
      const child = children.get(number);
      child?.(signal);
      return child !== undefined;
    },
    alive: (target) => target === pid || children.has(target),
    exit(code): never {
      throw new MemoryExit(code);
    },
    residentMemory: () => 0,
  };
}
