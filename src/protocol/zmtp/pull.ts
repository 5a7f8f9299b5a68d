import type { SocketType } from "./command.ts";
import { ReceivingSocket } from "./sub.ts";
import type { Pull } from "./types.ts";

/**
 * PULL: receives from all peers; while its queue is full it does not read, and the PUSH at the other end waits.
 *
 * @example
 * ```ts
 * import { PullSocket, type ZmtpContext } from "brine/zmtp";
 *
 * export const sink = (context: ZmtpContext) => new PullSocket(context);
 * ```
 */
export class PullSocket extends ReceivingSocket implements Pull {
  /** The type of the socket, as it is announced to peers. */
  override readonly type: SocketType = "PULL";
}
