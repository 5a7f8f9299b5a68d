import { SaltError } from "../errors.ts";
import type { Exchange } from "../channel/req_client.ts";
import type { Req } from "../zmtp/mod.ts";

/**
 * The sockets for requests to one master, opened with the first request. Requests go one after the other over one socket. A
 * piece of a file goes over a second socket while another request is under way: so the master prepares one piece while another
 * is on the wire.
 */
export class RequestSockets {
  readonly #open: () => Req;
  readonly #several: boolean;
  #main: Req | undefined;
  #bulk: Req | undefined;
  #running = 0;
  /** False: the sockets are closed once no request is under way. */
  #kept = true;
  #closed = false;

  /**
   * @param open opens a socket that is connected to the master
   * @param several false if there can be one socket only, because its own port is given
   */
  constructor(open: () => Req, several = true) {
    this.#open = open;
    this.#several = several;
  }

  readonly exchange: Exchange = async (bytes, how) => {
    if (this.#closed) throw new SaltError("CLOSED", "Cannot request: the connection to the master is closed");
    const isBulk = this.#several && how.bulk === true && this.#running > 0;
    const socket = isBulk ? this.#bulk ??= this.#open() : this.#main ??= this.#open();
    this.#running++;
    try {
      return (await socket.request(bytes, how))[0]!;
    } finally {
      this.#running--;
      if (!this.#kept && this.#running === 0) void this.#closeSockets();
    }
  };

  /** Keeps the connection between requests. */
  keep(): void {
    this.#kept = true;
  }

  /** Ends the requests that are under way, and keeps no connection between later ones. */
  async release(): Promise<void> {
    this.#kept = false;
    await this.#closeSockets();
  }

  /** Closes the sockets for good: later requests are refused. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#closeSockets();
  }

  async #closeSockets(): Promise<void> {
    const [main, bulk] = [this.#main, this.#bulk];
    this.#main = this.#bulk = undefined;
    await Promise.all([main?.close(), bulk?.close()]);
  }
}
