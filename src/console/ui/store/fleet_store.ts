import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { type Api, type ApiError, isForbidden } from "../../api.ts";
import type { StreamedEvent } from "../../event_stream.ts";
import { Fleet, pingText } from "../../fleet.ts";
import { FactsCache } from "../../facts.ts";
import { GrainsCache } from "../../grains.ts";
import type { Preview } from "../../preview.ts";
import { askTarget, type TargetQuestion } from "./ask_target.ts";
import type { Beats } from "./beats.ts";
import type { BrowserEnvironment } from "./environment.ts";
import type { Notices } from "./notices.ts";

/** How often the fleet is read while its page is open, in milliseconds: not every master reports lost minions. */
const STALE_MS = 60_000;
/** How often the fleet is read shortly after a start of the master, while its minions connect, in milliseconds. */
const SETTLING_MS = 3000;

/** The minions: their keys, which of them are up, and the grains that pages need. */
export class FleetStore {
  readonly minions = new Fleet();
  /** Increments when {@link minions} changes. */
  readonly beat: Signal<number> = signal(0);
  /** True after the first attempt to read the fleet. */
  readonly ready: Signal<boolean> = signal(false);
  /** False for an account that may not list the minions: their number is unknown then. */
  readonly known: Signal<boolean> = signal(false);
  /** False for an account that may not list keys that are not accepted. */
  readonly keysKnown: Signal<boolean> = signal(false);
  readonly error: Signal<unknown> = signal(undefined);
  readonly checking: Signal<boolean> = signal(false);
  readonly waiting: ReadonlySignal<{ pending: number; denied: number }>;
  readonly grains: GrainsCache;
  /** Increments when {@link grains} changes. */
  readonly grainsBeat: Signal<number> = signal(0);
  /** The facts about each minion for the fleet page. */
  readonly facts: FactsCache;
  /** Increments when {@link facts} changes. */
  readonly factsBeat: Signal<number> = signal(0);
  readonly #api: Api;
  readonly #now: () => number;
  readonly #beats: Beats;
  readonly #notices: Notices;
  #readMs = 0;
  /** True if the master has `minions.presence` and this account may call it; undefined until it was tried. */
  #tellsPresence: boolean | undefined;

  constructor({ api, now }: BrowserEnvironment, beats: Beats, notices: Notices) {
    this.#api = api;
    this.#now = now;
    this.#beats = beats;
    this.#notices = notices;
    this.waiting = computed(() => {
      this.beat.value;
      const { pending, denied } = this.minions.counts;
      return { pending, denied };
    });
    this.grains = new GrainsCache(async (ids) => {
      const found = await api.runner("cache.grains", { tgt: ids.join(","), tgt_type: "list" });
      return found as Record<string, unknown>;
    }, () => beats.mark(this.grainsBeat));
    this.facts = new FactsCache(
      (ids, fields) => api.runner("cache.grains", { tgt: ids.join(","), tgt_type: "list", fields }),
      () => beats.mark(this.factsBeat),
    );
  }

  get stale(): boolean {
    const settling = !this.minions.isSettled(this.#readMs) && this.minions.counts.unknown > 0;
    return this.#now() - this.#readMs > (settling ? SETTLING_MS : STALE_MS);
  }

  /** Reads keys and connections. */
  async load(): Promise<void> {
    this.#readMs = this.#now();
    try {
      const connected = this.#readPresence();
      this.minions.setKeys(await this.#listKeys());
      this.error.value = undefined;
      this.ready.value = true;
      this.known.value = true;
      this.#beats.mark(this.beat);
      const found = await connected;
      // An empty list is ignored, since some masters cannot see connections.
      if (this.minions.setPresence(found, this.#now())) this.#beats.mark(this.beat);
      else if (Array.isArray(found) && (found.length > 0 || this.minions.ids.length === 0)) {
        this.minions.setConnected(found, this.#now());
        this.#beats.mark(this.beat);
      } else await this.check(true);
    } catch (error) {
      this.error.value = error;
      this.ready.value = true;
      // An account that may not list minions sees some of them in events, but not all.
      if (isForbidden(error)) this.known.value = false;
      this.#beats.mark(this.beat);
    }
  }

  /** Reads the connected and lost minions of a Brine master, or the connected ids of another one; undefined without an answer. */
  async #readPresence(): Promise<unknown> {
    if (this.#tellsPresence !== false) {
      try {
        const found = await this.#api.wheel("minions.presence");
        this.#tellsPresence = true;
        return found;
      } catch (error) {
        const { kind } = error as ApiError;
        if (kind === "refused" || kind === "forbidden" || kind === "failed") this.#tellsPresence = false;
      }
    }
    return await this.#api.wheel("minions.connected").catch(() => undefined);
  }

  /** Lists the keys; if the account may not do this, lists the minions with `manage.status`. */
  async #listKeys(): Promise<unknown> {
    try {
      const keys = await this.#api.wheel("key.list_all");
      this.keysKnown.value = true;
      return keys;
    } catch (error) {
      if (!isForbidden(error)) throw error;
      this.keysKnown.value = false;
      const status = await this.#api.runner("manage.status").catch(() => {
        throw error;
      });
      const { up = [], down = [] } = status as { up?: string[]; down?: string[] };
      return { minions: [...up, ...down] };
    }
  }

  /** The ids of the minions of a target that answer a ping. */
  async ping(tgt: string, type: string): Promise<string[]> {
    const answers = await this.#api.local({ tgt, tgt_type: type, fun: "test.ping" });
    return Object.keys(answers).filter((id) => answers[id] === true);
  }

  /**
   * Pings every minion (`manage.status`), and shows the number of answers if the user requested the ping.
   *
   * @param automatic true if the user did not request the ping: then a missing permission is no error
   */
  async check(automatic = false): Promise<void> {
    this.checking.value = true;
    try {
      const status = await this.#api.runner("manage.status");
      this.minions.setStatus(status);
      this.#beats.mark(this.beat);
      if (!automatic) this.#notices.add("ok", pingText(status));
    } catch (error) {
      if (!automatic || !isForbidden(error)) this.#notices.fail(error);
    } finally {
      this.checking.value = false;
    }
  }

  /** Asks the master which minions a target matches; see {@link askTarget}. */
  askTarget(question: TargetQuestion): Promise<Preview | undefined> {
    return askTarget(this.#api, question, this.known.value);
  }

  /** Notes that the master, or the server before it, cannot be reached. */
  lose(): void {
    this.minions.lose(this.#now());
    this.#beats.mark(this.beat);
  }

  /** Notes that the master can be reached again; {@link FleetStore.load} has to follow. */
  regain(): void {
    this.minions.regain(this.#now());
  }

  apply(event: StreamedEvent): void {
    if (this.minions.apply(event, this.#now())) this.#beats.mark(this.beat);
    if (event.tag === "salt/key" || event.tag === "salt/auth") {
      const { id } = event.data;
      if (typeof id === "string" && event.data.act === "delete") {
        this.grains.forget(id);
        this.facts.forget(id);
      }
    }
  }

  forget(): void {
    this.minions.setKeys({});
    this.ready.value = false;
    this.known.value = false;
    this.keysKnown.value = false;
    this.grains.clear();
    this.facts.clear();
    this.#tellsPresence = undefined;
  }
}
