/** The messages between a supervisor and a process that it has started, in the frames of `wire/frames.ts`. */
import type { LogLevel } from "../../base/log.ts";

/** The environment variable of a supervised process: its token, a blank, and the path of the socket. */
export const PART_VARIABLE = "BRINE_PART";

/** The version of the protocol. Both sides must have the same: the files of a program may be replaced while it runs. */
export const PROTOCOL_VERSION = 1;

/** The answer to a request of the other side. */
export type PartReplyMessage = { type: "reply"; id: number; value?: unknown; error?: string };

export type FromPart =
  /** The first message; no other message is accepted before it. */
  | { type: "hello"; token: string; version: number }
  /** The process has loaded its modules and accepts requests. */
  | { type: "ready" }
  /** The answer to a heartbeat. */
  | { type: "beat" }
  | { type: "log"; level: LogLevel; name: string; message: string; fields: Record<string, unknown> }
  /** Asks the supervisor (`PartOptions.answers`). Without an id there is no reply. */
  | { type: "ask"; id?: number; kind: string; args: unknown[] }
  | PartReplyMessage;

export type ToPart =
  /** @param level the most detailed level that is logged */
  | { type: "start"; part: string; level: LogLevel; config: Uint8Array }
  /** Changes the level that is logged. */
  | { type: "level"; level: LogLevel }
  | { type: "beat" }
  | { type: "request"; id: number; kind: string; body: Uint8Array }
  | PartReplyMessage;
