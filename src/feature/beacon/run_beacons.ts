/** Runs the beacons, each independently, so that a slow one does not delay the others. */
import type { Clock } from "../../base/async/clock.ts";
import { messageOf } from "../../base/errors.ts";
import type { BeaconEvent, BeaconItem, BeaconModule, BeaconRegistry } from "../../model/loader/beacons.ts";
import { settingsOf, VALID } from "../../model/loader/beacons.ts";
import type { Context } from "../../model/loader/family.ts";
import { moduleNamed } from "../../model/loader/loaded_file.ts";
import type { Logger } from "../../base/log.ts";
import type { Beacons } from "./configured_beacons.ts";
import { itemsOf, ownItems } from "./config.ts";

/** The most events that are sent of one run of a beacon; of further events, only the number is sent. */
const MAX_EVENTS = 1000;

/** An event in the form that a master takes. */
export interface FiredEvent {
  tag: string;
  data: Record<string, unknown>;
  beacon_name: string;
}

interface WatchOptions {
  id: string;
  clock: Clock;
  log: Logger;
  /** The time between two runs of the beacons, in seconds. */
  loopInterval: number;
  modules(): BeaconRegistry;
  context(): Context;
  /** True if a state runs on this host now. */
  statesRun(): Promise<boolean> | boolean;
  /** Sends the events of one run of one beacon. */
  send(events: FiredEvent[]): void;
}

/** The data that is kept of a beacon between two runs. */
interface Watched {
  memory: Map<string, unknown>;
  module: BeaconModule | undefined;
  /** The number of turns since the beacon ran last, for `interval`. */
  turns: number | undefined;
  busy: boolean;
  /** The last problem that was logged: a problem of a beacon is logged once, and not each second. */
  said: string;
}

export class BeaconWatch {
  readonly #options: WatchOptions;
  readonly #beacons: Beacons;
  readonly #watched = new Map<string, Watched>();
  /** The names of beacons that do not run, as they were logged last. */
  #unseen = "";

  constructor(options: WatchOptions, beacons: Beacons) {
    this.#options = options;
    this.#beacons = beacons;
  }

  /** Runs the beacons periodically, until the signal aborts. */
  async keep(signal: AbortSignal): Promise<void> {
    const { clock, loopInterval } = this.#options;
    const ms = Math.max(0.1, loopInterval) * 1000;
    try {
      for (;;) {
        await clock.sleep(ms, signal);
        this.turn();
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.close();
    }
  }

  /** Runs every beacon that is due. */
  turn(): void {
    const { beacons: all, unseen } = this.#beacons.looking();
    this.#sayUnseen(unseen);
    if (all.enabled === false) return;
    for (const name of this.#watched.keys()) if (!Object.hasOwn(all, name)) this.close(name);
    for (const [name, config] of Object.entries(all)) {
      if (name !== "enabled") void this.#look(name, config);
    }
  }

  /** Logs once which configured beacons do not run. */
  #sayUnseen(names: readonly string[]): void {
    const said = names.join(", ");
    if (said === this.#unseen) return;
    this.#unseen = said;
    if (said === "") return;
    this.#options.log.warning(
      "beacons of the configuration are ignored, because the pillar has beacons: move them to the pillar",
      {
        beacons: said,
      },
    );
  }

  /** Restarts all beacons, each after its interval. */
  refresh(): void {
    const turns = [...this.#watched].map(([name, watched]) => [name, watched.turns] as const);
    this.close();
    for (const [name, before] of turns) this.#of(name).turns = before;
  }

  /** Frees the resources of a beacon, or of every beacon. */
  close(name?: string): void {
    for (const [one, watched] of [...this.#watched]) {
      if (name !== undefined && one !== name) continue;
      try {
        watched.module?.close?.({ memory: watched.memory });
      } catch (error) {
        this.#options.log.debug("a beacon did not close", { beacon: one, error: messageOf(error) });
      }
      this.#watched.delete(one);
    }
  }

  #of(name: string): Watched {
    const found = this.#watched.get(name) ??
      { memory: new Map(), module: undefined, turns: undefined, busy: false, said: "" };
    this.#watched.set(name, found);
    return found;
  }

  #say(name: string, watched: Watched, message: string, fields: Record<string, unknown> = {}): void {
    const said = `${message} ${Object.values(fields).join(" ")}`;
    if (watched.said === said) return;
    watched.said = said;
    this.#options.log.error(message, { beacon: name, ...fields });
  }

  async #look(name: string, config: unknown): Promise<void> {
    const watched = this.#of(name);
    if (watched.busy) return;
    watched.busy = true;
    try {
      await this.#lookNow(name, watched, config);
    } catch (error) {
      const message = messageOf(error);
      this.#say(name, watched, "Unable to start beacon", { error: message });
      this.#send(name, name, [{ error: message }]);
    } finally {
      watched.busy = false;
    }
  }

  async #lookNow(name: string, watched: Watched, config: unknown): Promise<void> {
    const items = itemsOf(config);
    if (items === undefined) return this.#say(name, watched, "Configuration for beacon must be a list.");
    const settings = settingsOf(items);
    if (settings.enabled === false) return;
    if (settings.enabled === true) this.#beacons.settle(name);
    const { module: moduleName, found } = await this.find(name, items);
    if (typeof found === "string") return this.#say(name, watched, "Unable to process beacon", { reason: found });
    watched.module = found;
    const context = this.#options.context();
    const own = ownItems(items);
    const [valid, comment] = await found.validate?.(own, context) ?? VALID;
    if (!valid) return this.#say(name, watched, "configuration invalid, not running", { reason: comment });
    if (!this.#isDue(watched, Number(settings.interval ?? 0))) return;
    if (settings.disable_during_state_run && await this.#options.statesRun()) {
      found.close?.({ memory: watched.memory });
      return;
    }
    const events = await found.beacon(own, { name, settings: settingsOf(own), context, memory: watched.memory });
    // The beacon may have been changed or removed meanwhile.
    if (this.#watched.get(name) !== watched) return found.close?.({ memory: watched.memory });
    watched.said = "";
    this.#send(name, moduleName, events);
    if (settings.run_once) this.#beacons.enableOne(name, false);
  }

  /** True if a beacon has to run now. As in Salt, a beacon with an interval runs for the first time after one interval. */
  #isDue(watched: Watched, interval: number): boolean {
    if (!(interval > 0)) return true;
    if (watched.turns !== undefined && watched.turns * this.#options.loopInterval >= interval) {
      watched.turns = 1;
      return true;
    }
    watched.turns = (watched.turns ?? 0) + 1;
    return false;
  }

  /** Finds the module of a beacon; for a module that cannot run here, returns the reason. */
  async find(name: string, items: readonly BeaconItem[]): Promise<{ module: string; found: BeaconModule | string }> {
    const wanted = items.find((item) => Object.hasOwn(item, "beacon_module"))?.beacon_module;
    const module = typeof wanted === "string" && wanted !== "" ? wanted : name;
    const registry = Object.fromEntries(
      Object.entries(this.#options.modules()).map(([file, load]) => [file, async () => ({ beacon: await load() })]),
    );
    const found = await moduleNamed(registry, "beacon", module);
    if (found === undefined) return { module, found: `unknown beacon "${module}"` };
    return { module, found: found.unavailable?.(this.#options.context()) ?? found };
  }

  /** Names of the beacons that can run here. */
  async available(): Promise<string[]> {
    const context = this.#options.context();
    const names: string[] = [];
    for (const [name, load] of Object.entries(this.#options.modules())) {
      const module = await load().catch(() => undefined);
      if (module !== undefined && module.unavailable?.(context) === undefined) names.push(module.name ?? name);
    }
    return names.sort();
  }

  /** True if a configuration is valid; otherwise false and the reason. */
  async validate(name: string, config: unknown): Promise<[boolean, string]> {
    const items = itemsOf(config);
    if (items === undefined) return [false, "Configuration for beacon must be a list."];
    const { module, found } = await this.find(name, items);
    if (typeof found === "string") return [false, `Beacon "${module}" is not available.`];
    if (found.validate === undefined) {
      return [true, `Beacon ${module} does not have a validate function, skipping validation.`];
    }
    const own = ownItems(items);
    return found.validate(own, this.#options.context());
  }

  /** Sends the events of one run. If a beacon returns too many, only the first {@link MAX_EVENTS} are sent, and the master is told. */
  #send(name: string, module: string, events: readonly BeaconEvent[]): void {
    if (events.length === 0) return;
    const { id, log, send } = this.#options;
    const base = `salt/beacon/${id}/${name}/`;
    const shown = events.slice(0, MAX_EVENTS).map(({ tag, ...data }): FiredEvent => ({
      tag: `${base}${tag === undefined ? "" : String(tag)}`,
      data: { ...data, id: data.id ?? id },
      beacon_name: module,
    }));
    const dropped = events.length - shown.length;
    if (dropped > 0) {
      log.warning("a beacon found too many events: the rest is dropped", { beacon: name, dropped });
      shown.push({
        tag: base,
        data: { id, error: `${dropped} events beyond the limit`, dropped },
        beacon_name: module,
      });
    }
    send(shown);
  }
}
