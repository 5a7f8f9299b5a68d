/** What all programs have in common: the runtime, the log, the configuration, and how they end. */
import { loadConfig } from "../src/config/load.ts";
import type { OptionTable } from "../src/config/option.ts";
import { joinPath } from "../src/config/paths.ts";
import { codeOf, ConfigError, messageOf } from "../src/errors.ts";
import { createLogger, formatText, type Logger, type LogLevel, type LogRecord } from "../src/log.ts";
import { currentRuntime } from "../src/runtime/current.ts";
import type { Runtime } from "../src/runtime/mod.ts";
import { CODENAME, VERSION } from "../src/version.ts";
import type { YamlDocument } from "../src/yaml/document.ts";
import { parseSimpleYaml } from "../src/yaml/simple.ts";
import { type OptionValues, parseOptions, type Program, type RunRequest } from "./options.ts";

declare const process: {
  argv: string[];
  env: Record<string, string | undefined>;
  exitCode: number | undefined;
  stdin: AsyncIterable<Uint8Array> & { isTTY?: boolean; setRawMode?(raw: boolean): void };
  stdout: {
    on(event: "error", handler: (error: unknown) => void): void;
    write(text: string): boolean;
    end(text: string, done: () => void): void;
    once(event: "drain", handler: () => void): void;
    readonly writableNeedDrain: boolean;
    isTTY?: boolean;
    columns?: number;
  };
  stderr: { write(text: string): boolean };
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
  /** To stdout: data. */
  print(text: string): void;
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

/** A logger to stderr, in Salt's console form. */
export function consoleLogger(level: LogLevel): Logger {
  return createLogger((record) => void process.stderr.write(`${formatText(record)}\n`), level);
}

/** Reads a configuration file of the program's directory, as strictly as the program wants it. */
export async function readConfig(
  context: ProgramContext,
  name: "master" | "minion",
  table: OptionTable,
  strict: boolean,
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

/** Runs a program to its exit code. */
export async function runProgram(
  program: Program,
  main: (context: ProgramContext) => Promise<number>,
): Promise<void> {
  // `salt … | head`: the reader has seen enough, and there is nothing to complain about.
  process.stdout.on("error", (error) => process.exit(codeOf(error) === "EPIPE" ? BROKEN_PIPE : 1));
  const version = `${VERSION} (${CODENAME})`;
  const env = process.env;
  const argv = process.argv.slice(2);
  let parsed = parseOptions(program, argv, { version, env });
  let stdin: Promise<string> | undefined;
  const stdinText = () => stdin ??= readStdin();
  if (parsed.kind === "run" && parsed.needsStdin) {
    parsed = parseOptions(program, argv, { version, env, stdin: await stdinText() });
  }
  if (parsed.kind === "exit") {
    process.stderr.write(parsed.stderr);
    return await leave(parsed.exitCode, parsed.stdout);
  }
  const { options, positionals, explicit }: RunRequest = parsed;
  const runtime = await currentRuntime();
  if (options.versions_report === true) {
    const [name, number] = runtime.host.runtimeVersion();
    return await leave(0, versionsReport(runtime, name, number));
  }
  const log = consoleLogger(typeof options.log_level === "string" ? options.log_level as LogLevel : "warning");
  const stdinLine = lineReader();
  const context: ProgramContext = {
    runtime,
    options,
    positionals,
    explicit,
    configDir: typeof options.config_dir === "string" && options.config_dir !== "" ? options.config_dir : "/etc/salt",
    log,
    print: (text) => void process.stdout.write(text),
    drained: () =>
      new Promise((room) => process.stdout.writableNeedDrain ? process.stdout.once("drain", room) : room()),
    complain: (text) => void process.stderr.write(`${text}\n`),
    stdinText,
    stdinLine,
    prompt(question, { hidden = false } = {}) {
      process.stderr.write(question);
      return hidden && process.stdin.isTTY === true ? hiddenLine() : stdinLine();
    },
    terminal: process.stdout.isTTY === true,
  };
  try {
    await leave(await main(context));
  } catch (error) {
    if (error instanceof Exit) {
      if (error.message !== "") context.complain(error.message);
      return await leave(error.exitCode);
    }
    if (error instanceof ConfigError) {
      log.critical(error.message);
      return await leave(1);
    }
    const code = EXIT_CODES[codeOf(error)] ?? 1;
    log.critical(messageOf(error));
    if (log.enabled("debug") && error instanceof Error) context.complain(error.stack ?? "");
    await leave(code);
  }
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
async function leave(code: number, text = ""): Promise<void> {
  // Not write(): Bun calls back for an empty text while others still wait.
  await new Promise<void>((done) => process.stdout.end(text, () => done()));
  process.exit(code);
}
