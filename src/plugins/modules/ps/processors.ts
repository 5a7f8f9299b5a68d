import type { JobContext } from "../../../model/loader/family.ts";
import { toFloat, truthy } from "../../../language/python/values.ts";
import { splitLines } from "../../../language/python/text.ts";
import * as proc from "../../linux/proc.ts";

export const round = (value: number, digits = 0) => toFloat(Math.round(value * 10 ** digits) / 10 ** digits);

/** The lines of all processors together, then of each. */
export function processors({ runtime: { fs } }: JobContext) {
  return splitLines(fs.readText("/proc/stat")).filter((line) => /^cpu/.test(line)).map(proc.processorTimes);
}

export function cpuTimes(context: JobContext, each: unknown): unknown {
  const [all, ...single] = processors(context).map((times) =>
    Object.fromEntries(Object.entries(times).map(([name, ticks]) => [name, toFloat(ticks / proc.TICKS)]))
  );
  return truthy(each) ? single : all;
}

export async function cpuPercent(context: JobContext, interval: unknown, each: unknown): Promise<unknown> {
  const before = processors(context);
  await context.runtime.clock.sleep(Number(interval) * 1000, context.signal);
  const shares = processors(context).map((after, at) => {
    const spent = (names: (keyof typeof after)[]) =>
      names.reduce((sum, name) => sum + Math.max(0, after[name] - (before[at]?.[name] ?? 0)), 0);
    const busy = spent(["user", "nice", "system", "irq", "softirq", "steal"]);
    const all = busy + spent(["idle", "iowait"]);
    return round(all === 0 ? 0 : busy / all * 100, 1);
  });
  return truthy(each) ? shares.slice(1) : shares[0];
}
