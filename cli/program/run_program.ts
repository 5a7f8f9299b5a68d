/** Runs any program, from the command line to the exit code. */
import { codeOf } from "../../src/base/errors.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { CODENAME, VERSION } from "../../src/base/version.ts";
import { ProgramLog } from "../daemon/program_log.ts";
import type { Program, RunRequest } from "../options/request.ts";
import { hiddenLine, lineReader, readStdin } from "../terminal/stdin.ts";
import { StandardOutput } from "../terminal/standard_output.ts";
import { StatusLine } from "../terminal/status_line.ts";
import { writerTo } from "../terminal/writer.ts";
import { parseCommandLine } from "./command_line.ts";
import type { ProgramContext } from "./context.ts";
import { exitCodeOf } from "./exit.ts";
import { versionsReport } from "./versions_report.ts";

/** Exit code of a shell for a program that wrote to a pipe without a reader. */
const BROKEN_PIPE = 141;

/** The outputs of this process. */
export function standardOutputs(): { stdout: StandardOutput; stderr: StandardOutput } {
  // `salt … | head`: the reader has read enough, which is not an error.
  const broken = (error: unknown) => process.exit(codeOf(error) === "EPIPE" ? BROKEN_PIPE : 1);
  const stream = () => {
    process.stdout.on("error", broken);
    return process.stdout;
  };
  return {
    stdout: new StandardOutput({ descriptor: 1, stream, broken }),
    stderr: new StandardOutput({ descriptor: 2, stream: () => process.stderr, broken: () => {} }),
  };
}

/** Runs a program, and ends the process with its exit code. */
export async function runProgram(
  program: Program,
  main: (context: ProgramContext) => Promise<number>,
): Promise<void> {
  const { stdout, stderr } = standardOutputs();
  let stdin: Promise<string> | undefined;
  const stdinText = () => stdin ??= readStdin();
  const toStderr = writerTo(stderr);
  const status = stderr.isTTY ? new StatusLine((text) => stderr.write(text)) : undefined;
  const complain = (text: string) => {
    status?.hide();
    toStderr(`${text}\n`);
    status?.draw();
  };
  const runtime = await currentRuntime();
  const parsed = await parseCommandLine(runtime, program, process.argv.slice(2), {
    version: `${VERSION} (${CODENAME})`,
    env: process.env,
    stdinText,
    complain,
  });
  if (parsed.kind === "exit") {
    // On a terminal the error must be below the help, which is longer than the screen.
    stdout.write(parsed.stdout);
    await stdout.written();
    stderr.write(parsed.stderr);
    await stderr.written();
    return await leave(stdout, parsed.exitCode);
  }
  if (status !== undefined) { for (const line of parsed.advice) complain(line); }
  if (parsed.options.versions_report === true) return await leave(stdout, 0, versionsReport(runtime));
  await leave(
    stdout,
    await exitCodeOf(main, contextOf({ runtime, parsed, stdout, stderr, stdinText, complain, status })),
  );
}

interface Parts {
  runtime: Runtime;
  parsed: RunRequest;
  stdout: StandardOutput;
  stderr: StandardOutput;
  stdinText(): Promise<string>;
  complain(text: string): void;
  /** The status line; undefined if stderr is not a terminal. */
  status: StatusLine | undefined;
}

/** The context for the main function of a program, from this process and its command line. */
function contextOf({ runtime, parsed, stdout, stderr, stdinText, complain, status }: Parts): ProgramContext {
  const { options, positionals, explicit } = parsed;
  const logging = new ProgramLog(runtime, options.log_level, complain);
  const stdinLine = lineReader();
  const terminal = stdout.isTTY;
  const write = (text: string) => {
    status?.hide();
    stdout.write(text);
    status?.draw();
  };
  return {
    runtime,
    options,
    positionals,
    explicit,
    configDir: typeof options.config_dir === "string" && options.config_dir !== "" ? options.config_dir : "/etc/salt",
    log: logging.log,
    logging,
    print: writerTo({ write, isTTY: terminal }),
    printAsIs: write,
    drained: () => stdout.drained(),
    complain,
    ...(status === undefined ? {} : { advise: complain, statusLine: (text: string) => status.show(text) }),
    stdinText,
    stdinLine,
    prompt(question, { hidden = false } = {}) {
      stderr.write(question);
      return hidden && process.stdin.isTTY === true ? hiddenLine() : stdinLine();
    },
    terminal,
  };
}

/** Ends the process when all output is written: a pipe may still be full. */
async function leave(stdout: StandardOutput, code: number, text = ""): Promise<void> {
  stdout.write(text);
  await stdout.written();
  process.exit(code);
}
