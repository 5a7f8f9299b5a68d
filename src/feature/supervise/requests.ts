import { type Deferred, deferred } from "../../base/async/deferred.ts";
import { messageOf } from "../../base/errors.ts";
import { frame } from "../../protocol/wire/frames.ts";
import type { PartReplyMessage } from "./part_protocol.ts";

/** The answer to a request; undefined if the process ended before. */
export type PartReply = { value: unknown } | { error: string } | undefined;

/** The requests of one side that wait for replies of the other side. */
export class Requests {
  readonly #waiting = new Map<number, Deferred<PartReply>>();
  #last = 0;

  /** Adds a request; returns its id, and a promise of the reply. */
  add(): { id: number; reply: Promise<PartReply> } {
    const reply = deferred<PartReply>();
    this.#waiting.set(++this.#last, reply);
    return { id: this.#last, reply: reply.promise };
  }

  replied({ id, value, error }: PartReplyMessage): void {
    this.#waiting.get(id)?.resolve(error === undefined ? { value } : { error });
    this.#waiting.delete(id);
  }

  /** Ends all requests without a reply, since the other side has ended. */
  end(): void {
    for (const reply of this.#waiting.values()) reply.resolve(undefined);
    this.#waiting.clear();
  }
}

/** Does the work of a request; resolves with the frame of its reply. */
export async function replyFrame(id: number, work: () => unknown): Promise<Uint8Array> {
  try {
    return frame({ type: "reply", id, value: await work() });
  } catch (error) {
    return frame({ type: "reply", id, error: messageOf(error) });
  }
}
