/** What the daemons have in common: pid file, log file, signals, and going to the background. */
import type { Logger, LogLevel, LogRecord } from "../../src/log.ts";
import { createLogger, formatText, passes } from "../../src/log.ts";
import { LogRate } from "../../src/log_rate.ts";
import { messageOf } from "../../src/errors.ts";
import { dirName } from "../../src/config/paths.ts";
import type { Runtime } from "../../src/runtime/mod.ts";
import type { Signal } from "../../src/runtime/process.ts";
import type { LastErrors } from "./last_errors.ts";
import { LogFile } from "./log_file.ts";
import { logLine } from "./log_line.ts";
import { Exit } from "../program/exit.ts";
import type { ProgramContext } from "../program/context.ts";

declare const process: {
  argv: string[];
  execPath: string;
  execArgv: string[];
  env: Record<string, string | undefined>;
  exit(code: number): never;
  stderr: { write(text: string): boolean };
  on(event: string, handler: (error: unknown) => void): void;
  getBuiltinModule(name: "node:tty"): typeof import("node:tty");
  getBuiltinModule(name: "node:child_process"): typeof import("node:child_process");
};

/** Set in the child that runs in the background, so that it does not go there again. */
const BACKGROUND = "BRINE_BACKGROUND";

/**
 * A logger to stderr and, if it can be opened, to the log file.
 *
 * @param errors is told of every record, for the status report
 */
export function daemonLogger(context: ProgramContext, opts: Record<string, unknown>, errors?: LastErrors): Logger {
  const { runtime, complain } = context;
  const console = String(context.explicit.has("log_level") ? context.options.log_level : opts.log_level) as LogLevel;
  const file = String(opts.log_level_logfile ?? opts.log_level) as LogLevel;
  const path = String(opts.log_file ?? "");
  const background = runtime.process.env(BACKGROUND) !== undefined;
  let logFile: LogFile | undefined;
  if (path !== "" && !path.includes("://")) {
    try {
      logFile = new LogFile(runtime, path);
    } catch (error) {
      complain(`WARNING: the log file cannot be written: ${messageOf(error)}`);
    }
  }
  const sink = (record: LogRecord) => {
    errors?.note(record);
    if (!background && passes(record.level, console)) process.stderr.write(`${formatText(record)}\n`);
    if (logFile !== undefined && passes(record.level, file)) {
      logFile.write(logLine(record, new Date(), runtime.process.pid));
    }
  };
  const lower = passes(console, file) ? file : console;
  const rate = new LogRate(sink, runtime.clock);
  process.on("exit", () => rate.flush());
  if (!atTerminal()) runtime.process.onSignal("SIGHUP", () => logFile?.reopen());
  return createLogger(rate.sink, lower);
}

/** True if the daemon was started at a terminal: it ends when that closes. */
function atTerminal(): boolean {
  return process.getBuiltinModule("node:tty").isatty(0);
}

/** Starts this program again in a session of its own and ends this process. */
export function goToBackground(runtime: Runtime): void {
  if (runtime.process.env(BACKGROUND) !== undefined) return;
  const { spawn } = process.getBuiltinModule("node:child_process");
  const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    detached: true,
    stdio: "ignore",
    env: { ...process.env, [BACKGROUND]: "1" },
  });
  child.unref();
  process.exit(0);
}

/**
 * Writes the pid file; the returned function removes it.
 *
 * @throws {Exit} if another running instance has it
 */
export function claimPidFile(runtime: Runtime, path: string, program: string, log: Logger): () => void {
  const { fs } = runtime;
  if (path === "") return () => {};
  try {
    if (fs.stat(path)?.kind === "file") {
      const pid = Number(fs.readText(path).trim());
      if (
        Number.isInteger(pid) && pid > 0 && pid !== runtime.process.pid && runtime.process.alive(pid) &&
        isOurs(runtime, pid, program)
      ) {
        throw new Exit(1, `[ERROR   ] Another ${program} is running as process ${pid} (${path}): stop it first`);
      }
    }
    fs.mkdir(dirName(path));
    fs.write(path, `${runtime.process.pid}`, { mode: 0o644 });
  } catch (error) {
    if (error instanceof Exit) throw error;
    log.warning("pid file not written", { path, error: messageOf(error) });
    return () => {};
  }
  return () => {
    try {
      if (fs.readText(path) === String(runtime.process.pid)) fs.remove(path);
    } catch {
      // It was removed already.
    }
  };
}

/** A pid may belong to another program by now; where the system shows command lines, these decide. */
function isOurs(runtime: Runtime, pid: number, program: string): boolean {
  try {
    return runtime.fs.readText(`/proc/${pid}/cmdline`).includes(program);
  } catch {
    return true;
  }
}

/** Resolves with the name of the signal that asks the daemon to stop. */
export function stopSignal(runtime: Runtime): Promise<string> {
  return new Promise((resolve) => {
    const signals: Signal[] = ["SIGTERM", "SIGINT", ...atTerminal() ? ["SIGHUP" as const] : []];
    for (const signal of signals) runtime.process.onSignal(signal, () => resolve(signal));
  });
}

/** Logs unexpected errors instead of ending: a daemon outlives what goes wrong in one request. */
export function surviveMishaps(log: Logger): void {
  process.on("uncaughtException", (error) => {
    log.critical("unexpected error", { error: messageOf(error), stack: (error as Error)?.stack ?? "" });
  });
  process.on("unhandledRejection", (error) => {
    log.critical("unexpected error", { error: messageOf(error), stack: (error as Error)?.stack ?? "" });
  });
}
