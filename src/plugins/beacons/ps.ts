import { type BeaconEvent, type BeaconModule, settingsOf, VALID } from "../../model/loader/beacons.ts";
import { isMap } from "../../language/python/values.ts";
import { processIds, processStat } from "../linux/proc.ts";

/** Processes that run, or do not run, by name. */
export const beacon: BeaconModule = {
  validate(config) {
    const { processes } = settingsOf(config);
    if (processes === undefined) return [false, "Configuration for ps beacon requires processes."];
    return isMap(processes) ? VALID : [false, "Processes for ps beacon must be a dictionary."];
  },
  beacon(_config, { settings, context: { runtime: { fs } } }) {
    const names = new Set(processIds(fs).map((pid) => processStat(fs, pid)?.name));
    return Object.entries(settings.processes as Record<string, unknown>).flatMap(([name, wanted]): BeaconEvent[] => {
      const runs = names.has(name);
      if (wanted === "running") return runs ? [{ [name]: "Running" }] : [];
      if (wanted === "stopped") return runs ? [] : [{ [name]: "Stopped" }];
      return runs ? [] : [{ [name]: false }];
    });
  },
};
