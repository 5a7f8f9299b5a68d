import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { ProcessGroup } from "./process_group.ts";
import { ENVIRONMENT } from "./run_command.ts";

const FILES = 8192;

/** Raises the limit of open files where it is lower: a thousand minions are two thousand connections. */
function withFiles(argv: readonly string[]): string[] {
  const { stdout } = spawnSync("sh", ["-c", "ulimit -n"], { encoding: "utf8" });
  const limit = stdout.trim();
  if (limit === "unlimited" || Number(limit) >= FILES) return [...argv];
  return ["sh", "-c", `ulimit -n ${FILES}; exec "$@"`, "sh", ...argv];
}

/** A daemon that is measured: its output, its memory and its processor time. */
export class Daemon {
  readonly #group: ProcessGroup;
  readonly #lines: string[] = [];
  readonly #wanted: ((line: string) => void)[] = [];
  readonly #output: string | undefined;

  /** @param output a file for its output; without one, its lines are read by {@link Daemon.line} */
  constructor(argv: readonly string[], output?: string) {
    this.#output = output;
    const out = output === undefined ? "pipe" : openSync(output, "a");
    this.#group = new ProcessGroup(withFiles(argv), {
      env: ENVIRONMENT,
      stdio: ["pipe", out, out === "pipe" ? "inherit" : out],
    });
    if (out !== "pipe") closeSync(out);
    void this.#group.exited.then(() => {
      for (const wanted of this.#wanted.splice(0)) wanted("");
    });
    if (output === undefined) {
      createInterface({ input: this.#group.child.stdout! }).on("line", (line) => {
        const wanted = this.#wanted.shift();
        if (wanted === undefined) this.#lines.push(line);
        else wanted(line);
      });
    }
  }

  get pid(): number {
    return this.#group.pid!;
  }

  /** How it ended; undefined while it runs. */
  get ended(): string | undefined {
    return this.#group.ended;
  }

  /** The next line of its output. */
  async line(): Promise<string> {
    const line = this.#lines.shift() ?? await new Promise<string>((resolve) => {
      if (this.ended !== undefined) resolve("");
      else this.#wanted.push(resolve);
    });
    if (line === "" && this.ended !== undefined) throw new Error(`The process has ended (${this.ended})`);
    return line;
  }

  /** Writes a line to its stdin. */
  tell(line: string): void {
    this.#group.child.stdin!.write(`${line}\n`);
  }

  /** Ends all its processes as the kernel does when memory is short. */
  kill(): void {
    this.#group.signal("SIGKILL");
  }

  stop(graceMs = 5000): Promise<void> {
    return this.#group.stop(graceMs);
  }

  /** The last lines of its output. */
  tail(): string {
    return this.#output === undefined
      ? ""
      : readFileSync(this.#output, "utf8").trimEnd().split("\n").slice(-15).join("\n");
  }

  /** Its processes, also those with groups of their own: pid, and the fields of `/proc/PID/stat` from the state on. */
  #processes(): { pid: string; stat: string[] }[] {
    const all: { pid: string; stat: string[] }[] = [];
    for (const pid of existsSync("/proc/self/stat") ? readdirSync("/proc") : []) {
      if (!/^\d+$/.test(pid)) continue;
      try {
        const text = readFileSync(`/proc/${pid}/stat`, "utf8");
        // pid (comm) state ppid pgrp: a comm may have blanks and brackets.
        const stat = text.slice(text.lastIndexOf(")") + 2).split(" ");
        all.push({ pid, stat });
      } catch {
        // The process ended after the directory was read.
      }
    }
    const found = new Set(all.filter(({ stat }) => Number(stat[2]) === this.pid));
    const pids = new Set([...found].map(({ pid }) => pid));
    // Children come after their parents, except where pids have started again from the lowest.
    for (let before = -1; before !== found.size;) {
      before = found.size;
      for (const one of all) {
        if (found.has(one) || !pids.has(one.stat[1]!)) continue;
        found.add(one);
        pids.add(one.pid);
      }
    }
    return [...found];
  }

  /** Proportional set size of all its processes, in bytes; undefined where the system does not report it. */
  pss(): number | undefined {
    let total: number | undefined;
    for (const { pid } of this.#processes()) {
      try {
        const [, kilobytes] = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))!;
        total = (total ?? 0) + Number(kilobytes) * 1024;
      } catch {
        // The process ended after the directory was read.
      }
    }
    return total;
  }

  /** Processor time of all its running processes, in milliseconds; undefined where the system does not report it. */
  cpuMs(): number | undefined {
    // User and system time, in ticks: Linux reports a hundred a second, whatever the rate of the kernel.
    const times = this.#processes().map(({ stat }) => (Number(stat[11]) + Number(stat[12])) * 10);
    return times.length === 0 ? undefined : times.reduce((sum, time) => sum + time, 0);
  }
}
