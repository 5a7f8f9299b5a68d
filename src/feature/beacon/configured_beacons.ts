/** The beacons of a minion: which are configured, and what changes them. */
import { deepCopy } from "../../language/python/copy.ts";
import { isMap, lookup } from "../../language/python/values.ts";
import { type BeaconConfig, configOf, itemsOf } from "./config.ts";

/** The result of a change, as sent in the event that answers the request. */
export interface Changed {
  complete: boolean;
  comment?: string;
  beacons: BeaconConfig;
}

/** The configured beacons: those of the minion's files and of `beacons.*` functions, and those of its pillar. */
export class Beacons {
  #own: BeaconConfig;
  readonly #pillar: () => unknown;
  readonly #onChange: (name?: string) => void;

  /**
   * @param own the option `beacons`
   * @param pillar returns the current value of `beacons` in the pillar
   * @param onChange is called with the name of a beacon whose configuration has changed; without a name for all beacons
   */
  constructor(own: unknown, pillar: () => unknown, onChange: (name?: string) => void) {
    this.#own = configOf(own) ?? {};
    this.#pillar = pillar;
    this.#onChange = onChange;
  }

  /** All beacons in one map. For equal names, the configuration takes precedence over the pillar. */
  all({ pillar = true, own = true } = {}): BeaconConfig {
    return { ...(pillar ? configOf(this.#pillar()) ?? {} : {}), ...(own ? deepCopy(this.#own) as BeaconConfig : {}) };
  }

  /**
   * The beacons that run. As in Salt, if the pillar has beacons, only these run. `beacons.disable` applies to them as well.
   *
   * @returns `unseen`: the names of configured beacons that do not run
   */
  looking(): { beacons: BeaconConfig; unseen: string[] } {
    const pillar = this.#pillar();
    const given = pillar === undefined || pillar === null ? undefined : configOf(pillar);
    if (given === undefined) return { beacons: this.all({ pillar: false }), unseen: [] };
    const { enabled } = this.#own;
    const unseen = Object.keys(this.#own).filter((name) => name !== "enabled" && !Object.hasOwn(given, name));
    return { beacons: { ...given, ...(enabled === false ? { enabled } : {}) }, unseen };
  }

  #isOfPillar(name: string): boolean {
    return Object.hasOwn(configOf(this.#pillar()) ?? {}, name);
  }

  #changed(comment?: string): Changed {
    return { complete: true, ...(comment === undefined ? {} : { comment }), beacons: this.all({ pillar: false }) };
  }

  #refused(comment: string): Changed {
    return { complete: false, comment, beacons: this.all({ pillar: false }) };
  }

  #set(name: string, data: unknown): void {
    this.#own[name] = data;
    this.#onChange(name);
  }

  add(name: string, data: unknown): Changed {
    if (this.#isOfPillar(name)) {
      return this.#refused(`Cannot update beacon item ${name}, because it is configured in pillar.`);
    }
    const known = Object.hasOwn(this.#own, name);
    this.#set(name, data);
    return this.#changed(known ? `Updating settings for beacon item: ${name}` : `Added new beacon item: ${name}`);
  }

  modify(name: string, data: unknown): Changed {
    if (this.#isOfPillar(name)) {
      return this.#refused(`Cannot modify beacon item ${name}, it is configured in pillar.`);
    }
    this.#set(name, data);
    return this.#changed(`Updating settings for beacon item: ${name}`);
  }

  delete(name: string): Changed {
    if (this.#isOfPillar(name)) {
      return this.#refused(`Cannot delete beacon item ${name}, it is configured in pillar.`);
    }
    if (!Object.hasOwn(this.#own, name)) return this.#changed(`Beacon item ${name} not found.`);
    delete this.#own[name];
    this.#onChange(name);
    return this.#changed(`Deleting beacon item: ${name}`);
  }

  enable(enabled: boolean): Changed {
    this.#own.enabled = enabled;
    this.#onChange();
    return this.#changed();
  }

  enableOne(name: string, enabled: boolean): Changed {
    const [verb, doing] = enabled ? ["enable", "Enabling"] : ["disable", "Disabling"];
    if (this.#isOfPillar(name)) {
      return this.#refused(`Cannot ${verb} beacon item ${name}, it is configured in pillar.`);
    }
    const config = this.#own[name];
    if (isMap(config)) this.#set(name, { ...config, enabled });
    else {
      const items = itemsOf(config);
      if (items === undefined) return this.#refused(`Cannot ${verb} beacon item ${name}, it is not configured.`);
      const at = items.findIndex((item) => Object.hasOwn(item, "enabled"));
      this.#set(name, at === -1 ? [...items, { enabled }] : items.with(at, { ...items[at], enabled }));
    }
    return this.#changed(`${doing} beacon item ${name}`);
  }

  /** Removes `enabled: true` from the list of a beacon that runs, as Salt does. */
  settle(name: string): void {
    const config = this.#own[name];
    if (Array.isArray(config)) {
      this.#own[name] = config.filter((item) => !isMap(item) || lookup(item, "enabled") !== true);
    }
  }

  reset(): Changed {
    this.#own = {};
    this.#onChange();
    return this.#changed("Beacons have been reset");
  }
}
