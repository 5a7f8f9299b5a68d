import type { Runtime } from "../../runtime/runtime.ts";

/** Bytes of messages and status lines that are kept. */
const MOST_SAID = 1024 * 1024;
/** Time that the pipes of a gpg that was ended may stay open. */
const DRAIN_MS = 1000;

/** One run of gpg. */
export interface GpgCall {
  /** What follows the word `gpg`. */
  args: readonly string[];
  /** Written to its standard input. @default nothing */
  stdin?: Uint8Array;
  /** Words before `gpg`, that make it run as another user. */
  prefix?: readonly string[];
  uid?: number;
  gid?: number;
  cwd?: string;
  /** @default our own */
  env?: Record<string, string>;
  /** Time for it, in milliseconds. */
  timeoutMs: number;
  /** Bytes of its output. */
  largest: number;
  signal?: AbortSignal;
  /** Called with its process as soon as it runs. */
  started?(pid: number): void;
}

/** What gpg did. */
export interface GpgRun {
  /** Null if it was ended. */
  code: number | null;
  /** Undefined if it is larger than allowed. */
  output: Uint8Array | undefined;
  /** Messages, and where they were asked for by `--status-fd 2` status lines. */
  said: string;
  /** Time was up. */
  late: boolean;
}

/**
 * Runs the program gpg, without a shell, in bounded time and memory.
 *
 * @throws the runtime's error if there is no such program; the signal's reason if that aborts
 */
export async function runGpg({ process, clock }: Pick<Runtime, "process" | "clock">, call: GpgCall): Promise<GpgRun> {
  const out: Uint8Array[] = [];
  let [size, heard, said, late] = [0, 0, "", false];
  const errors = new TextDecoder();
  const end = () => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended by itself.
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
      if (heard <= MOST_SAID) said += errors.decode(chunk, { stream: true });
    },
  });
  call.started?.(child.pid);
  const stopped = Promise.withResolvers<undefined>();
  const stop = () => {
    end();
    // Somebody who left its group may hold the pipes.
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
