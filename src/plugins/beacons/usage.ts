import { type BeaconModule, settingsOf, VALID } from "../../model/loader/beacons.ts";

/** A threshold such as `80`, `"80%"` or `80.5`. */
export function percentOf(value: unknown): number {
  return Number(typeof value === "string" ? value.replaceAll("%", "") : value);
}

/** A beacon for what is used of something, as `percent` of a function's answer. */
export function usageBeacon(name: string, fun: string): BeaconModule {
  return {
    validate: (config) =>
      Object.hasOwn(settingsOf(config), "percent")
        ? VALID
        : [false, `Configuration for ${name} beacon requires percent.`],
    async beacon(_config, { settings, context }) {
      const { percent } = await context.call(fun) as { percent: unknown };
      return Number(percent) >= percentOf(settings.percent) ? [{ [name]: percent }] : [];
    },
  };
}

/** Used memory, at a percentage or more. */
export const memusage: BeaconModule = usageBeacon("memusage", "ps.virtual_memory");

/** Used swap space, at a percentage or more. */
export const swapusage: BeaconModule = usageBeacon("swapusage", "ps.swap_memory");
