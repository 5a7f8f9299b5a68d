import { type Deferred, deferred } from "../../base/async/deferred.ts";
import { messageOf } from "../../base/errors.ts";
import { frame } from "../../protocol/wire/frames.ts";
import type { Reply } from "./part_protocol.ts";

/** The answer to a request; undefined if the process ended before. */
export type PartReply = { value: unknown } | { error: string } | undefined;

/** Requests of one side that wait for the replies of the other. */
export class Requests {
  readonly #waiting = new Map<number, Deferred<PartReply>>();
  #last = 0;

  /** A new request: its id, and the reply to come. */
  add(): { id: number; reply: Promise<PartReply> } {
    const reply = deferred<PartReply>();
    this.#waiting.set(++this.#last, reply);
    return { id: this.#last, reply: reply.promise };
  }

  replied({ id, value, error }: Reply): void {
    this.#waiting.get(id)?.resolve(error === undefined ? { value } : { error });
    this.#waiting.delete(id);
  }

  /** The other side has gone. */
  end(): void {
    for (const reply of this.#waiting.values()) reply.resolve(undefined);
    this.#waiting.clear();
  }
}

/** Does what a request asks for, at once; resolves with the frame of its reply. */
export async function replyFrame(id: number, work: () => unknown): Promise<Uint8Array> {
  try {
    return frame({ type: "reply", id, value: await work() });
  } catch (error) {
    return frame({ type: "reply", id, error: messageOf(error) });
  }
}
