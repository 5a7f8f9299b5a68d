import type { Program } from "../../cli/options/request.ts";
import { exitCodeOf } from "../../cli/program/exit.ts";
import { parseCommandLine } from "../../cli/program/command_line.ts";
import type { ProgramContext } from "../../cli/program/context.ts";
import { ProgramLog } from "../../cli/daemon/program_log.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { currentRuntime } from "../../src/runtime/current.ts";

/** What a program run in this process printed, and how it ended. */
export interface ProgramRun {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** Runs the main function of a program as its command line would, without a process of its own. */
export async function runInProcess(
  program: Program,
  main: (context: ProgramContext) => Promise<number>,
  argv: string[],
  stdin = "",
  how: { version?: string; env?: Record<string, string>; runtime?: Runtime } = {},
): Promise<ProgramRun> {
  const { version = "{VERSION} ({CODENAME})", env = {}, runtime = await currentRuntime() } = how;
  const run: ProgramRun = { stdout: "", stderr: "", exitCode: 0 };
  const complain = (text: string) => void (run.stderr += `${text}\n`);
  const stdinText = () => Promise.resolve(stdin);
  const parsed = await parseCommandLine(runtime, program, argv, { version, env, stdinText, complain });
  if (parsed.kind === "exit") {
    return { stdout: parsed.stdout, stderr: run.stderr + parsed.stderr, exitCode: parsed.exitCode };
  }
  const logging = new ProgramLog(runtime, parsed.options.log_level, complain);
  const lines = stdin === "" ? [] : stdin.replace(/\n$/, "").split("\n");
  const context: ProgramContext = {
    runtime,
    options: parsed.options,
    positionals: parsed.positionals,
    explicit: parsed.explicit,
    configDir: String(parsed.options.config_dir),
    log: logging.log,
    logging,
    print: (text) => void (run.stdout += text),
    complain,
    stdinText,
    stdinLine: () => Promise.resolve(lines.shift()),
    prompt(question) {
      run.stderr += question;
      return Promise.resolve(lines.shift());
    },
    terminal: false,
  };
  run.exitCode = await exitCodeOf(main, context);
  return run;
}

/** A regular expression for recorded text: placeholders match what they stand for. */
export function pattern(text: string, values: Record<string, string>): RegExp {
  const standIns: Record<string, string> = {
    JID: "\\d{20}",
    SHA256_FINGERPRINT: "[0-9a-f]{2}(?::[0-9a-f]{2}){31}",
    VERSION: "(?:\\S+|\\{VERSION\\})",
    CODENAME: "(?:\\w+|\\{CODENAME\\})",
    TRACEBACK: "[\\s\\S]*",
    HELP: "[\\s\\S]*",
    PID: "\\d+",
    JIDTIME: "\\d{4}, \\w{3} \\d\\d [\\d:.]+",
  };
  // Recorded with the version's placeholders in place, so that the same stand for ours.
  const parts = text.split(/\{([A-Z0-9_]+(?::\w+)?)\}/).map((part, at) => {
    if (at % 2 === 0) return part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return values[part]?.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") ?? standIns[part] ?? `\\{${part}\\}`;
  });
  return new RegExp(`^${parts.join("")}$`);
}
