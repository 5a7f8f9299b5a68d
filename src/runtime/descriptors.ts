import type { FileSystem } from "./fs.ts";
import type { ProcessHost } from "./process.ts";

/** Files and connections that this process may have open at once; undefined where the system does not report it, or has no limit. */
export function descriptorLimit(fs: Pick<FileSystem, "readText">, pid: number | "self" = "self"): number | undefined {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(fs.readText(`/proc/${pid}/limits`)) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    // Only Linux has /proc/PID/limits.
    return undefined;
  }
}

/** The variable that hands the result of {@link limitForPrograms} to a daemon, which has no parent process to read it from. */
export const LIMIT_VARIABLE = "BRINE_OPEN_FILES";
/** The most parent processes that are read: a job's process runs a command, the minion runs that process, a shell runs the minion. */
const MAX_PARENTS = 8;
/** The soft and hard limits that systemd gives to services by default. */
const SYSTEMD = { soft: 1024, hard: 524_288 };

/**
 * The limit of open files for programs that this process starts: the limit before the runtime raised it to the hard limit, for this
 * process and all that it starts. Undefined if the limit of this process is right for programs, too.
 */
export function limitForPrograms(
  { fs, process }: { fs: Pick<FileSystem, "readText">; process: Pick<ProcessHost, "env" | "pid"> },
): number | undefined {
  const own = descriptorLimit(fs);
  if (own === undefined) return undefined;
  const given = Number(process.env(LIMIT_VARIABLE));
  if (given > 0) return given < own ? given : undefined;
  let pid = process.pid;
  for (let count = 0; count < MAX_PARENTS; count++) {
    const parent = parentOf(fs, pid);
    if (parent === undefined) return undefined;
    // Process 1 says nothing about the limits of others. A service of systemd is recognized by its environment and its hard limit.
    if (parent <= 1) {
      return process.env("INVOCATION_ID") !== undefined && own === SYSTEMD.hard ? SYSTEMD.soft : undefined;
    }
    const limit = descriptorLimit(fs, parent);
    if (limit !== undefined && limit < own) return limit;
    pid = parent;
  }
  return undefined;
}

function parentOf(fs: Pick<FileSystem, "readText">, pid: number): number | undefined {
  try {
    const [, parent] = /^PPid:\s*(\d+)/m.exec(fs.readText(`/proc/${pid}/status`)) ?? [];
    return parent === undefined ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}

/** The most descriptors that are reserved. */
const RESERVE = 1000;

/**
 * Descriptors that incoming connections may take: all but a fifth, at most a thousand, which are for files, the programs that
 * are started, and the other programs of this host. Infinity where there is no limit.
 */
export function descriptorsForOthers(fs: Pick<FileSystem, "readText">): number {
  const limit = descriptorLimit(fs) ?? Infinity;
  return limit === Infinity ? Infinity : limit - Math.min(Math.ceil(limit / 5), RESERVE);
}
