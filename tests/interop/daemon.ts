/** Programs of Brine and of real Salt's as child processes, none of which outlives the tests. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { type Kind, saltProgram } from "./release.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");

function binary(name: string): string {
  const own = path.join(ROOT, "node_modules/.bin", name);
  return existsSync(own) ? own : name;
}

/** How each runtime runs a TypeScript file. */
const RUNTIMES: Record<string, () => string[]> = {
  node: () => [process.execPath],
  bun: () => [binary("bun")],
  deno: () => [binary("deno"), "run", "-A", "--no-check"],
};

/** The runtime of our side: `BRINE_RUNTIME`. */
export const RUNTIME = process.env.BRINE_RUNTIME ?? "node";

/** Words that start a program: `commandOf("brine", "salt-master")`. */
export function commandOf(kind: Kind, program: string): string[] {
  if (kind !== "brine") return [saltProgram(kind, program)];
  if (!Object.hasOwn(RUNTIMES, RUNTIME)) {
    throw new RangeError(`Unknown BRINE_RUNTIME "${RUNTIME}": expected one of ${Object.keys(RUNTIMES).join(", ")}`);
  }
  return [...RUNTIMES[RUNTIME]!(), path.join(ROOT, "cli", `${program}.ts`)];
}

/** Python warns of what its next release will drop; that is not Salt's output. */
const environment = (): Record<string, string | undefined> => ({
  ...process.env,
  PYTHONWARNINGS: "ignore",
  NO_COLOR: undefined,
});

const groups = new Set<number>();

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // All gone, which is what we want.
  }
}

process.on("exit", () => {
  for (const pid of groups) killGroup(pid, "SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));

/** What a command that ended had to say. */
export interface Answer {
  command: string;
  code: number | null;
  stdout: string;
  stderr: string;
  /** How long it took, in milliseconds. */
  ms: number;
}

/** Runs a command to its end; one that takes longer than `timeoutMs` is killed, and its code is null. */
export async function runCommand(argv: string[], options: { timeoutMs?: number } = {}): Promise<Answer> {
  const began = performance.now();
  const child = spawn(argv[0]!, argv.slice(1), {
    detached: true,
    env: environment(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const pid = child.pid;
  if (pid !== undefined) groups.add(pid);
  const collect = (stream: NodeJS.ReadableStream) => {
    let text = "";
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => text += chunk);
    return () => text;
  };
  const [stdout, stderr] = [collect(child.stdout!), collect(child.stderr!)];
  const timer = setTimeout(() => pid !== undefined && killGroup(pid, "SIGKILL"), options.timeoutMs ?? 90_000);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  }).finally(() => {
    clearTimeout(timer);
    if (pid !== undefined) {
      killGroup(pid, "SIGKILL");
      groups.delete(pid);
    }
  });
  return { command: argv.join(" "), code, stdout: stdout(), stderr: stderr(), ms: performance.now() - began };
}

/** A daemon in a process group of its own: real Salt's have children that outlive a parent. */
export class Daemon {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #logs: string[];
  readonly exited: Promise<void>;
  /** Set once it is no longer there. */
  ended: string | undefined;

  /** @param logs files that tell what it did; the first one gets its stdout and stderr */
  constructor(name: string, argv: string[], logs: string[]) {
    this.name = name;
    this.#logs = logs;
    const output = openSync(logs[0]!, "a");
    const child = spawn(argv[0]!, argv.slice(1), {
      detached: true,
      env: environment(),
      stdio: ["ignore", output, output],
    });
    closeSync(output);
    this.#child = child;
    if (child.pid !== undefined) groups.add(child.pid);
    this.exited = new Promise((resolve) => {
      child.once("error", (error) => {
        this.ended = error.message;
        resolve();
      });
      child.once("exit", (code, signal) => {
        this.ended = `exit ${code ?? signal}`;
        resolve();
      });
    });
  }

  /** To every process of the daemon. */
  signal(signal: NodeJS.Signals): void {
    if (this.#child.pid !== undefined) killGroup(this.#child.pid, signal);
  }

  /** Asks it to end, and makes sure that it has. */
  async stop(graceMs = 10_000): Promise<void> {
    const pid = this.#child.pid;
    if (pid === undefined) return;
    this.signal("SIGCONT");
    if (this.ended === undefined) this.#child.kill("SIGTERM");
    const timer = setTimeout(() => this.signal("SIGKILL"), graceMs);
    await this.exited;
    clearTimeout(timer);
    this.signal("SIGKILL");
    groups.delete(pid);
  }

  /** The end of its logs, for a failure's message. */
  tail(lines = 25): string {
    return this.#logs.filter((file) => existsSync(file)).map((file) => {
      const text = readFileSync(file, "utf8").trimEnd();
      return text === "" ? "" : `--- ${this.name}: ${file}\n${text.split("\n").slice(-lines).join("\n")}\n`;
    }).join("");
  }
}
