/** What all programs have in common: the runtime, the log, the configuration, and how they end. */
import { loadConfig } from "../src/config/load.ts";
import type { OptionTable } from "../src/config/option.ts";
import { joinPath } from "../src/config/paths.ts";
import { codeOf, ConfigError, messageOf } from "../src/errors.ts";
import { terminalText } from "../src/printable.ts";
import { createLogger, formatText, type Logger, type LogLevel, type LogRecord } from "../src/log.ts";
import { currentRuntime } from "../src/runtime/current.ts";
import type { Runtime } from "../src/runtime/mod.ts";
import { CODENAME, VERSION } from "../src/version.ts";
import type { YamlDocument } from "../src/yaml/document.ts";
import { parseSimpleYaml } from "../src/yaml/simple.ts";
import {
  type ExitRequest,
  type OptionsContext,
  type OptionValues,
  parseOptions,
  type Program,
  type RunRequest,
} from "./options/mod.ts";
import { ProgramLog } from "./daemon/program_log.ts";
import { readSaltfile } from "./saltfile.ts";
import { Stdout } from "./stdout.ts";

declare const process: {
  argv: string[];
  env: Record<string, string | undefined>;
  exitCode: number | undefined;
  stdin: AsyncIterable<Uint8Array> & { isTTY?: boolean; setRawMode?(raw: boolean): void };
  stdout: {
    on(event: "error", handler: (error: unknown) => void): void;
    write(text: string, done: () => void): boolean;
    once(event: "drain", handler: () => void): void;
    readonly writableNeedDrain: boolean;
    isTTY?: boolean;
    columns?: number;
  };
  stderr: { write(text: string): boolean; isTTY?: boolean };
  exit(code: number): never;
  on(event: string, handler: (error: unknown) => void): void;
};

/** What a program is given. */
export interface ProgramContext {
  runtime: Runtime;
  options: OptionValues;
  positionals: string[];
  explicit: ReadonlySet<string>;
  /** Directory of the configuration files. */
  configDir: string;
  log: Logger;
  /** What {@link readConfig} tells how to log. @default it goes on as it began */
  logging?: ProgramLog;
  /** To stdout: data. On a terminal without what would steer it. */
  print(text: string): void;
  /** The same as it is, for whoever has set `strip_colors` to False. @default as `print` */
  printAsIs?(text: string): void;
  /** Resolves when there is room for more: whoever prints without end must not run ahead of its reader. */
  drained?(): Promise<void>;
  /** To stderr: what a person should see. */
  complain(text: string): void;
  stdinText(): Promise<string>;
  /** The next line of stdin without its line feed; undefined at its end. */
  stdinLine(): Promise<string | undefined>;
  /** Asks a person, on stderr, for a line of stdin; undefined at its end. A hidden answer is not shown as it is typed. */
  prompt(question: string, how?: { hidden?: boolean }): Promise<string | undefined>;
  /** True if stdout is a terminal. */
  terminal: boolean;
}

/** Ends the program with an exit code and a message for stderr. */
export class Exit extends Error {
  readonly exitCode: number;
  constructor(exitCode: number, message = "") {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Nothing was done, and whoever started the program and went on must learn it from the exit code. */
export function masterDown(error: unknown): Exit {
  return new Exit(1, `The salt master could not be contacted. Is master running? ${messageOf(error)}`);
}

/**
 * Whether to print in colours: on a terminal that has them, unless the person wants none (`--no-color`, or `NO_COLOR` in the
 * environment, whatever its value: no-color.org). `--force-color` is asked for by name, and goes before all of that.
 */
export function inColor(
  { options, runtime: { process }, terminal }: Pick<ProgramContext, "options" | "runtime" | "terminal">,
): boolean {
  if (options.force_color === true) return true;
  return terminal && options.no_color !== true && !process.env("NO_COLOR") && process.env("TERM") !== "dumb";
}

/**
 * Ends the program on Ctrl-C as Salt's end, with exit code 0.
 *
 * @param last what is left to do or to say
 * @returns ends the listening
 */
export function leaveOnInterrupt({ runtime, complain }: ProgramContext, last: () => void = () => {}): () => void {
  return runtime.process.onSignal("SIGINT", () => {
    complain("\nExiting gracefully on Ctrl-c");
    last();
    runtime.process.exit(0);
  });
}

async function readStdin(): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of process.stdin) {
    parts.push(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
  }
  const decoder = new TextDecoder();
  return parts.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode();
}

/** Reads stdin line by line: what is behind the line stays for the next call. */
function lineReader(): () => Promise<string | undefined> {
  let buffered = "";
  let input: AsyncIterator<Uint8Array> | undefined;
  const decoder = new TextDecoder();
  return async () => {
    for (;;) {
      const at = buffered.indexOf("\n");
      if (at >= 0) {
        const line = buffered.slice(0, at);
        buffered = buffered.slice(at + 1);
        return line;
      }
      input ??= process.stdin[Symbol.asyncIterator]();
      const { value, done } = await input.next();
      if (done) {
        const rest = buffered;
        buffered = "";
        return rest === "" ? undefined : rest;
      }
      buffered += typeof value === "string" ? value : decoder.decode(value, { stream: true });
    }
  };
}

const [INTERRUPT, END, BACKSPACE, DELETE] = ["\x03", "\x04", "\b", "\x7f"];

/** A line that is typed at a terminal and not shown; undefined if it is given up. */
async function hiddenLine(): Promise<string | undefined> {
  const { stdin } = process;
  const decoder = new TextDecoder();
  let line = "";
  stdin.setRawMode!(true);
  try {
    const input = stdin[Symbol.asyncIterator]();
    for (;;) {
      const { value, done } = await input.next();
      if (done) return undefined;
      for (const char of typeof value === "string" ? value : decoder.decode(value, { stream: true })) {
        if (char === "\r" || char === "\n") return line;
        if (char === INTERRUPT) process.exit(130);
        if (char === END) return line === "" ? undefined : line;
        line = char === BACKSPACE || char === DELETE ? [...line].slice(0, -1).join("") : line + char;
      }
    }
  } finally {
    stdin.setRawMode!(false);
    process.stderr.write("\n");
  }
}

/** Writes to a stream; if it is a terminal, without what would steer it: much of what is shown others have chosen. */
export function writerTo(stream: { write(text: string): unknown; isTTY?: boolean }): (text: string) => void {
  return (text) => void stream.write(stream.isTTY === true ? terminalText(text) : text);
}

/** A logger to stderr, in Salt's console form. */
export function consoleLogger(level: LogLevel): Logger {
  return createLogger((record) => void process.stderr.write(`${formatText(record)}\n`), level);
}

/** The file in which a user keeps options of the client programs: `SALT_CLIENT_CONFIG`, or in their home. */
function clientFile({ fs, host, process }: Runtime): string {
  const named = process.env("SALT_CLIENT_CONFIG");
  if (named !== undefined && fs.stat(named)?.kind === "file") return named;
  const { home } = host.user();
  const current = joinPath(process.env("XDG_CONFIG_HOME") || joinPath(home, ".config"), "salt/saltrc");
  return fs.stat(current)?.kind === "file" ? current : joinPath(home, ".saltrc");
}

/** From here on the program logs as its options and its configuration say. */
function configureLog(context: ProgramContext, opts: Record<string, unknown>, given: ReadonlySet<string>): void {
  const { options, explicit, logging } = context;
  const key = "key_logfile" in options ? "key_logfile" : "log_file";
  logging?.configure({
    console: opts.log_level,
    // Who wants to see more on the screen does not mean the master's log.
    file: opts.log_level_logfile ?? (explicit.has("log_level") ? "warning" : opts.log_level),
    // What was typed is not below root_dir.
    path: String((explicit.has(key) ? options[key] : opts[key]) ?? ""),
    wanted: given.has(key) || explicit.has(key),
  });
  context.log.debug("configuration read", { file: opts.conf_file });
}

/**
 * Reads a configuration file of the program's directory, as strictly as the program wants it. A program that is not strict logs
 * as it says from then on.
 *
 * @param how.client the user's own file goes over that of the master
 */
export async function readConfig(
  context: ProgramContext,
  name: "master" | "minion",
  table: OptionTable,
  strict: boolean,
  how: { client?: boolean } = {},
): Promise<{ opts: Record<string, unknown>; given: ReadonlySet<string> }> {
  const read = await readFiles(context, name, table, strict, how.client ? clientFile(context.runtime) : undefined);
  if (!strict) configureLog(context, read.opts, read.given);
  return read;
}

async function readFiles(
  context: ProgramContext,
  name: "master" | "minion",
  table: OptionTable,
  strict: boolean,
  userFile: string | undefined,
): Promise<{ opts: Record<string, unknown>; given: ReadonlySet<string> }> {
  const { runtime, configDir, log, complain } = context;
  if (runtime.fs.stat(configDir)?.kind !== "directory") {
    complain(`WARNING: CONFIG '${configDir}' directory does not exist.`);
  }
  const variable = name === "master" ? "SALT_MASTER_CONFIG" : "SALT_MINION_CONFIG";
  const replaced = context.explicit.has("config_dir") ? undefined : runtime.process.env(variable);
  const file = replaced ?? joinPath(configDir, name);
  const overrides: Record<string, unknown> = {};
  for (const key of context.explicit) {
    if (key in table && context.options[key] !== undefined) overrides[key] = context.options[key];
  }
  const load = (parse: (text: string) => YamlDocument, log: Logger) =>
    loadConfig({
      fs: runtime.fs,
      log,
      parse,
      file,
      table,
      overrides,
      ...(userFile === undefined ? {} : { userFile }),
      onProblem: strict ? "error" : "warning",
    });
  // The YAML library takes longer to load than many a command to run, and few configurations need it.
  const unusual = new SyntaxError("Not a simple document");
  const said: LogRecord[] = [];
  try {
    const simple = (text: string) => {
      const document = parseSimpleYaml(text);
      if (document === undefined) throw unusual;
      return document;
    };
    return load(simple, createLogger((record) => void said.push(record), "all"));
  } catch (error) {
    if (!(error instanceof ConfigError && error.cause === unusual)) throw error;
    // What it had to say it will say again.
    said.length = 0;
    const { parseYaml } = await import("../src/yaml/document.ts");
    return load(parseYaml, log);
  } finally {
    for (const { level, message, fields } of said) log[level as "warning"](message, fields);
  }
}

/** Exit codes of failures that have one of their own. */
const EXIT_CODES: Record<string, number> = { EADDRINUSE: 4, EADDRNOTAVAIL: 4 };

/** The code that a shell gives a program which wrote into a pipe that nobody reads any more. */
const BROKEN_PIPE = 141;

/** Runs the main function of a program; whatever it throws is told, and has an exit code. */
export async function exitCodeOf(
  main: (context: ProgramContext) => Promise<number>,
  context: ProgramContext,
): Promise<number> {
  const { log, complain } = context;
  try {
    return await main(context);
  } catch (error) {
    if (error instanceof Exit) {
      if (error.message !== "") complain(error.message);
      return error.exitCode;
    }
    log.critical(messageOf(error));
    if (error instanceof ConfigError) return 1;
    if (log.enabled("debug") && error instanceof Error) complain(error.stack ?? "");
    return EXIT_CODES[codeOf(error)] ?? 1;
  }
}

/** Parses a command line, with standard input and a Saltfile where they have a say. */
export async function parseCommandLine(
  runtime: Runtime,
  program: Program,
  argv: readonly string[],
  how: Pick<OptionsContext, "version" | "env"> & { stdinText(): Promise<string>; complain(text: string): void },
): Promise<RunRequest | ExitRequest> {
  const context: OptionsContext = { version: how.version, env: how.env ?? {} };
  let parsed = parseOptions(program, argv, context);
  if (parsed.kind === "run" && parsed.needsStdin) {
    context.stdin = await how.stdinText();
    parsed = parseOptions(program, argv, context);
  }
  if (parsed.kind === "exit" || !("saltfile" in parsed.options)) return parsed;
  const { saltfile: given } = parsed.options;
  context.saltfile = await readSaltfile(runtime, program, typeof given === "string" ? given : undefined, how.complain);
  return parseOptions(program, argv, context);
}

/** Runs a program to its exit code. */
export async function runProgram(
  program: Program,
  main: (context: ProgramContext) => Promise<number>,
): Promise<void> {
  const stdout = new Stdout(process.stdout);
  // `salt … | head`: the reader has seen enough, and there is nothing to complain about.
  process.stdout.on("error", (error) => process.exit(codeOf(error) === "EPIPE" ? BROKEN_PIPE : 1));
  const version = `${VERSION} (${CODENAME})`;
  const env = process.env;
  const argv = process.argv.slice(2);
  let stdin: Promise<string> | undefined;
  const stdinText = () => stdin ??= readStdin();
  const toStderr = writerTo(process.stderr);
  const complain = (text: string) => toStderr(`${text}\n`);
  const runtime = await currentRuntime();
  const parsed = await parseCommandLine(runtime, program, argv, { version, env, stdinText, complain });
  if (parsed.kind === "exit") {
    process.stderr.write(parsed.stderr);
    return await leave(stdout, parsed.exitCode, parsed.stdout);
  }
  const { options, positionals, explicit }: RunRequest = parsed;
  if (options.versions_report === true) {
    const [name, number] = runtime.host.runtimeVersion();
    return await leave(stdout, 0, versionsReport(runtime, name, number));
  }
  const logging = new ProgramLog(runtime, options.log_level, complain);
  const stdinLine = lineReader();
  const context: ProgramContext = {
    runtime,
    options,
    positionals,
    explicit,
    configDir: typeof options.config_dir === "string" && options.config_dir !== "" ? options.config_dir : "/etc/salt",
    log: logging.log,
    logging,
    print: writerTo({ write: (text) => stdout.write(text), isTTY: process.stdout.isTTY === true }),
    printAsIs: (text) => stdout.write(text),
    drained: () =>
      new Promise((room) => process.stdout.writableNeedDrain ? process.stdout.once("drain", room) : room()),
    complain,
    stdinText,
    stdinLine,
    prompt(question, { hidden = false } = {}) {
      process.stderr.write(question);
      return hidden && process.stdin.isTTY === true ? hiddenLine() : stdinLine();
    },
    terminal: process.stdout.isTTY === true,
  };
  await leave(stdout, await exitCodeOf(main, context));
}

function versionsReport(runtime: Runtime, name: string, number: string): string {
  const { host } = runtime;
  return `Brine Version:
          Brine: ${VERSION}

Dependency Versions:
        ${name.padStart(7)}: ${number}

System Versions:
        machine: ${host.machine()}
        release: ${host.kernelRelease()}
         system: ${runtime.process.platform}
`;
}

/** Ends the process once what was printed is out: a pipe may still be full. */
async function leave(stdout: Stdout, code: number, text = ""): Promise<void> {
  stdout.write(text);
  await stdout.written();
  process.exit(code);
}
