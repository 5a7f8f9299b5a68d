import { computed, type Signal, signal } from "@preact/signals";
import { fnmatch } from "../../../model/event/tag.ts";
import { type Api, ApiError } from "../../api.ts";
import type { Engine, MinionEngine, ReactorRule, ReactorStatus } from "../../automation.ts";
import { minionEngineOf, readEngines, readRules, readStatus } from "../../automation.ts";
import type { StreamedEvent } from "../../event_stream.ts";
import type { BrowserEnvironment } from "./environment.ts";

/** The time between an event with a reaction and reading the reactor's status, in milliseconds: each reading starts a runner. */
const SETTLE_MS = 2000;
/** The most engines of minions that are kept: minions may fire any number of events. */
const MAX_HEARD = 500;

/** The master's reactor and engines, if this account may see them. Read when a page needs them. */
export class AutomationStore {
  readonly rules: Signal<readonly ReactorRule[] | undefined> = signal(undefined);
  readonly rulesError: Signal<unknown> = signal(undefined);
  readonly status: Signal<ReactorStatus | undefined> = signal(undefined);
  readonly statusError: Signal<unknown> = signal(undefined);
  readonly engines: Signal<readonly Engine[] | undefined> = signal(undefined);
  readonly enginesError: Signal<unknown> = signal(undefined);
  /** Engines of minions by id and name, from their events, latest last. */
  readonly minionEngines: Signal<ReadonlyMap<string, MinionEngine>> = signal(new Map());
  readonly #api: Api;
  readonly #later: BrowserEnvironment["later"];
  /** The page that is shown; only its events are followed. */
  #follows: "reactor" | "engines" | undefined;
  /** Matchers for the tags of the shown rules, whose events are followed. */
  readonly #matches = computed(() => (this.rules.value ?? []).map(({ match }) => fnmatch(match)));
  #isDue = false;

  constructor({ api, later }: BrowserEnvironment) {
    this.#api = api;
    this.#later = later;
  }

  /** Reads the reactor's status, and reads it again after events with a reaction, until another page is shown. */
  followReactor(): () => void {
    this.#follows = "reactor";
    void this.loadReactor();
    return () => this.#follows = undefined;
  }

  /** Reads the status of the engines, and reads it again after their events, until another page is shown. */
  followEngines(): () => void {
    this.#follows = "engines";
    void this.loadEngines();
    return () => this.#follows = undefined;
  }

  async loadReactor(): Promise<void> {
    await Promise.all([
      this.#read("reactor.list", readRules, this.rules, this.rulesError),
      this.#read("reactor.status", readStatus, this.status, this.statusError),
    ]);
  }

  async loadEngines(): Promise<void> {
    await this.#read("engines.status", readEngines, this.engines, this.enginesError);
  }

  async #read<Value>(
    fun: string,
    parse: (found: unknown) => Value | undefined,
    value: Signal<Value | undefined>,
    error: Signal<unknown>,
  ): Promise<void> {
    try {
      const found = await this.#api.runner(fun);
      const parsed = parse(found);
      if (parsed === undefined) throw notThere(fun, found);
      value.value = parsed;
      error.value = undefined;
    } catch (caught) {
      value.value = undefined;
      error.value = caught;
    }
  }

  apply({ tag, data }: StreamedEvent): void {
    this.#hearMinion(tag, data);
    if (this.#follows === undefined || this.#isDue) return;
    const concerns = this.#follows === "engines"
      ? tag.startsWith("salt/engines/status/")
      : data.user !== "Reactor" && this.#matches.value.some((matches) => matches(tag));
    if (!concerns) return;
    this.#isDue = true;
    this.#later(() => {
      this.#isDue = false;
      if (this.#follows === "engines") void this.loadEngines();
      else if (this.#follows === "reactor") void this.loadReactor();
    }, SETTLE_MS);
  }

  #hearMinion(tag: string, data: StreamedEvent["data"]): void {
    const engine = minionEngineOf(tag, data);
    if (engine === undefined) return;
    const key = `${engine.minion}/${engine.name}`;
    const known = new Map(this.minionEngines.value);
    known.delete(key);
    known.set(key, engine);
    for (const oldest of known.keys()) {
      if (known.size <= MAX_HEARD) break;
      known.delete(oldest);
    }
    this.minionEngines.value = known;
  }

  forget(): void {
    this.minionEngines.value = new Map();
    for (const one of [this.rules, this.status, this.engines]) one.value = undefined;
    for (const one of [this.rulesError, this.statusError, this.enginesError]) one.value = undefined;
  }
}

/** The error for a runner's answer that is a text, because the master lacks the reactor or the runner. */
function notThere(fun: string, found: unknown): ApiError {
  const words = typeof found === "string" ? found.trim().split("\n").at(-1)!.slice(0, 300) : "";
  if (words.includes("Reactor system is not running")) return new ApiError("absent", 200, words, "");
  return new ApiError(
    "refused",
    200,
    `Not reported by this master: ${words || `no result of ${fun}`}`,
    `Only Brine masters have the runner ${fun}.`,
  );
}
