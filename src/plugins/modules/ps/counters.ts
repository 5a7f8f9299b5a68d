import type { JobContext } from "../../../model/loader/family.ts";
import { toInteger, truthy } from "../../../language/python/values.ts";
import { splitLines, splitWords } from "../../../language/python/text.ts";
import { exists } from "../../linux/paths.ts";

type Facts = Record<string, unknown>;

/** Names beside the column of `/proc/diskstats` where each is, and the bytes of what it counts. */
const DISK_COUNTERS: [name: string, column: number, unit: bigint][] = [
  ["read_count", 3, 1n],
  ["write_count", 7, 1n],
  ["read_bytes", 5, 512n],
  ["write_bytes", 9, 512n],
  ["read_time", 6, 1n],
  ["write_time", 10, 1n],
  ["read_merged_count", 4, 1n],
  ["write_merged_count", 8, 1n],
  ["busy_time", 12, 1n],
];

const NET_COUNTERS: [name: string, column: number, unit: bigint][] = [
  ["bytes_sent", 8, 1n],
  ["bytes_recv", 0, 1n],
  ["packets_sent", 9, 1n],
  ["packets_recv", 1, 1n],
  ["errin", 2, 1n],
  ["errout", 10, 1n],
  ["dropin", 3, 1n],
  ["dropout", 11, 1n],
];

const sums = (rows: string[][], counters: typeof DISK_COUNTERS): Facts =>
  Object.fromEntries(
    counters.map(([name, column, unit]) => [
      name,
      toInteger(rows.reduce((sum, row) => sum + BigInt(row[column] ?? 0) * unit, 0n)),
    ]),
  );

export function diskCounters({ runtime: { fs } }: JobContext, device: unknown): Facts | false {
  const rows = splitLines(fs.readText("/proc/diskstats")).map(splitWords);
  if (truthy(device)) {
    const row = rows.find((words) => words[2] === device);
    return row === undefined ? false : sums([row], DISK_COUNTERS);
  }
  // Partitions are counted with the disk that they are on.
  const disks = rows.filter(([, , name = ""]) => exists(fs, `/sys/block/${name.replaceAll("/", "!")}`));
  return disks.length === 0 ? false : sums(disks, DISK_COUNTERS);
}

export function netCounters({ runtime: { fs } }: JobContext, wanted: unknown): Facts | false {
  const rows = splitLines(fs.readText("/proc/net/dev")).slice(2).map((line) => {
    const colon = line.lastIndexOf(":");
    return { name: line.slice(0, colon).trim(), counts: splitWords(line.slice(colon + 1)) };
  });
  const chosen = truthy(wanted) ? rows.filter(({ name }) => name === wanted) : rows;
  return chosen.length === 0 ? false : sums(chosen.map(({ counts }) => counts), NET_COUNTERS);
}
