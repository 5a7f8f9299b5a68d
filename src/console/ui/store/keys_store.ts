import { type Signal, signal } from "@preact/signals";
import { type Api, ApiError, isForbidden } from "../../api.ts";
import type { KeyDirectory } from "../../../model/loader/wheel.ts";
import { readKeyDetails, readKeyHistory, type ShownDecision, type ShownKeyDetails } from "../../key_details.ts";
import { permits } from "../../permits.ts";
import type { UserSession } from "./user_session.ts";

export type KeyDecisionAction = "accept" | "reject" | "delete";

/** Minion id → fingerprint. */
type Fingerprints = Readonly<Record<string, string>>;

/** The fingerprints and history of keys, and the actions on keys. The keys themselves are in the fleet store. */
export class KeysStore {
  /** State of the key → fingerprints. */
  readonly fingerprints: Signal<Readonly<Record<string, Fingerprints>>> = signal({});
  /** Why the fingerprints of some keys could not be read. */
  readonly error: Signal<unknown> = signal(undefined);
  /** State and id → details of a key; empty if the master does not report them. */
  readonly details: Signal<ReadonlyMap<string, ShownKeyDetails>> = signal(new Map());
  /** The history of keys, latest first; undefined until it was read. */
  readonly history: Signal<readonly ShownDecision[] | undefined> = signal(undefined);
  readonly historyError: Signal<unknown> = signal(undefined);
  readonly #api: Api;
  readonly #session: UserSession;

  constructor(api: Api, session: UserSession) {
    this.#api = api;
    this.#session = session;
  }

  /** False if the session shows that this account may not use an action on keys. */
  may(action: KeyDecisionAction): boolean {
    const { value } = this.#session.current;
    const perms = typeof value === "object" ? value.perms : [];
    return FUNCTIONS[action].some((fun) => permits(perms, "wheel", fun) !== false);
  }

  /** The fingerprint of a key, as last read; empty if it was not read. */
  fingerprint(state: KeyDirectory, id: string): string {
    return fingerIn(this.fingerprints.value, state, id);
  }

  /** Reads all fingerprints; an error is stored in {@link error}. */
  async loadFingerprints(): Promise<void> {
    try {
      this.fingerprints.value = await this.#read("*");
      this.error.value = undefined;
    } catch (error) {
      this.error.value = error;
    }
  }

  /** Reads the details of keys, if the master reports them to this account. */
  async loadDetails(): Promise<void> {
    try {
      this.details.value = readKeyDetails(await this.#api.wheel("key.details", { match: "*" }));
    } catch {
      // Masters other than Brine have no such function: the columns stay empty.
      this.details.value = new Map();
    }
  }

  detailsOf(state: KeyDirectory, id: string): ShownKeyDetails | undefined {
    return this.details.value.get(`${state}/${id}`);
  }

  /** Reads the history of keys (`key.history` of a Brine master). */
  async loadHistory(): Promise<void> {
    try {
      this.history.value = readKeyHistory(await this.#api.wheel("key.history", { match: "*", limit: MAX_DECISIONS }));
      this.historyError.value = undefined;
    } catch (error) {
      this.historyError.value = error;
    }
  }

  /** Reads the fingerprints of pending keys, unless they are known; an error is stored in {@link error}. */
  async wantPending(ids: readonly string[]): Promise<void> {
    if (ids.every((id) => this.fingerprint("minions_pre", id) !== "")) return;
    try {
      const found = await this.#read(matchOf(ids));
      const before = this.fingerprints.value;
      this.fingerprints.value = { ...before, minions_pre: { ...before.minions_pre, ...found.minions_pre } };
      this.error.value = undefined;
    } catch (error) {
      this.error.value = error;
    }
  }

  async #read(match: string): Promise<Record<string, Fingerprints>> {
    return (await this.#api.wheel("key.finger", { match }) ?? {}) as Record<string, Fingerprints>;
  }

  /**
   * Accepts, rejects or deletes the keys of these ids in one state, and no others: an id can have keys in several states, and an
   * attacker can send a second key for an id.
   *
   * @throws {ApiError} of kind `refused` if a key to accept differs from the key that the user has seen
   */
  async change(action: KeyDecisionAction, state: KeyDirectory, ids: readonly string[]): Promise<void> {
    if (action === "accept") await this.#compare(state, ids);
    const named = { match: { [state]: ids }, ...others(action, state) };
    try {
      await this.#api.wheel(`key.${action}_dict`, named);
    } catch (error) {
      // Some accounts may use only the function that takes names. It cannot be used for denied keys: it would change the other key of the same id.
      const canName = action !== "delete" && state !== "minions_denied" && ids.every(isPlain);
      if (!isForbidden(error) || !canName) throw error;
      await this.#api.wheel(`key.${action}`, { ...named, match: ids.join(",") });
    }
  }

  /** Compares the fingerprints again: a key may have been replaced after the user has seen it. */
  async #compare(state: KeyDirectory, ids: readonly string[]): Promise<void> {
    const seen = ids.filter((id) => this.fingerprint(state, id) !== "");
    if (seen.length === 0) return;
    const found = await this.#read(matchOf(seen));
    const changed = seen.find((id) => fingerIn(found, state, id) !== this.fingerprint(state, id));
    if (changed === undefined) return;
    const before = this.fingerprints.value;
    this.fingerprints.value = {
      ...before,
      [state]: { ...before[state], [changed]: fingerIn(found, state, changed) },
    };
    throw new ApiError(
      "refused",
      0,
      `The key of ${changed} has changed since the page showed it`,
      "Nothing was changed. Compare the fingerprint with the minion's again.",
    );
  }

  forget(): void {
    this.fingerprints.value = {};
    this.details.value = new Map();
    this.history.value = undefined;
    this.historyError.value = undefined;
    this.error.value = undefined;
  }
}

/** The most decisions that are shown. */
const MAX_DECISIONS = 500;

/** Reads a fingerprint with `Object.hasOwn`, since a minion may be called `constructor`. */
function fingerIn(found: Readonly<Record<string, Fingerprints>>, state: KeyDirectory, id: string): string {
  const own = found[state] ?? {};
  return Object.hasOwn(own, id) ? String(own[id]) : "";
}

const FUNCTIONS: Record<KeyDecisionAction, readonly string[]> = {
  accept: ["key.accept_dict", "key.accept"],
  reject: ["key.reject_dict", "key.reject"],
  delete: ["key.delete_dict"],
};

/** The arguments that include keys in other states than pending. */
function others(action: KeyDecisionAction, state: KeyDirectory): Record<string, boolean> {
  const denied = { include_denied: state === "minions_denied" };
  if (action === "accept") return { include_rejected: state === "minions_rejected", ...denied };
  return action === "reject" ? { include_accepted: state === "minions", ...denied } : {};
}

/** True for an id without glob characters and commas: functions of keys take lists of globs, which could match other ids. */
const isPlain = (id: string): boolean => /^[^*?[\],]+$/.test(id);

/** The most ids that are read by name. */
const MAX_NAMED = 200;

/** A glob that matches these ids, and maybe others. */
function matchOf(ids: readonly string[]): string {
  return ids.length <= MAX_NAMED && ids.every(isPlain) ? ids.join(",") : "*";
}
