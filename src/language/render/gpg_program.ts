import type { Runtime } from "../../runtime/runtime.ts";

/** The most bytes of messages and status lines that are kept. */
const MAX_SAID_BYTES = 1024 * 1024;
/** How long the pipes of a killed gpg may stay open, in milliseconds. */
const DRAIN_MS = 1000;

interface GpgCall {
  /** The arguments after the word `gpg`. */
  args: readonly string[];
  /** The standard input of gpg. @default nothing */
  stdin?: Uint8Array;
  /** The command before `gpg` that runs it as another user. */
  prefix?: readonly string[];
  uid?: number;
  gid?: number;
  cwd?: string;
  /** The environment of gpg. @default that of this process */
  env?: Record<string, string>;
  /** The time for gpg, in milliseconds. */
  timeoutMs: number;
  /** The most bytes of output. */
  largest: number;
  signal?: AbortSignal;
  /** Called with the process id as soon as gpg runs. */
  started?(pid: number): void;
}

export interface GpgRun {
  /** The exit code; null if gpg was killed. */
  code: number | null;
  /** The output; undefined if it is larger than allowed. */
  output: Uint8Array | undefined;
  /** The messages, with status lines if `--status-fd 2` was given. */
  said: string;
  /** True if gpg was killed because of the time limit. */
  late: boolean;
}

/**
 * Runs the program gpg, without a shell, in bounded time and memory.
 *
 * @throws the runtime's error if there is no such program; the signal's reason if the signal aborts
 */
export async function runGpg({ process, clock }: Pick<Runtime, "process" | "clock">, call: GpgCall): Promise<GpgRun> {
  const out: Uint8Array[] = [];
  let [size, heard, said, late] = [0, 0, "", false];
  const errors = new TextDecoder();
  const end = () => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // The process has ended already.
    }
  };
  const child = await process.spawn({
    argv: [...call.prefix ?? [], "gpg", ...call.args],
    cwd: call.cwd,
    env: call.env ?? process.environment(),
    uid: call.uid,
    gid: call.gid,
    detached: true,
    stdin: call.stdin,
    onStdout: (chunk) => {
      size += chunk.length;
      if (size <= call.largest) out.push(chunk.slice());
      else end();
    },
    onStderr: (chunk) => {
      heard += chunk.length;
      if (heard <= MAX_SAID_BYTES) said += errors.decode(chunk, { stream: true });
    },
  });
  call.started?.(child.pid);
  const stopped = Promise.withResolvers<undefined>();
  const stop = () => {
    end();
    // A child that left the process group may still hold the pipes.
    clock.after(DRAIN_MS, () => stopped.resolve(undefined));
  };
  const cancel = clock.after(call.timeoutMs, () => {
    late = true;
    stop();
  });
  call.signal?.addEventListener("abort", stop, { once: true });
  if (call.signal?.aborted === true) stop();
  try {
    const status = await Promise.race([child.exited, stopped.promise]);
    call.signal?.throwIfAborted();
    return { code: status?.code ?? null, output: size > call.largest ? undefined : joined(out, size), said, late };
  } finally {
    cancel();
    call.signal?.removeEventListener("abort", stop);
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
