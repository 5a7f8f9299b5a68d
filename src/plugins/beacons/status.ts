import { type BeaconModule, VALID } from "../../model/loader/beacons.ts";
import { isMap, lookup } from "../../language/python/values.ts";
import { CommandExecutionError } from "../../model/loader/family.ts";

/** What is told unless the configuration names functions. */
const USUAL = ["loadavg", "cpustats", "meminfo", "vmstats", "time"];

/** One value of an answer: of a map by its key, of a list by its number. */
function part(data: unknown, item: unknown): unknown {
  const found = isMap(data) ? lookup(data, item) : Array.isArray(data) ? data[Number(item)] : undefined;
  if (found === undefined) throw new RangeError(String(item));
  return found;
}

/** Answers of functions of the module `status`, whole (`all`) or in parts, each time. */
export const beacon: BeaconModule = {
  validate: () => VALID,
  async beacon(config, { context }) {
    const wanted = config.flatMap((item) => Object.entries(item)).filter(([name]) => !name.startsWith("_"));
    const entries = wanted.length > 0 ? wanted : USUAL.map((name) => [name, ["all"]] as const);
    const data: Record<string, unknown> = {};
    for (const [fun, items] of entries) {
      data[fun] = {};
      try {
        const answer = await context.call(`status.${fun}`);
        for (const item of [items].flat()) {
          if (item === "all") data[fun] = answer;
          else (data[fun] as Record<string, unknown>)[String(item)] = part(answer, item);
        }
      } catch (error) {
        if (error instanceof RangeError) data[fun] = `Status beacon is incorrectly configured: '${error.message}'`;
        else if (!(error instanceof CommandExecutionError)) throw error;
      }
    }
    // As Python's isoformat, in UTC, with microseconds.
    const tag = new Date(context.runtime.clock.now()).toISOString().replace("Z", "000");
    return [{ tag, data }];
  },
};
