import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import process from "node:process";

const groups = new Set<number>();

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // All processes have ended already.
  }
}

process.on("exit", () => {
  for (const pid of groups) killGroup(pid, "SIGKILL");
});
// Without a handler these would end the process without an exit event.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));

export interface ProcessGroupOptions {
  env?: Record<string, string | undefined>;
  stdio: StdioOptions;
}

/**
 * A child process in a process group of its own, killed with all its descendants when this process ends: the daemons of real
 * Salt have children that outlive their parent.
 */
export class ProcessGroup {
  readonly child: ChildProcess;
  /** Resolves once the child has ended. */
  readonly exited: Promise<void>;
  /** How the child ended (`exit 1`, `exit SIGKILL`, or why it did not start); undefined while it runs. */
  ended: string | undefined;

  constructor(argv: readonly string[], { env = process.env, stdio }: ProcessGroupOptions) {
    this.child = spawn(argv[0]!, argv.slice(1), { detached: true, env, stdio });
    if (this.child.pid !== undefined) groups.add(this.child.pid);
    this.exited = new Promise((resolve) => {
      const end = (how: string) => {
        this.ended = how;
        resolve();
      };
      this.child.once("error", (error) => end(error.message));
      this.child.once("exit", (code, signal) => end(`exit ${code ?? signal}`));
    });
  }

  /** Undefined if the child could not be started. */
  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Sends a signal to all processes of the group. */
  signal(signal: NodeJS.Signals): void {
    if (this.pid !== undefined) killGroup(this.pid, signal);
  }

  /** Kills what is left of the group. */
  release(): void {
    if (this.pid === undefined) return;
    this.signal("SIGKILL");
    groups.delete(this.pid);
  }

  /** Asks the child to end (SIGTERM), kills the group after `graceMs`, and resolves once the child has ended. */
  async stop(graceMs: number): Promise<void> {
    if (this.pid === undefined) return;
    // A stopped process would not see the SIGTERM.
    this.signal("SIGCONT");
    if (this.ended === undefined) this.child.kill("SIGTERM");
    const timer = setTimeout(() => this.signal("SIGKILL"), graceMs);
    await this.exited;
    clearTimeout(timer);
    this.release();
  }
}
