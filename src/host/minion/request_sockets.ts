import { SaltError } from "../../base/errors.ts";
import type { Exchange } from "../../protocol/channel/req_client.ts";
import type { Clock } from "../../base/async/clock.ts";
import type { Req } from "../../protocol/zmtp/mod.ts";

/** How long a second socket may be idle before it is closed, in milliseconds: each one costs the master a descriptor. */
const IDLE_MS = 10_000;

/**
 * The sockets for requests to one master, opened with the first request. Requests go one after the other over one socket. A
 * piece of a file goes over a second socket while another request is under way: so the master prepares one piece while another
 * is on the wire. The second socket is closed again when no piece has been asked for in ten seconds.
 */
export class RequestSockets {
  readonly #open: () => Req;
  readonly #clock: Pick<Clock, "after">;
  readonly #several: boolean;
  #main: Req | undefined;
  #bulk: Req | undefined;
  #bulkRunning = 0;
  #stopIdle: (() => void) | undefined;
  #running = 0;
  /** False: the sockets are closed once no request is under way. */
  #kept = true;
  #closed = false;

  /**
   * @param open opens a socket that is connected to the master
   * @param several false if there can be one socket only, because its own port is given
   */
  constructor(open: () => Req, clock: Pick<Clock, "after">, several = true) {
    this.#open = open;
    this.#clock = clock;
    this.#several = several;
  }

  readonly exchange: Exchange = async (bytes, how) => {
    if (this.#closed) throw new SaltError("CLOSED", "Cannot request: the connection to the master is closed");
    const isBulk = this.#several && how.bulk === true && this.#running > 0;
    this.#running++;
    try {
      if (isBulk) return await this.#exchangeBulk(bytes, how);
      this.#main ??= this.#open();
      return (await this.#main.request(bytes, how))[0]!;
    } finally {
      this.#running--;
      if (!this.#kept && this.#running === 0) void this.#closeSockets();
    }
  };

  async #exchangeBulk(bytes: Uint8Array, how: Parameters<Exchange>[1]): Promise<Uint8Array> {
    this.#stopIdle?.();
    this.#stopIdle = undefined;
    this.#bulk ??= this.#open();
    this.#bulkRunning++;
    try {
      return (await this.#bulk.request(bytes, how))[0]!;
    } finally {
      this.#bulkRunning--;
      if (this.#bulkRunning === 0 && this.#bulk !== undefined) {
        this.#stopIdle = this.#clock.after(IDLE_MS, () => void this.#closeBulk());
      }
    }
  }

  async #closeBulk(): Promise<void> {
    const bulk = this.#bulk;
    this.#bulk = undefined;
    await bulk?.close();
  }

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
    this.#stopIdle?.();
    this.#stopIdle = undefined;
    const main = this.#main;
    this.#main = undefined;
    await Promise.all([main?.close(), this.#closeBulk()]);
  }
}
