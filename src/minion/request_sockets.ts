import type { Exchange } from "../channel/req_client.ts";
import type { Req } from "../zmtp/mod.ts";

/**
 * The sockets for requests to one master. Requests go one after the other over one socket. A piece of a file goes over a
 * second socket while another request is under way: so the master prepares one piece while another is on the wire.
 */
export class RequestSockets {
  readonly #open: () => Req;
  readonly main: Req;
  #bulk: Req | undefined;
  #running = 0;

  /** @param open opens a socket that is connected to the master */
  constructor(open: () => Req) {
    this.#open = open;
    this.main = open();
  }

  readonly exchange: Exchange = async (bytes, how) => {
    if (how.bulk === true && this.#running > 0) {
      this.#bulk ??= this.#open();
      return (await this.#bulk.request(bytes, how))[0]!;
    }
    this.#running++;
    try {
      return (await this.main.request(bytes, how))[0]!;
    } finally {
      this.#running--;
    }
  };

  async close(): Promise<void> {
    await Promise.all([this.main.close(), this.#bulk?.close()]);
  }
}
