import { originOf } from "../zmtp/endpoint.ts";

/** The most bytes that requests may hold at once: all requests together, and those of one sender. */
interface RoomLimits {
  total: number;
  perSender: number;
}

const LIMITS: RoomLimits = { total: 2 ** 26, perSender: 2 ** 25 };

/**
 * Bounds the memory of clear requests from callers that are not authenticated. Each request is held until it is answered, and a wrong
 * password is answered late: without a bound, a thousand requests would wait with all their bytes.
 */
export class ClearRoom {
  readonly #limits: RoomLimits;
  readonly #of = new Map<string, number>();
  #held = 0;

  constructor(limits: RoomLimits = LIMITS) {
    this.#limits = limits;
  }

  /** The bytes of the requests that are held now. */
  get held(): number {
    return this.#held;
  }

  /**
   * Reserves room for a request.
   *
   * @param remote the name of the connection, from which `originOf` gets the sender
   * @returns a function that releases the room, to be called once; undefined if there is no room
   */
  take(remote: string, bytes: number): (() => void) | undefined {
    const sender = originOf(remote);
    const own = (this.#of.get(sender) ?? 0) + bytes;
    if (this.#held + bytes > this.#limits.total || own > this.#limits.perSender) return undefined;
    this.#held += bytes;
    this.#of.set(sender, own);
    return () => {
      this.#held -= bytes;
      const left = this.#of.get(sender)! - bytes;
      if (left === 0) this.#of.delete(sender);
      else this.#of.set(sender, left);
    };
  }
}
