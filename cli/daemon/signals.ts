/** Handles SIGUSR1 and SIGUSR2 in a daemon: a status report, and a profile of its processor time. */
import { joinPath } from "../../src/base/paths.ts";
import { messageOf } from "../../src/base/errors.ts";
import type { Logger } from "../../src/base/log.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { LastErrors } from "./last_errors.ts";
import { LoopDelay } from "./loop_delay.ts";
import { VERSION } from "../../src/base/version.ts";

declare const process: {
  memoryUsage(): Record<string, number>;
  cpuUsage(): { user: number; system: number };
  getActiveResourcesInfo?(): string[];
  getBuiltinModule(name: "node:inspector"): typeof import("node:inspector") | undefined;
};

/** How long a profile takes, in milliseconds. */
const PROFILE_MS = 5000;

interface DaemonSignalOptions {
  runtime: Runtime;
  log: Logger;
  /** Name of the program, for the files: `salt-master`. */
  program: string;
  /** Directory of the files, which only this user can read. */
  directory: string;
  /** Returns the daemon's own part of the report. */
  status(): Record<string, unknown>;
  /** The last errors in the daemon's log. @default none */
  errors?: Pick<LastErrors, "list">;
  /** Duration of a profile, in milliseconds. @default 5000 */
  profileMs?: number;
}

/**
 * Makes the report, with the same layout for all daemons: figures of the process; `last_errors`; `parts` (its child processes);
 * and the daemon's own part, with `connections`, `queues` and `jobs`.
 */
function report(
  { runtime, program, status, errors }: DaemonSignalOptions,
  startedMs: number,
  delay: LoopDelay,
): Record<string, unknown> {
  const { clock, host } = runtime;
  const now = clock.now();
  const cpu = process.cpuUsage();
  return {
    program,
    version: VERSION,
    runtime: host.runtimeVersion().join(" "),
    pid: runtime.process.pid,
    time: new Date(now).toISOString(),
    uptime_seconds: Math.round((now - startedMs) / 100) / 10,
    cpu_seconds: { user: cpu.user / 1e6, system: cpu.system / 1e6 },
    memory: process.memoryUsage(),
    resources: counted(process.getActiveResourcesInfo?.() ?? []),
    event_loop_delay: delay.recent,
    last_errors: errors?.list() ?? [],
    parts: [],
    connections: {},
    queues: {},
    jobs: {},
    ...status(),
  };
}

/** Counts the resources that keep a Node process running, such as timers and sockets, by kind. */
function counted(kinds: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** A profile of processor time in V8's format; undefined if the runtime cannot make one. */
async function profile(sleep: () => Promise<void>): Promise<string | undefined> {
  const inspector = process.getBuiltinModule("node:inspector");
  if (inspector?.Session === undefined) return undefined;
  // The session is inside this process: no port is opened.
  const session = new inspector.Session();
  session.connect();
  try {
    const post = (method: string) =>
      new Promise<unknown>((resolve, reject) =>
        session.post(method, (error: Error | null, result?: unknown) => error ? reject(error) : resolve(result))
      );
    await post("Profiler.enable");
    await post("Profiler.start");
    await sleep();
    const { profile } = await post("Profiler.stop") as { profile: unknown };
    return JSON.stringify(profile);
  } finally {
    session.disconnect();
  }
}

/**
 * Writes `<program>.status.json` on SIGUSR1 and `<program>.cpuprofile` on SIGUSR2, and logs it. The returned function removes
 * the handlers.
 */
export function answerSignals(options: DaemonSignalOptions): () => void {
  const { runtime, log, program, directory, profileMs = PROFILE_MS } = options;
  const { fs, clock } = runtime;
  const startedMs = clock.now();
  const delay = new LoopDelay(clock);
  const write = (name: string, text: string) => {
    const path = joinPath(directory, name);
    fs.mkdir(directory);
    fs.write(path, text, { mode: 0o600 });
    return path;
  };
  let profiling = false;
  const off = [
    runtime.process.onSignal("SIGUSR1", () => {
      try {
        const text = `${JSON.stringify(report(options, startedMs, delay), null, 2)}\n`;
        log.warning("status written", { path: write(`${program}.status.json`, text) });
      } catch (error) {
        log.error("status not written", { error: messageOf(error) });
      }
    }),
    runtime.process.onSignal("SIGUSR2", () => {
      if (profiling) return;
      profiling = true;
      log.warning("CPU profile started", { seconds: profileMs / 1000 });
      profile(() => clock.sleep(profileMs)).then((text) => {
        if (text === undefined) log.error("this runtime cannot make a profile", { runtime: runtime.name });
        else log.warning("profile written", { path: write(`${program}.cpuprofile`, text) });
      }).catch((error) => log.error("profile not written", { error: messageOf(error) }))
        .finally(() => profiling = false);
    }),
  ];
  return () => {
    for (const end of off) end();
    delay.close();
  };
}
