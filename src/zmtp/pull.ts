import type { SocketType } from "./command.ts";
import { ReceivingSocket } from "./sub.ts";
import type { Pull } from "./types.ts";

/** PULL: receives from all peers; while its queue is full it does not read, and the PUSH at the other end waits. */
export class PullSocket extends ReceivingSocket implements Pull {
  override readonly type: SocketType = "PULL";
}
