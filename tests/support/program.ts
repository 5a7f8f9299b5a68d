import { parseOptions, type Program } from "../../cli/options.ts";
import { Exit, type ProgramContext } from "../../cli/program.ts";
import { createLogger, formatText, type LogLevel } from "../../src/log.ts";
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
  version = "{VERSION} ({CODENAME})",
): Promise<ProgramRun> {
  const parsed = parseOptions(program, argv, { version, stdin });
  if (parsed.kind === "exit") return { stdout: parsed.stdout, stderr: parsed.stderr, exitCode: parsed.exitCode };
  const run: ProgramRun = { stdout: "", stderr: "", exitCode: 0 };
  const complain = (text: string) => void (run.stderr += `${text}\n`);
  const lines = stdin === "" ? [] : stdin.replace(/\n$/, "").split("\n");
  const level = String(parsed.options.log_level ?? "warning") as LogLevel;
  const context: ProgramContext = {
    runtime: await currentRuntime(),
    options: parsed.options,
    positionals: parsed.positionals,
    explicit: parsed.explicit,
    configDir: String(parsed.options.config_dir),
    log: createLogger((record) => complain(formatText(record)), level),
    print: (text) => void (run.stdout += text),
    complain,
    stdinText: () => Promise.resolve(stdin),
    stdinLine: () => Promise.resolve(lines.shift()),
    prompt(question) {
      run.stderr += question;
      return Promise.resolve(lines.shift());
    },
    terminal: false,
  };
  try {
    run.exitCode = await main(context);
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    if (error.message !== "") complain(error.message);
    run.exitCode = error.exitCode;
  }
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
