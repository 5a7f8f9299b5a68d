import type { Writable } from "node:stream";
import { deferred } from "../../base/async/deferred.ts";
import { SystemError } from "../../base/errors.ts";
import { changeUser, type InitGroups } from "./become.ts";
import { builtin } from "./builtin.ts";
import { deliver, type Pipes } from "./pipes.ts";
import type { Child, ExitStatus, ProcessHost, Signal, SpawnOptions } from "../process.ts";

/** Writes the input of a program, no faster than it reads. */
async function feed(
  pipe: Writable | null,
  input: NonNullable<SpawnOptions["stdin"]>,
  child: { once(event: "exit", listener: () => void): unknown },
): Promise<void> {
  try {
    if (!(Symbol.asyncIterator in input)) return void pipe?.end(await input);
    let gone = pipe === null;
    let wake = () => {};
    const end = () => {
      gone = true;
      wake();
    };
    for (const event of ["close", "error"]) pipe?.once(event, end);
    child.once("exit", end);
    pipe?.on("drain", () => wake());
    const chunks = input[Symbol.asyncIterator]();
    while (!gone) {
      // A race with one promise for the end would leave something behind for each chunk.
      const next = await new Promise<IteratorResult<Uint8Array> | undefined>((resolve, reject) => {
        wake = () => gone && resolve(undefined);
        chunks.next().then(resolve, reject);
      });
      if (next === undefined || gone) break;
      if (next.done) return void pipe?.end();
      if (pipe?.write(next.value) === false) await new Promise<void>((resolve) => wake = resolve);
    }
    await chunks.return?.();
  } catch {
    pipe?.destroy();
  }
}

function kill(pid: number, signal: Signal | number): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    const errno = (error as NodeJS.ErrnoException).code ?? "EIO";
    if (errno === "ESRCH") return false;
    throw new SystemError(errno, `Cannot send ${signal} to process ${pid}: ${errno}`, { pid, cause: error });
  }
}

function workingDirectory(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new SystemError("ENOENT", "The working directory has been removed: change to another directory", { cause });
  }
}

function start(options: SpawnOptions, own: Pipes | undefined): Promise<Child> {
  const [program = "", ...words] = options.argv;
  const input = options.stdin instanceof Uint8Array ? own?.input(options.stdin) : undefined;
  const [stdout, stderr] = [own?.output(), own?.output()];
  const toClose = [input, stdout?.child, stderr?.child].filter((descriptor) => descriptor !== undefined);
  return new Promise((resolve, reject) => {
    let child;
    try {
      child = builtin("node:child_process").spawn(program, words, {
        cwd: options.cwd,
        env: options.env,
        detached: options.detached ?? false,
        ...(options.uid === undefined ? {} : { uid: options.uid }),
        ...(options.gid === undefined ? {} : { gid: options.gid }),
        stdio: [
          options.stdin === undefined ? "ignore" : input ?? "pipe",
          stdout?.child ?? "pipe",
          stderr?.child ?? "pipe",
        ],
      });
    } catch (error) {
      for (const pipe of [stdout, stderr]) void pipe?.deliver(undefined, Promise.resolve());
      return reject(failure(error));
    } finally {
      // The program has its own copies now; with these open, the ends of the pipes would never be seen.
      for (const descriptor of toClose) builtin("node:fs").closeSync(descriptor);
    }
    const running = child;
    // On Deno `signalCode` is set as soon as a signal is sent.
    let gone = false;
    running.once("exit", () => gone = true);
    function failure(error: unknown): SystemError {
      const errno = (error as NodeJS.ErrnoException).code ?? "EIO";
      return new SystemError(errno, `Cannot run "${program}": ${errno}`, { program, cause: error });
    }
    // `close` rather than `exit`: it waits until both pipes have been read to their ends.
    const exited = new Promise<ExitStatus>((done) => {
      running.once("close", (code, signal) => {
        // On Bun, `close` can come before the last of the output.
        void Promise.all(pipes).then(() => done({ code, signal }));
      });
    });
    running.once("error", (error) => {
      reject(failure(error));
      known.resolve();
    });
    running.once("spawn", () => {
      resolve({
        pid: running.pid!,
        exited,
        kill(signal = "SIGTERM") {
          // Does not use the child's own method, which on Deno works only once: the second signal may be SIGKILL.
          if (!gone) kill(running.pid!, signal);
        },
      });
      setImmediate(known.resolve);
    });
    // Reads from the start: Node discards the unread output of a program that has ended. On Bun, output comes before the event `spawn`, too.
    const known = deferred<void>();
    const pipes = [
      stdout?.deliver(options.onStdout, known.promise) ?? deliver(running.stdout, options.onStdout, known.promise),
      stderr?.deliver(options.onStderr, known.promise) ?? deliver(running.stderr, options.onStderr, known.promise),
    ];
    if (options.stdin !== undefined && input === undefined) {
      // A program may well end without reading all of its input.
      running.stdin?.on("error", () => {});
      void feed(running.stdin, options.stdin, running);
    }
  });
}

/**
 * This process, over `node:process` and `node:child_process`.
 *
 * @param initGroups sets supplementary groups, for a runtime without such a function
 * @param pipes for the standard streams of programs, where the runtime makes sockets of them
 */
export function nodeProcess({ initGroups, pipes }: { initGroups?: InitGroups; pipes?: Pipes } = {}): ProcessHost {
  return {
    pid: process.pid,
    get argv() {
      return process.argv.slice(2);
    },
    platform: process.platform,
    env: (name) => process.env[name],
    environment: () =>
      Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== undefined)) as Record<
        string,
        string
      >,
    setEnv(name, value) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    },
    cwd: workingDirectory,
    uid: () => process.getuid?.(),
    gid: () => process.getgid?.(),
    umask: (mask) => mask === undefined ? process.umask() : process.umask(mask),
    become: (user) => changeUser(user, initGroups),
    spawn: (options) => start(options, pipes),
    runNow: ([program = "", ...words], { timeoutMs, maxBytes }) => {
      const { error, status, stdout } = builtin("node:child_process").spawnSync(program, words, {
        stdio: ["ignore", "pipe", "ignore"],
        timeout: timeoutMs,
        killSignal: "SIGKILL",
        maxBuffer: maxBytes,
      });
      return error === undefined ? { code: status, stdout: new Uint8Array(stdout) } : undefined;
    },
    onSignal(signal, handler) {
      process.on(signal, handler);
      return () => void process.off(signal, handler);
    },
    kill,
    alive(pid) {
      try {
        process.kill(pid, 0);
        return true;
      } catch (error) {
        // EPERM means that the process is alive and belongs to another user.
        return (error as NodeJS.ErrnoException).code === "EPERM";
      }
    },
    exit: (code) => process.exit(code),
    residentMemory: () => process.memoryUsage().rss,
  };
}
