import { SaltError, SystemError, TimeoutError } from "../../base/errors.ts";
import type { SocketType } from "./command.ts";
import type { Message } from "./frame.ts";
import type { Peer } from "./peer.ts";
import { framesOf, ZmtpSocket } from "./socket.ts";
import type { Req, RequestOptions } from "./types.ts";

interface Pending {
  frames: Message;
  resolve(reply: Message): void;
  reject(reason: unknown): void;
}

const DELIMITER = new Uint8Array(0);

/**
 * REQ: one request at a time, the others wait in order.
 *
 * @example
 * ```ts
 * import { ReqSocket, type ZmtpContext } from "brine/zmtp";
 *
 * export const asking = (context: ZmtpContext) => new ReqSocket(context, { lingerMs: 0 });
 * ```
 */
export class ReqSocket extends ZmtpSocket implements Req {
  /** The type of the socket, as it is announced to peers. */
  override readonly type: SocketType = "REQ";
  readonly #asked: Peer[] = [];
  #next = 0;
  #queue: Pending[] = [];
  #current: { pending: Pending; peer: Peer } | undefined;

  request(message: Message | Uint8Array, options: RequestOptions = {}): Promise<Message> {
    const { signal, timeoutMs } = options;
    const frames = framesOf(message);
    return new Promise<Message>((resolve, reject) => {
      if (this.closed) throw new SaltError("CLOSED", "Cannot request: the REQ socket is closed");
      signal?.throwIfAborted();
      if (this.#queue.length >= this.settings.sendHighWaterMark) {
        throw new SaltError("QUEUE_FULL", `Cannot request: ${this.#queue.length} requests are queued already`);
      }
      const settle = () => {
        stopTimer?.();
        signal?.removeEventListener("abort", onAbort);
      };
      const pending: Pending = {
        frames,
        resolve: (reply) => {
          settle();
          resolve(reply);
        },
        reject: (reason) => {
          settle();
          reject(reason);
        },
      };
      const onAbort = () => this.#giveUp(pending, signal!.reason);
      signal?.addEventListener("abort", onAbort, { once: true });
      const stopTimer = timeoutMs === undefined ? undefined : this.context.clock.after(timeoutMs, () => {
        const why = this.trouble();
        const message = why === undefined ? "" : `: ${why}`;
        this.#giveUp(pending, new TimeoutError(`No reply within ${timeoutMs} ms${message}`));
      });
      this.#queue.push(pending);
      this.#ask();
    });
  }

  #ask(): void {
    if (this.#current !== undefined || this.#asked.length === 0) return;
    const pending = this.#queue.shift();
    if (pending === undefined) return;
    if (this.#next >= this.#asked.length) this.#next = 0;
    const peer = this.#asked[this.#next++]!;
    this.#current = { pending, peer };
    peer.add([DELIMITER, ...pending.frames]);
  }

  #giveUp(pending: Pending, reason: unknown): void {
    const at = this.#queue.indexOf(pending);
    if (at >= 0) this.#queue.splice(at, 1);
    if (this.#current?.pending === pending) {
      const { peer } = this.#current;
      this.#current = undefined;
      // Closing the connection drops a reply that is still on its way.
      this.renew(peer);
    }
    pending.reject(reason);
    this.#ask();
  }

  /** @internal */
  override peerMessage(peer: Peer, frames: Message): void {
    if (this.#current?.peer !== peer) {
      this.context.log.debug("reply without a request dropped", { remote: peer.remote });
      return;
    }
    if (frames[0]!.length !== 0 || frames.length < 2) {
      this.context.log.warning("reply without an empty first frame dropped", { remote: peer.remote });
      return;
    }
    const { pending } = this.#current;
    this.#current = undefined;
    pending.resolve(frames.slice(1));
    this.#ask();
  }

  /** @internal */
  protected override attach(peer: Peer): void {
    this.#asked.push(peer);
    this.#ask();
  }

  /** @internal */
  protected override detach(peer: Peer, error: Error | undefined): void {
    this.#asked.splice(this.#asked.indexOf(peer), 1);
    if (this.#current?.peer !== peer) return;
    const { pending } = this.#current;
    this.#current = undefined;
    // The request is not sent again: it is not known whether it was carried out, and only the caller knows whether it may run
    // twice.
    pending.reject(
      new SystemError("ECONNRESET", `Lost the connection to ${peer.remote} while waiting for its reply`, {
        remote: peer.remote,
        cause: error,
      }),
    );
    this.#ask();
  }

  /** @internal */
  protected override beforeClose(): void {
    const error = new SaltError("CLOSED", "No reply: the REQ socket was closed");
    for (const pending of this.#queue.splice(0)) pending.reject(error);
    const current = this.#current;
    this.#current = undefined;
    current?.pending.reject(error);
  }
}
