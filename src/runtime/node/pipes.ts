import type { Readable } from "node:stream";
import { deferred } from "../../base/async/deferred.ts";
import type { SpawnOptions } from "../process.ts";
import { builtin } from "./builtin.ts";

/** The function that receives the output of a program. */
type PipeReceiver = SpawnOptions["onStdout"];

/**
 * Passes output on as it arrives, and leaves it in the pipe while the receiver is not ready for more.
 *
 * @param known resolves when the caller has the child: no output is delivered before
 * @returns resolves when the pipe has been read to its end
 */
export function deliver(pipe: Readable | null, to: PipeReceiver, known: Promise<void>): Promise<void> {
  const read = deferred<void>();
  for (const end of ["end", "close", "error"]) pipe?.once(end, () => read.resolve());
  let isKnown = false;
  void known.then(() => isKnown = true);
  let open = 0;
  const taken = () => {
    if (--open === 0) pipe?.resume();
  };
  pipe?.on("data", (chunk: Uint8Array) => {
    const taking = isKnown ? to?.(chunk) : known.then(() => to?.(chunk));
    if (taking === undefined) return;
    open++;
    pipe.pause();
    taking.then(taken, taken);
  });
  return read.promise.then(() => known);
}

/**
 * Pipes for the standard streams of programs. Node and Bun give a program sockets, and `/dev/stdout`, `/dev/stderr` and `/dev/stdin`
 * cannot be opened if they are sockets.
 *
 * Neither can make a pipe, so the program `mkfifo` makes named ones, many at once. Their names are removed before the first is used:
 * each pipe is held by a descriptor. A pipe is used once, since a program may keep its end open.
 */
export interface Pipes {
  /** A pipe that a program writes into; undefined where none can be made. */
  output(): { child: number; deliver(to: PipeReceiver, known: Promise<void>): Promise<void> } | undefined;
  /**
   * A file that holds the whole input of a program, in memory: a named pipe whose other end is closed already could not be opened
   * again. Undefined where none can be made, or for much input.
   */
  input(bytes: Uint8Array): number | undefined;
}

/** Reads descriptors without blocking the thread. */
export interface DescriptorStreams {
  /** As {@link deliver}; closes the descriptor at the end. */
  deliver(descriptor: number, to: PipeReceiver, known: Promise<void>): Promise<void>;
}

/** Pipes that are made at once: enough for a few programs, and few enough to be held by descriptors. */
const BATCH = 64;
/** The most bytes of input that are copied into a file in memory; larger input would take too much memory twice. */
const MAX_INPUT_BYTES = 1 << 20;
/** The flag of `open` that holds a file without opening it. Node has no constant for it. */
const O_PATH = 0o10000000;

/** Reads descriptors with Node's sockets, which take any descriptor that can be polled. */
export const nodeStreams: DescriptorStreams = {
  deliver: (fd, to, known) =>
    deliver(new (builtin("node:net").Socket)({ fd, readable: true, writable: false }), to, known),
};

/** See {@link Pipes.input}. */
function inputFile(bytes: Uint8Array): number | undefined {
  const fs = builtin("node:fs");
  const { O_CREAT, O_EXCL, O_RDONLY, O_WRONLY } = fs.constants;
  if (bytes.length > MAX_INPUT_BYTES) return undefined;
  const path = `/dev/shm/brine-input-${crypto.randomUUID()}`;
  let written: number | undefined;
  try {
    written = fs.openSync(path, O_CREAT | O_EXCL | O_WRONLY, 0o600);
    const child = fs.openSync(path, O_RDONLY);
    fs.unlinkSync(path);
    // Readable by all: the file has no name, so only the program gets it, which may run as another user.
    fs.fchmodSync(written, 0o444);
    for (let at = 0; at < bytes.length;) at += fs.writeSync(written, bytes, at);
    return child;
  } catch {
    // The place for the file is full or missing: the program gets its input through a socket.
    return undefined;
  } finally {
    if (written !== undefined) fs.closeSync(written);
  }
}

/** Removes files and their directory; the directory stays if another process has put a file into it. */
function removeNames(paths: readonly string[], directory: string | undefined): void {
  const fs = builtin("node:fs");
  for (const path of paths) {
    try {
      fs.unlinkSync(path);
    } catch {
      // The file was never made.
    }
  }
  try {
    if (directory !== undefined) fs.rmdirSync(directory);
  } catch {
    // The directory is not empty: another user has put something into it.
  }
}

/** Descriptors of pipes that nobody has opened yet, for all runtimes of this process; undefined where none can be made. */
let held: number[] | undefined = [];

export function fifoPipes(streams: DescriptorStreams): Pipes {
  const fs = builtin("node:fs");
  const { O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants;

  function make(): number[] | undefined {
    for (const base of new Set([builtin("node:os").tmpdir(), "/dev/shm", "/run"])) {
      let directory: string | undefined;
      let paths: string[] = [];
      const made: number[] = [];
      try {
        directory = fs.mkdtempSync(`${base}/brine-pipes-`);
        paths = Array.from({ length: BATCH }, (_, at) => `${directory}/${at}`);
        // The mode allows a program that runs as another user to use its descriptor; nobody reaches the pipe by its name.
        builtin("node:child_process").spawnSync("mkfifo", ["-m", "666", ...paths], { stdio: "ignore" });
        for (const path of paths) made.push(fs.openSync(path, O_PATH));
        fs.closeSync(reopen(made[0]!, O_RDONLY | O_NONBLOCK));
        return made;
      } catch {
        // mkfifo or /proc is missing, or the directory is full: the next directory is tried. Without any, programs get sockets.
        for (const descriptor of made) fs.closeSync(descriptor);
      } finally {
        removeNames(paths, directory);
      }
    }
    return undefined;
  }

  const reopen = (descriptor: number, flags: number) => fs.openSync(`/proc/self/fd/${descriptor}`, flags);

  /** Opens the next pipe. @param ends opens the ends of the pipe; if it fails, it closes what it has opened */
  function next<T>(ends: (descriptor: number) => T): T | undefined {
    if (held?.length === 0) held = make();
    const descriptor = held?.pop();
    if (descriptor === undefined) return undefined;
    try {
      return ends(descriptor);
    } catch {
      return undefined;
    } finally {
      fs.closeSync(descriptor);
    }
  }

  /** Opens an end of a pipe for each of `flags`; if one fails, closes the others. */
  function opened(descriptor: number, ...flags: number[]): number[] {
    const ends: number[] = [];
    try {
      for (const flag of flags) ends.push(reopen(descriptor, flag));
      return ends;
    } catch (error) {
      for (const end of ends) fs.closeSync(end);
      throw error;
    }
  }

  return {
    output: () =>
      next((descriptor) => {
        const [ours, child] = opened(descriptor, O_RDONLY | O_NONBLOCK, O_WRONLY);
        return { child: child!, deliver: (to, known) => streams.deliver(ours!, to, known) };
      }),
    input: inputFile,
  };
}
