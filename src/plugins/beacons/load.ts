import { type BeaconModule, settingsOf, VALID } from "../../model/loader/beacons.ts";
import { toFloat } from "../../language/python/values.ts";

const NAMES = ["1m", "5m", "15m"] as const;

type Averages = Record<(typeof NAMES)[number], number>;

const wrong = (comment: string): [boolean, string] => [false, comment];

/** The load averages, below a first or above a second threshold of any of them. */
export const beacon: BeaconModule = {
  validate(config) {
    const { emitatstartup, onchangeonly, averages } = settingsOf(config);
    for (const [option, value] of Object.entries({ emitatstartup, onchangeonly })) {
      if (value !== undefined && typeof value !== "boolean") {
        return wrong(`Configuration for load beacon option ${option} must be a boolean.`);
      }
    }
    if (averages === undefined) return wrong("Averages configuration is required for load beacon.");
    const given = averages as Record<string, unknown>;
    if (!NAMES.some((name) => Object.hasOwn(given ?? {}, name))) {
      return wrong("Averages configuration for load beacon must contain 1m, 5m or 15m items.");
    }
    for (const name of NAMES) {
      // As in Salt all three have to be there.
      if (!Array.isArray(given[name])) {
        return wrong("Averages configuration for load beacon: 1m, 5m and 15m items must be a list of two items.");
      }
      if (given[name].length !== 2) {
        return wrong("Configuration for load beacon: 1m, 5m and 15m items must be a list of two items.");
      }
    }
    return VALID;
  },
  beacon(_config, { settings, context, memory }) {
    const { emitatstartup = true, onchangeonly = false, averages } = settings as {
      emitatstartup?: boolean;
      onchangeonly?: boolean;
      averages: Record<string, [number, number]>;
    };
    const words = context.runtime.fs.readText("/proc/loadavg").split(" ");
    const now = Object.fromEntries(NAMES.map((name, at) => [name, Number(words[at])])) as Averages;
    const last = memory.get("last") as Averages | undefined ?? now;
    if (onchangeonly) {
      const first = !memory.has("last");
      memory.set("last", now);
      if (first && !emitatstartup) return [];
    }
    const told = NAMES.some((name) => {
      const [low, high] = averages[name]!.map(Number) as [number, number];
      if (!onchangeonly) return now[name] < low || now[name] > high;
      return now[name] > high && last[name] < high || now[name] < low && last[name] > low;
    });
    return told ? [Object.fromEntries(NAMES.map((name) => [name, toFloat(now[name])]))] : [];
  },
};
