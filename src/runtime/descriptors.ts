import type { FileSystem } from "./fs.ts";

/** Files and connections that this process may have open at once; undefined where the system does not report it, or has no limit. */
export function descriptorLimit(fs: Pick<FileSystem, "readText">): number | undefined {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(fs.readText("/proc/self/limits")) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    // Only Linux has it.
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
