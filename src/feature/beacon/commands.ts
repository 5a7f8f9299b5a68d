/** Handles the event `manage_beacons` on a minion's bus, by which functions change beacons. */
import { isMap } from "../../language/python/values.ts";
import { plainConfig } from "./config.ts";
import type { Beacons, Changed } from "./configured_beacons.ts";
import type { BeaconWatch } from "./run_beacons.ts";

type Data = Record<string, unknown>;

interface BeaconCommandsOptions {
  beacons: Beacons;
  watch: BeaconWatch;
  /** Fires the event with the answer. */
  fire(tag: string, data: Data): void;
}

/**
 * Handles a request `{func, name, beacon_data, include_pillar, include_opts}`, and answers as Salt does.
 *
 * @throws {TypeError} for an unknown function
 * @see salt/minion.py Minion.manage_beacons
 */
export function beaconCommands({ beacons, watch, fire }: BeaconCommandsOptions): (data: Data) => Promise<void> {
  const answer = (name: string, changed: Changed | Data) => fire(`/salt/minion/${name}_complete`, { ...changed });
  return async (data) => {
    const name = String(data.name ?? "");
    const given = plainConfig(data.beacon_data);
    switch (data.func) {
      case "list": {
        const all = beacons.all({ pillar: data.include_pillar !== false, own: data.include_opts !== false });
        return answer("minion_beacons_list", { complete: true, beacons: all });
      }
      case "list_available":
        return answer("minion_beacons_list_available", { complete: true, beacons: await watch.available() });
      case "validate_beacon": {
        const [valid, vcomment] = await watch.validate(name, given);
        return answer("minion_beacon_validation", { complete: true, vcomment, valid });
      }
      case "add":
        return answer("minion_beacon_add", beacons.add(name, given));
      case "modify":
        return answer("minion_beacon_modify", beacons.modify(name, given));
      case "delete":
        return answer("minion_beacon_delete", beacons.delete(name));
      case "enable":
        return answer("minion_beacons_enabled", beacons.enable(true));
      case "disable":
        return answer("minion_beacons_disabled", beacons.enable(false));
      case "enable_beacon":
        return answer("minion_beacon_enabled", beacons.enableOne(name, true));
      case "disable_beacon":
        return answer("minion_beacon_disabled", beacons.enableOne(name, false));
      case "reset":
        return answer("minion_beacon_reset", beacons.reset());
    }
    throw new TypeError(`Unknown command "${isMap(data.func) ? "…" : data.func}" of beacons`);
  };
}
