import { SaltError } from "../../base/errors.ts";
import type { Exchange } from "../../protocol/channel/req_client.ts";
import type { Clock } from "../../base/async/clock.ts";
import type { Req } from "../../protocol/zmtp/mod.ts";

/** How long a second socket may be idle before it is closed, in milliseconds: each one costs the master a descriptor. */
const IDLE_MS = 10_000;

/** A socket with the number of requests that are under way on it, in all and by kind. */
interface Lane {
  req: Req | undefined;
  running: number;
  /** Requests that may take minutes. */
  slow: number;
  /** Requests whose order counts: neither slow ones nor pieces of files. */
  ordered: number;
}

const newLane = (): Lane => ({ req: undefined, running: 0, slow: 0, ordered: 0 });

/**
 * The sockets for requests to one master, opened with the first request. Requests go one after the other over one socket. A second
 * socket is used in two cases:
 *
 * - A piece of a file does not wait for another request: so the master prepares one piece while another is on the wire.
 * - Nothing waits for a slow request: while the master compiles a pillar, it gets acknowledgements and returns all the same.
 *
 * The second socket is closed again when it has not been used for ten seconds.
 */
export class RequestSockets {
  readonly #open: () => Req;
  readonly #clock: Pick<Clock, "after">;
  readonly #several: boolean;
  readonly #main = newLane();
  readonly #second = newLane();
  #stopIdle: (() => void) | undefined;
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
    const lane = this.#laneFor(how.kind);
    const count = how.kind === "slow" ? "slow" : how.kind === "piece" ? undefined : "ordered";
    lane.running++;
    if (count !== undefined) lane[count]++;
    if (lane === this.#second) this.#stayOpen();
    try {
      lane.req ??= this.#open();
      return (await lane.req.request(bytes, how))[0]!;
    } finally {
      lane.running--;
      if (count !== undefined) lane[count]--;
      const isIdle = this.#main.running + this.#second.running === 0;
      if (isIdle && !this.#kept) void this.#closeSockets();
      else if (lane === this.#second && lane.running === 0 && lane.req !== undefined) {
        this.#stopIdle = this.#clock.after(IDLE_MS, () => void this.#closeLane(lane));
      }
    }
  };

  /** The socket for a request. Requests whose order counts are never on both sockets at once. */
  #laneFor(kind: Parameters<Exchange>[1]["kind"]): Lane {
    const main = this.#main;
    const second = this.#second;
    if (!this.#several) return main;
    if (kind === "slow") return main.slow > 0 || (second.slow === 0 && main.ordered === 0) ? main : second;
    if (kind === "piece") return main.running === 0 || second.slow > 0 ? main : second;
    if (main.ordered > 0) return main;
    return second.ordered > 0 || main.slow > 0 ? second : main;
  }

  #stayOpen(): void {
    this.#stopIdle?.();
    this.#stopIdle = undefined;
  }

  async #closeLane(lane: Lane): Promise<void> {
    const { req } = lane;
    lane.req = undefined;
    await req?.close();
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
    this.#stayOpen();
    await Promise.all([this.#closeLane(this.#main), this.#closeLane(this.#second)]);
  }
}
