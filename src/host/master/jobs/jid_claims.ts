import { deferred } from "../../../base/async/deferred.ts";

/** Gives each jid to one publication at a time: two publications that ask for the same jid must not both find it free. */
export class JidClaims {
  /** The jids that are being recorded; each promise resolves when the record is written. */
  readonly #claims = new Map<string, Promise<void>>();

  has(jid: string): boolean {
    return this.#claims.has(jid);
  }

  /** Waits until the jid is free. @returns the function that releases it */
  async claim(jid: string): Promise<() => void> {
    for (let other = this.#claims.get(jid); other !== undefined; other = this.#claims.get(jid)) await other;
    const over = deferred<void>();
    this.#claims.set(jid, over.promise);
    return () => {
      this.#claims.delete(jid);
      over.resolve();
    };
  }
}
