import { executionFunction, type JobContext } from "../../../model/loader/family.ts";
import { toFloat, toInteger } from "../../../language/python/values.ts";
import { splitLines, splitWords } from "../../../language/python/text.ts";
import * as proc from "../../linux/proc.ts";
import { round } from "./processors.ts";

type Facts = Record<string, unknown>;

/** The sizes of `/proc/meminfo`, in bytes. */
export function memory({ runtime: { fs } }: JobContext): (name: string) => number {
  const text = fs.readText("/proc/meminfo");
  const sizes = new Map(
    splitLines(text).map((line) => {
      const [name = "", size] = splitWords(line);
      return [name.slice(0, -1), Number(size) * 1024];
    }),
  );
  return (name) => sizes.get(name) ?? 0;
}

export const virtualMemory = executionFunction({
  signature: "",
  doc: "The usage of memory, in bytes.\n\n    salt '*' ps.virtual_memory",
  run(context): Facts {
    const size = memory(context);
    const [total, available] = [size("MemTotal"), size("MemAvailable")];
    return {
      total,
      available,
      percent: round((total - available) / total * 100, 1),
      used: total - available,
      free: size("MemFree"),
      active: size("Active"),
      inactive: size("Inactive"),
      buffers: size("Buffers"),
      cached: size("Cached") + size("SReclaimable"),
      shared: size("Shmem"),
      slab: size("Slab"),
    };
  },
});

export const swapMemory = executionFunction({
  signature: "",
  doc: "The usage of swap, in bytes.\n\n    salt '*' ps.swap_memory",
  run(context): Facts {
    const size = memory(context);
    const [total, free] = [size("SwapTotal"), size("SwapFree")];
    const counters = new Map(
      splitLines(context.runtime.fs.readText("/proc/vmstat")).map((line) => line.split(" ") as [string, string]),
    );
    const paged = (name: string) => toInteger(BigInt(counters.get(name) ?? 0) * BigInt(proc.PAGE_BYTES));
    const percent = total === 0 ? toFloat(0) : round((total - free) / total * 100, 1);
    return { total, used: total - free, free, percent, sin: paged("pswpin"), sout: paged("pswpout") };
  },
});
