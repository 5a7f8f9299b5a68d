import { type BeaconEvent, type BeaconModule, VALID } from "../../model/loader/beacons.ts";
import { compilePattern } from "../../language/python/regexp.ts";
import { toFloat } from "../../language/python/values.ts";
import { mounts } from "../linux/proc.ts";
import { percentOf } from "./usage.ts";

/** Used space, in percent of what users can have, with one digit behind the point. */
function usage(space: { total: number; free: number; available: number }): number {
  const used = space.total - space.free;
  const all = used + space.available;
  return all === 0 ? 0 : Math.round(used / all * 1000) / 10;
}

/** Mount points, by regular expressions of their whole path, whose space is used to a percentage or more. */
export const beacon: BeaconModule = {
  validate: () => VALID,
  beacon(config, { context: { runtime: { fs }, log } }) {
    const found: BeaconEvent[] = [];
    for (const item of config) {
      const [pattern, threshold] = Object.entries(item)[0] ?? [];
      if (pattern === undefined || pattern.startsWith("_")) continue;
      const matches = compilePattern(pattern.endsWith("$") ? pattern : `${pattern}$`);
      for (const { path } of mounts(fs)) {
        if (!matches(path)) continue;
        try {
          const diskusage = usage(fs.space(path));
          if (diskusage >= percentOf(threshold)) found.push({ diskusage: toFloat(diskusage), mount: path });
        } catch {
          log.warning("is not a valid mount point", { path });
        }
      }
    }
    return found;
  },
};
