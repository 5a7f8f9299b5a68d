import { deferred } from "../../../base/async/deferred.ts";

/** Keeps each jid to one publication at a time: two that ask for the same one must not both find it free. */
export class JidClaims {
  /** Jids that are being recorded; each promise resolves when that is over. */
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
