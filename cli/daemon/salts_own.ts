/** Finds processes of real Salt: its daemons have the same names as Brine's, and may use their ports. */
import type { Runtime } from "../../src/runtime/runtime.ts";

/** The words of a process's command line; empty if the system does not show them. */
function wordsOf({ fs }: Pick<Runtime, "fs">, pid: number): string[] {
  try {
    return fs.readText(`/proc/${pid}/cmdline`).split(/[\0 ]+/).filter((word) => word !== "");
  } catch {
    return [];
  }
}

/** True if a process is real Salt's daemon: Python with a program of that name. */
export function isSaltsOwn(runtime: Pick<Runtime, "fs">, pid: number, program: string): boolean {
  const [first = "", ...others] = wordsOf(runtime, pid);
  const isNamed = (word: string) => word === program || word.endsWith(`/${program}`);
  return /(?:^|\/)python[\d.]*$/.test(first) && others.some(isNamed);
}

/** The processes of real Salt's daemon on this host; empty on a system that does not show processes. */
export function saltsOwn(runtime: Pick<Runtime, "fs">, program: string): number[] {
  try {
    return runtime.fs.list("/proc").filter((name) => /^\d+$/.test(name)).map(Number)
      .filter((pid) => isSaltsOwn(runtime, pid, program));
  } catch {
    return [];
  }
}
