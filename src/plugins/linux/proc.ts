import { toInteger } from "../../language/python/values.ts";
import { splitLines, splitWords } from "../../language/python/text.ts";
import type { FileSystem } from "../../runtime/fs.ts";

/** Ticks of a second, in which the kernel counts time for programs: a constant of every architecture that we run on. */
export const TICKS = 100;

/** Bytes of a page of memory, as `/proc/<pid>/statm` counts. */
export const PAGE_BYTES = 4096;

/** A counter of the kernel; a text that is not a number stays a text. */
export function countIn(text: string): number | bigint | string {
  return /^-?\d+$/.test(text) ? toInteger(BigInt(text)) : text;
}

const TIMES = ["user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice"] as const;

/** A `cpu` line of `/proc/stat`, in ticks. */
export function processorTimes(line: string): Record<typeof TIMES[number], number> {
  const counts = splitWords(line).slice(1).map(Number);
  return Object.fromEntries(TIMES.map((name, at) => [name, counts[at] ?? 0])) as Record<typeof TIMES[number], number>;
}

/** The states of processes by their letter. */
const STATES: Record<string, string> = {
  R: "running",
  S: "sleeping",
  D: "disk-sleep",
  T: "stopped",
  t: "tracing-stop",
  Z: "zombie",
  X: "dead",
  x: "dead",
  K: "wake-kill",
  W: "waking",
  I: "idle",
  P: "parked",
};

/** What `/proc/<pid>/stat` says of a process; times are in ticks. */
export interface ProcessStat {
  pid: number;
  name: string;
  status: string;
  ppid: number;
  terminal: number;
  nice: number;
  threads: number;
  processor: number;
  /** Since boot. */
  started: number;
  times: { user: number; system: number; childrenUser: number; childrenSystem: number; iowait: number };
}

/** The pids of all processes, ascending. */
export function processIds(fs: FileSystem): number[] {
  return fs.list("/proc").filter((name) => /^\d+$/.test(name)).map(Number).sort((a, b) => a - b);
}

/** Undefined if the process does not exist or has ended. */
export function processStat(fs: FileSystem, pid: number): ProcessStat | undefined {
  let text: string;
  try {
    text = fs.readText(`/proc/${pid}/stat`);
  } catch {
    return undefined;
  }
  // The name stands in brackets and may have brackets and blanks of its own.
  const end = text.lastIndexOf(")");
  const fields = splitWords(text.slice(end + 1));
  const count = (at: number) => Number(fields[at] ?? 0);
  let name = text.slice(text.indexOf("(") + 1, end);
  if (name.length >= 15) {
    // The kernel truncates names; the command line has the rest.
    const full = commandLine(fs, pid)[0]?.replace(/^.*\//, "") ?? "";
    if (full.startsWith(name)) name = full;
  }
  return {
    pid,
    name,
    status: STATES[fields[0] ?? ""] ?? "?",
    ppid: count(1),
    terminal: count(4),
    nice: count(16),
    threads: count(17),
    processor: count(36),
    started: count(19),
    times: {
      user: count(11),
      system: count(12),
      childrenUser: count(13),
      childrenSystem: count(14),
      iowait: count(39),
    },
  };
}

/** The command line of a process; empty for kernel threads, or if it may not be read. */
export function commandLine(fs: FileSystem, pid: number): string[] {
  let text: string;
  try {
    text = fs.readText(`/proc/${pid}/cmdline`);
  } catch {
    return [];
  }
  if (text === "") return [];
  // A process that has renamed itself may have blanks in place of the zeros.
  const separator = text.endsWith("\0") ? "\0" : " ";
  const words = (text.endsWith(separator) ? text.slice(0, -1) : text).split(separator);
  return separator === "\0" && words.length === 1 && words[0]!.includes(" ") ? words[0]!.split(" ") : words;
}

/** The fields of `/proc/<pid>/status`, none if the process has gone. */
export function processFields(fs: FileSystem, pid: number): Record<string, string> {
  try {
    return Object.fromEntries(
      splitLines(fs.readText(`/proc/${pid}/status`)).map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon), line.slice(colon + 1).trim()];
      }),
    );
  } catch {
    return {};
  }
}

export interface Mount {
  device: string;
  path: string;
  type: string;
  options: string;
}

/** The mounted file systems. Blanks and the like are escaped as octal numbers there. */
export function mounts(fs: FileSystem): Mount[] {
  const plain = (text = "") =>
    text.replace(/\\([0-7]{3})/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 8)));
  return splitLines(fs.readText("/proc/self/mounts")).map((line) => {
    const [device, path, type = "", options = ""] = splitWords(line);
    return { device: plain(device), path: plain(path), type, options };
  });
}
