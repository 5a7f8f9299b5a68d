import { type Signal, signal } from "@preact/signals";
import type { Api } from "../../api.ts";
import type { KeyState } from "../../fleet.ts";
import type { Notices } from "./notices.ts";

export type KeyAction = "accept" | "reject" | "delete";

/** Fingerprints of the keys, and what an operator does with keys. Which keys there are is in the fleet store. */
export class KeysStore {
  /** State of the key → minion id → fingerprint. */
  readonly fingerprints: Signal<Record<string, Record<string, string>>> = signal({});
  readonly #api: Api;
  readonly #notices: Notices;

  constructor(api: Api, notices: Notices) {
    this.#api = api;
    this.#notices = notices;
  }

  async loadFingerprints(): Promise<void> {
    try {
      const found = await this.#api.wheel("key.finger", { match: "*" });
      this.fingerprints.value = (found ?? {}) as Record<string, Record<string, string>>;
    } catch (error) {
      this.#notices.fail(error);
    }
  }

  /** Accepts, rejects or deletes the keys of these ids that are in one state. */
  async change(action: KeyAction, state: KeyState, ids: readonly string[]): Promise<void> {
    const match = ids.join(",");
    switch (action) {
      case "accept":
        await this.#api.wheel("key.accept", { match, include_rejected: true, include_denied: true });
        break;
      case "reject":
        await this.#api.wheel("key.reject", { match, include_accepted: true, include_denied: true });
        break;
      case "delete":
        // An id can have keys in several states: deletes the one in this state only.
        await this.#api.wheel("key.delete_dict", { match: { [state]: ids } });
        break;
    }
  }

  forget(): void {
    this.fingerprints.value = {};
  }
}
