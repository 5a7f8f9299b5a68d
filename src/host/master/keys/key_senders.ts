/** The most keys whose senders are kept: strangers send keys under any id. */
const MAX_KEYS = 10_000;

/**
 * Knows from which address each key that is not accepted was last sent: from the first sign-in after a start of the
 * master on, since minions whose keys are pending sign in again and again.
 */
export class KeySenders {
  /** Directory and id → address, in the order in which they were last heard of. */
  readonly #addresses = new Map<string, string>();

  /** Called when a minion was not admitted. @param act what happened to its key, in the words of the event `salt/auth` */
  heard(act: unknown, id: unknown, address: string): void {
    const status = STATUS_OF[String(act)];
    if (status === undefined || typeof id !== "string") return;
    const key = `${status}/${id}`;
    this.#addresses.delete(key);
    this.#addresses.set(key, address);
    if (this.#addresses.size > MAX_KEYS) this.#addresses.delete(this.#addresses.keys().next().value!);
  }

  /** Returns the address of a key's sender; undefined if it has not signed in since the master started. */
  addressOf(status: string, id: string): string | undefined {
    return this.#addresses.get(`${status}/${id}`);
  }
}

const STATUS_OF: Readonly<Record<string, string | undefined>> = {
  pend: "minions_pre",
  reject: "minions_rejected",
  denied: "minions_denied",
};
