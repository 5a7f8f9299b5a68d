import { type BeaconEvent, type BeaconModule, settingsOf, VALID } from "../../model/loader/beacons.ts";
import { isMap, lookup } from "../../language/python/values.ts";

const COUNTERS = ["bytes_sent", "bytes_recv", "packets_sent", "packets_recv", "errin", "errout", "dropin", "dropout"];

/** Counters of network interfaces that are equal to a number, or greater. */
export const beacon: BeaconModule = {
  validate(config) {
    const { interfaces = {} } = settingsOf(config);
    for (const own of Object.values(isMap(interfaces) ? interfaces as object : {})) {
      if (!isMap(own)) return [false, "Configuration for network_info beacon must be a list of dictionaries."];
      if (!["type", ...COUNTERS].some((name) => lookup(own, name) !== undefined)) {
        return [false, "Invalid configuration item in Beacon configuration."];
      }
    }
    return VALID;
  },
  beacon(_config, { settings, context }) {
    const all = perInterface(context);
    const found: BeaconEvent[] = [];
    for (const [name, own] of Object.entries(settings.interfaces as Record<string, Record<string, unknown>> ?? {})) {
      const counters = all[name];
      if (counters === undefined) continue;
      const matches = COUNTERS.some((counter) => {
        if (!Object.hasOwn(own, counter)) return false;
        const threshold = Number(own[counter]);
        return own.type === "greater" ? counters[counter]! > threshold : counters[counter] === threshold;
      });
      if (matches) found.push({ interface: name, network_info: counters });
    }
    return found;
  },
};

/** `/proc/net/dev`: what was received stands before what was sent. */
function perInterface(
  { runtime: { fs } }: Parameters<BeaconModule["beacon"]>[1]["context"],
): Record<string, Record<string, number>> {
  const lines = fs.readText("/proc/net/dev").split("\n").slice(2).filter((line) => line.includes(":"));
  return Object.fromEntries(lines.map((line) => {
    const [name = "", rest = ""] = line.split(":");
    const [bytes_recv, packets_recv, errin, dropin, , , , , bytes_sent, packets_sent, errout, dropout] = rest.trim()
      .split(/\s+/).map(Number);
    const counters = { bytes_sent, bytes_recv, packets_sent, packets_recv, errin, errout, dropin, dropout };
    return [name.trim(), counters as Record<string, number>];
  }));
}
