/**
 * The messages between a minion and the process of one job, over a Unix socket, in the frames of
 * `wire/frames.ts`.
 */
import type { OutputStream } from "../../../model/loader/context.ts";
import type { LogLevel } from "../../../base/log.ts";

/** The environment variable of a job's process: its token, a blank, and the path of the socket. */
export const JOB_VARIABLE = "BRINE_JOB";

/** Both sides must have the same version: the files of a program may be replaced while it runs. */
export const PROTOCOL_VERSION = 2;

/** Bytes of output that may be under way before the job has to wait for the minion to take them. */
export const OUTPUT_WINDOW = 256 * 1024;

/** Messages of the process of a job. */
export type FromJob =
  /** The first message: no other is accepted before it. */
  | { type: "hello"; token: string; version: number }
  | { type: "log"; level: LogLevel; name: string; message: string; fields: Record<string, unknown> }
  /** A process that works for the job. */
  | { type: "own"; pid: number }
  /** Answered with `taken` once there is room for more. */
  | { type: "output"; stream: OutputStream; chunk: Uint8Array }
  | { type: "fireLocal"; tag: string; data: Record<string, unknown> }
  /** Answered with `reply`. */
  | { type: "request"; id: number; name: RequestName; args: unknown[] }
  | { type: "outcome"; outcome: SentOutcome; grains: Record<string, unknown>; lostGrains: string[] };

/** What a job may ask of its minion. */
export type RequestName = "running" | "signal" | "fireEvent" | "master" | "pillar" | "askLocal" | "session";

/** An outcome on its way: the return as it will go to the master. */
export interface SentOutcome {
  /** Packed in the wire profile. */
  return: Uint8Array;
  retcode: unknown;
  success: unknown;
  out?: string;
}

/** Messages of the minion. */
export type ToJob =
  /** No job yet: the process loads modules in advance. */
  | { type: "wait"; state: Uint8Array }
  | {
    type: "job";
    load: Record<string, unknown>;
    /** Absent if it is still that of `wait`. */
    state?: Uint8Array;
    /** True if the caller wants live output. */
    streams: boolean;
  }
  | { type: "taken"; bytes: number }
  | { type: "reply"; id: number; value?: unknown; error?: string };

/** What a job sees of its minion; it travels packed, so that only what has changed is sent again. */
export interface MinionState {
  opts: Record<string, unknown>;
  grains: Record<string, unknown>;
  pillar: Record<string, unknown>;
  /** The most detailed level that the minion logs. */
  level: LogLevel;
  /** True if the minion has a master. */
  master: boolean;
  /** Differs when a custom module has changed: a process that waits has to load modules again. */
  customModules: string;
}
