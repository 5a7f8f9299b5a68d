import { deferred } from "../../base/async/deferred.ts";
import { createLogger, type LogFields, type Logger, type LogLevel } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { frame, FrameReader } from "../../protocol/wire/frames.ts";
import { decode, encode } from "../../protocol/wire/msgpack.ts";
import { type FromPart, PROTOCOL_VERSION, type ToPart } from "./part_protocol.ts";
import { replyFrame, Requests } from "./requests.ts";

/**
 * The functions that answer requests, by kind; their results are packed. `close`, if present, is called when the supervisor
 * closes the connection or has died: the process ends once `close` has resolved.
 */
export type PartHandlers = Record<string, (body: Uint8Array) => unknown>;

export interface PartHost {
  /** Sends a question to the supervisor. Rejects with its error; never settles if the supervisor has died, because this process then ends. */
  ask(kind: string, ...args: unknown[]): Promise<unknown>;
  /** Sends a message to the supervisor that has no answer. */
  tell(kind: string, ...args: unknown[]): void;
}

interface ServePartOptions {
  runtime: Runtime;
  /** The token and the socket, from the environment variable `PART_VARIABLE`. */
  ticket: string;
  /**
   * Prepares the part.
   *
   * @param part the name of the part
   * @param config the configuration from the supervisor
   * @param log writes to the log of the supervisor
   */
  open(part: string, config: unknown, log: Logger, host: PartHost): Promise<PartHandlers> | PartHandlers;
}

/**
 * Serves the supervisor that started this process: answers its requests and heartbeats until it closes the connection.
 *
 * @returns the exit code; the process should exit with it at once
 */
export async function servePart(options: ServePartOptions): Promise<number> {
  const { runtime, ticket, open } = options;
  const at = ticket.indexOf(" ");
  const connection = await runtime.net.dial({ kind: "unix", path: ticket.slice(at + 1) });
  const send = (message: FromPart) => void connection.write(frame(message));
  const ended = deferred<number>();
  const reader = new FrameReader();
  const threshold: { level: LogLevel } = { level: "quiet" };
  const log = createLogger(({ level, name, message, fields }) => {
    send({ type: "log", level, name, message, fields: packableFields(fields) });
  }, threshold);
  const asked = new Requests();
  const host: PartHost = {
    async ask(kind, ...args) {
      const { id, reply } = asked.add();
      send({ type: "ask", id, kind, args });
      const { value, error } = await reply as { value?: unknown; error?: string };
      if (error !== undefined) throw new Error(error);
      return value;
    },
    tell: (kind, ...args) => send({ type: "ask", kind, args }),
  };
  let handlers: PartHandlers = {};
  const receive = async (message: ToPart) => {
    switch (message.type) {
      case "start":
        threshold.level = message.level;
        handlers = await open(message.part, decode(message.config, { mode: "bin" }), log, host);
        return send({ type: "ready" });
      case "level":
        threshold.level = message.level;
        return;
      case "beat":
        return send({ type: "beat" });
      case "reply":
        return asked.replied(message);
      case "request": {
        const { id, kind, body } = message;
        connection.write(await replyFrame(id, () => handlerOf(handlers, kind)(body)));
      }
    }
  };
  connection.start({
    onData(chunk) {
      reader.push(chunk);
      for (let next = reader.next(); next !== undefined; next = reader.next()) {
        receive(next as ToPart).catch(ended.reject);
      }
    },
    // The supervisor has died, or has ended this process.
    onClose: () => void closed(handlers).then(() => ended.resolve(0)),
  });
  send({ type: "hello", token: ticket.slice(0, at), version: PROTOCOL_VERSION });
  return await ended.promise;
}

async function closed({ close }: PartHandlers): Promise<void> {
  try {
    await close?.(new Uint8Array(0));
  } catch {
    // The process exits anyway.
  }
}

function handlerOf(handlers: PartHandlers, kind: string): (body: Uint8Array) => unknown {
  if (Object.hasOwn(handlers, kind)) return handlers[kind]!;
  throw new RangeError(`Unknown request "${kind}": expected one of ${Object.keys(handlers).join(", ")}`);
}

function packableFields(fields: LogFields): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (value instanceof Error) return [name, value.message];
      try {
        encode(value, "bin");
        return [name, value];
      } catch {
        return [name, String(value)];
      }
    }),
  );
}
