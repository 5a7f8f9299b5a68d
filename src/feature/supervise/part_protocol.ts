/** The messages between a supervisor and the process of a part, in the frames of `wire/frames.ts`. */
import type { LogLevel } from "../../base/log.ts";

/** The environment variable of a part's process: its token, a blank, and the path of the socket. */
export const PART_VARIABLE = "BRINE_PART";

/** Both sides must have the same version: the files of a program may be replaced while it runs. */
export const PROTOCOL_VERSION = 1;

/** Messages of the process. */
export type FromPart =
  /** The first message: no other is accepted before it. */
  | { type: "hello"; token: string; version: number }
  /** The process has loaded its modules and accepts requests. */
  | { type: "ready" }
  /** The answer to a heartbeat. */
  | { type: "beat" }
  | { type: "log"; level: LogLevel; name: string; message: string; fields: Record<string, unknown> }
  | { type: "reply"; id: number; value?: unknown; error?: string };

/** Messages of the supervisor. */
export type ToPart =
  /** @param level the most detailed level that is logged */
  | { type: "start"; part: string; level: LogLevel; config: Uint8Array }
  | { type: "beat" }
  | { type: "request"; id: number; kind: string; body: Uint8Array };
