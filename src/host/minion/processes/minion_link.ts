import type { Connection } from "../../../runtime/net.ts";
import { frame, FrameReader } from "../../../protocol/wire/frames.ts";
import type { FromJob, RequestName, ToJob } from "./job_protocol.ts";

/** The messages of the minion that the process of a job acts on; replies go to their requests. */
export type MinionMessage = Exclude<ToJob, { type: "reply" }>;

/** The connection of a job's process to its minion: sends messages, and requests that the minion replies to. */
export class MinionLink {
  readonly #connection: Connection;
  readonly #reader = new FrameReader();
  readonly #replies = new Map<number, (reply: ToJob & { type: "reply" }) => void>();
  #lastRequest = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Begins to read. */
  start({ onMessage, onClose }: { onMessage(message: MinionMessage): void; onClose(): void }): void {
    this.#connection.start({
      onData: (chunk) => {
        this.#reader.push(chunk);
        for (let next = this.#reader.next(); next !== undefined; next = this.#reader.next()) {
          const message = next as ToJob;
          if (message.type !== "reply") onMessage(message);
          else {
            this.#replies.get(message.id)?.(message);
            this.#replies.delete(message.id);
          }
        }
      },
      onClose,
    });
  }

  send(message: FromJob): void {
    this.#connection.write(frame(message));
  }

  /** Sends a request and resolves with the minion's reply; rejects with the error of the minion. */
  request(name: RequestName, ...args: unknown[]): Promise<unknown> {
    const id = ++this.#lastRequest;
    this.send({ type: "request", id, name, args });
    return new Promise((resolve, reject) => {
      this.#replies.set(id, ({ error, value }) => error === undefined ? resolve(value) : reject(new Error(error)));
    });
  }
}
