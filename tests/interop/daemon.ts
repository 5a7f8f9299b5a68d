/** Programs of Brine and of real Salt's as child processes, none of which outlives the tests. */
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { daemonDirectory } from "../../bench/bed/daemon_directory.ts";
import { ProcessGroup } from "../../bench/bed/process_group.ts";
import { ENVIRONMENT } from "../../bench/bed/run_command.ts";
import { brineCommand, runtimeNamed } from "../../bench/bed/runtimes.ts";
import { saltProgram } from "../../bench/bed/salt_release.ts";
import type { Kind } from "./release.ts";

/** The runtime of our side: `BRINE_RUNTIME`. */
export const RUNTIME = runtimeNamed(process.env.BRINE_RUNTIME ?? "node");

/** Words that start a program: `commandOf("brine", "salt-master")`. */
export function commandOf(kind: Kind, program: string): string[] {
  if (kind !== "brine") return [saltProgram(kind, program)];
  return brineCommand(program, RUNTIME);
}

/** Makes the directories of a daemon below `folder`, and writes its configuration with these options. */
export function configureDaemon(folder: string, name: "master" | "minion", options: Record<string, unknown>): void {
  const settings = {
    ...daemonDirectory(folder),
    log_level: "warning",
    log_level_logfile: process.env.BRINE_INTEROP_LOG ?? "info",
    ...options,
  };
  // JSON is YAML.
  writeFileSync(path.join(folder, "etc", name), JSON.stringify(settings, null, 2));
}

/** A daemon in a process group of its own: real Salt's have children that outlive a parent. */
export class Daemon {
  readonly name: string;
  readonly #group: ProcessGroup;
  readonly #logs: string[];

  /** @param logs files to show when a test fails; the first one gets stdout and stderr @param env what its environment has beside */
  constructor(name: string, argv: string[], logs: string[], env: Record<string, string> = {}) {
    this.name = name;
    this.#logs = logs;
    const output = openSync(logs[0]!, "a");
    this.#group = new ProcessGroup(argv, { env: { ...ENVIRONMENT, ...env }, stdio: ["ignore", output, output] });
    closeSync(output);
  }

  /** Resolves once it has ended. */
  get exited(): Promise<void> {
    return this.#group.exited;
  }

  /** How it ended; undefined while it runs. */
  get ended(): string | undefined {
    return this.#group.ended;
  }

  /** Sends a signal to all processes of the daemon. */
  signal(signal: NodeJS.Signals): void {
    this.#group.signal(signal);
  }

  /** Stops it, with SIGKILL after `graceMs`. */
  stop(graceMs = 10_000): Promise<void> {
    return this.#group.stop(graceMs);
  }

  /** The last lines of its logs, for the message of a failure. */
  tail(lines = 25): string {
    return this.#logs.filter((file) => existsSync(file)).map((file) => {
      const text = readFileSync(file, "utf8").trimEnd();
      return text === "" ? "" : `--- ${this.name}: ${file}\n${text.split("\n").slice(-lines).join("\n")}\n`;
    }).join("");
  }
}
