import { codeOf } from "../base/errors.ts";

export type Signal =
  | "SIGTERM"
  | "SIGINT"
  | "SIGHUP"
  | "SIGKILL"
  | "SIGUSR1"
  | "SIGUSR2"
  | "SIGSTOP"
  | "SIGCONT"
  | "SIGQUIT";

export interface SpawnOptions {
  /** The program and its arguments; no shell interprets them. */
  argv: readonly string[];
  cwd?: string | undefined;
  /** The whole environment of the child. */
  env?: Record<string, string> | undefined;
  /**
   * Written to the program's standard input, at once or when the promise resolves; the input is then closed. Of several chunks the next one is
   * asked for when the program has read enough of those before; the iteration is ended when the program no longer reads.
   * @default nothing
   */
  stdin?: Uint8Array | Promise<Uint8Array> | AsyncIterable<Uint8Array> | undefined;
  uid?: number | undefined;
  gid?: number | undefined;
  /** Starts the program in a new session, so that its children can be ended with it. @default false */
  detached?: boolean;
  /** Called with output as it arrives. While a promise that it returned is pending, that pipe is not read: the child has to wait. */
  onStdout?(chunk: Uint8Array): void | Promise<void>;
  onStderr?(chunk: Uint8Array): void | Promise<void>;
}

export interface ExitStatus {
  /** The exit code; null if a signal ended the program. */
  code: number | null;
  signal: string | null;
}

export interface Child {
  readonly pid: number;
  /** Resolves once the child has ended and its output has been delivered. */
  readonly exited: Promise<ExitStatus>;
  kill(signal?: Signal | number): void;
}

/** How a program ended, and what it printed. */
export interface Finished {
  /** The exit code; null if a signal ended the program. */
  code: number | null;
  stdout: Uint8Array;
}

export interface ProcessAccount {
  name: string;
  uid: number;
  gid: number;
}

/**
 * Programs and signals as the core needs them of a runtime.
 *
 * @internal
 */
export interface ProcessHost {
  readonly pid: number;
  readonly argv: readonly string[];
  /** `"linux"`, `"darwin"`, … as Node names them. */
  readonly platform: string;
  env(name: string): string | undefined;
  environment(): Record<string, string>;
  /** Sets a variable of this process, which programs started from then on inherit; undefined removes it. */
  setEnv(name: string, value: string | undefined): void;
  /** The working directory. @throws {SystemError} with `ENOENT` if it has been removed */
  cwd(): string;
  /** The number of the current user; undefined on a system without user numbers. */
  uid(): number | undefined;
  gid(): number | undefined;
  umask(mask?: number): number;
  /**
   * Becomes another user permanently: supplementary groups, group, then user, in every thread; checks that the process cannot
   * switch back.
   *
   * @throws {SystemError} `EPERM`; a part may have been changed by then, so the process MUST end
   */
  become(user: ProcessAccount): void;
  /** Starts a program. @throws {SystemError} `ENOENT` if the program or directory does not exist */
  spawn(options: SpawnOptions): Promise<Child>;
  /**
   * Runs a short program to its end while everything else waits. For synchronous code that needs a small answer, such as the
   * number of a user. The program's error output is dropped.
   *
   * @returns undefined if it cannot be started, takes longer or prints more than allowed
   */
  runNow(argv: readonly string[], limits: { timeoutMs: number; maxBytes: number }): Finished | undefined;
  /** Handles a signal. The returned function removes the handler. */
  onSignal(signal: Signal, handler: () => void): () => void;
  /** Sends a signal; false if there is no such process. A negative `pid` means the process group. */
  kill(pid: number, signal: Signal | number): boolean;
  alive(pid: number): boolean;
  exit(code: number): never;
  /** Bytes of this process's memory that are resident. */
  residentMemory(): number;
}

/**
 * The message for a daemon that cannot start its own program any more, because the file was removed: every part of the daemon
 * that needs another process fails from then on. Undefined for any other error.
 *
 * @param error of starting the program
 * @param daemon as people know it: `salt-minion`
 */
export function programGone(error: unknown, daemon: string): string | undefined {
  if (codeOf(error) !== "ENOENT" || typeof error !== "object" || error === null || !("program" in error)) {
    return undefined;
  }
  return `the program file ${error.program} of the running ${daemon} is gone: install Brine again and restart ` +
    `${daemon}, or stop ${daemon}`;
}
