/** Processes of real Salt: its daemons have the names of these programs, and may hold their ports. */
import type { Runtime } from "../../src/runtime/runtime.ts";

/** The words of a process, as far as the system shows them. */
function wordsOf({ fs }: Pick<Runtime, "fs">, pid: number): string[] {
  try {
    return fs.readText(`/proc/${pid}/cmdline`).split(/[\0 ]+/).filter((word) => word !== "");
  } catch {
    return [];
  }
}

/** True if a process is a daemon of real Salt's: Python that runs a program of that name. */
export function isSaltsOwn(runtime: Pick<Runtime, "fs">, pid: number, program: string): boolean {
  const [first = "", ...others] = wordsOf(runtime, pid);
  const isNamed = (word: string) => word === program || word.endsWith(`/${program}`);
  return /(?:^|\/)python[\d.]*$/.test(first) && others.some(isNamed);
}

/** The processes of a daemon of real Salt's on this host; empty where the system does not show its processes. */
export function saltsOwn(runtime: Pick<Runtime, "fs">, program: string): number[] {
  try {
    return runtime.fs.list("/proc").filter((name) => /^\d+$/.test(name)).map(Number)
      .filter((pid) => isSaltsOwn(runtime, pid, program));
  } catch {
    return [];
  }
}
