/** Parses like Python's optparse, whose grammar scripts rely on: abbreviations, bundles, error texts. */
import { nearestName } from "../../src/base/nearest_name.ts";
import { formatHelp, usageLine } from "./help.ts";
import { type Option, parseInteger, type ProgramTable, quote, type Stop, takesValue } from "./option.ts";
import { floatOfText } from "../../src/language/python/text.ts";
import type { ExitRequest, OptionsContext, OptionValue, OptionValues, Program, RunRequest } from "./request.ts";

/** Exit code of usage errors. */
const EX_USAGE = 64;

/** Ends parsing: help, version, or an error. */
export class StopParsing extends Error {
  readonly request: ExitRequest;

  constructor(request: ExitRequest) {
    super("parsing ends");
    this.request = request;
  }
}

export class OptionParser {
  readonly #program: Program;
  readonly #table: ProgramTable;
  readonly #version: string;
  readonly #options: Option[];
  readonly #byName = new Map<string, Option>();

  constructor(program: Program, table: ProgramTable, version: string) {
    this.#program = program;
    this.#table = table;
    this.#version = version;
    this.#options = table.groups.flatMap(({ options }) => options);
    for (const option of this.#options) for (const name of option.names) this.#byName.set(name, option);
  }

  parse(argv: readonly string[]): RunRequest {
    const options: OptionValues = {};
    for (const { dest, kind, value } of this.#options) {
      if (kind !== "help" && kind !== "version") options[dest] = Array.isArray(value) ? [...value] : value;
    }
    const explicit = new Set<string>();
    const run: RunRequest = { kind: "run", options, positionals: [], explicit, advice: [], needsStdin: false };
    const rest = [...argv].reverse();
    for (let word = rest.pop(); word !== undefined; word = rest.pop()) {
      if (word === "--") {
        run.positionals.push(...rest.reverse());
        break;
      }
      if (word.startsWith("--")) this.#long(word, rest, run);
      else if (word.startsWith("-") && word.length > 1) this.#short(word, rest, run);
      else run.positionals.push(word);
    }
    return run;
  }

  stop({ error, hint, help = false, incomplete }: Stop): never {
    const stdout = help ? formatHelp(this.#program, this.#table) : "";
    if (incomplete !== undefined) throw new StopParsing({ kind: "exit", exitCode: 42, stdout, stderr: incomplete });
    const advice = hint === undefined ? "" : `${this.#program}: ${hint}\n`;
    const stderr = `${usageLine(this.#program, this.#table)}\n${this.#program}: error: ${error}\n${advice}`;
    throw new StopParsing({ kind: "exit", exitCode: EX_USAGE, stdout, stderr });
  }

  /** Sets options that were not given to the values of a Saltfile, as if they were given. */
  takeDefaults({ options, explicit }: RunRequest, saltfile: NonNullable<OptionsContext["saltfile"]>): void {
    if ("error" in saltfile) return this.#error(saltfile.error);
    for (const { dest, kind } of this.#options) {
      const value = saltfile.values[dest];
      if (explicit.has(dest) || !Object.hasOwn(saltfile.values, dest) || value === undefined) continue;
      const asText = kind === "text" || kind === "choice" || kind === "optional";
      options[dest] = asText && typeof value !== "boolean" ? String(value) : value as OptionValue;
      explicit.add(dest);
    }
  }

  #error(error: string): never {
    return this.stop({ error });
  }

  /** The option for a long spelling or an abbreviation. */
  #find(given: string): [name: string, option: Option] {
    const exact = this.#byName.get(given);
    if (exact !== undefined) return [given, exact];
    const likely = [...this.#byName].filter(([name]) => name.startsWith(given));
    const salts = likely.filter(([, { added }]) => added !== true);
    const names = (salts.length > 0 ? salts : likely).map(([name]) => name).sort();
    const [name] = names;
    const option = name === undefined ? undefined : this.#byName.get(name);
    if (name === undefined || option === undefined) return this.#unknown(given);
    // As in optparse, two spellings of the same option are ambiguous, too.
    if (names.length > 1) return this.#error(`ambiguous option: ${given} (${names.join(", ")}?)`);
    return [name, option];
  }

  /** Reports an unknown option in Salt's words, with a hint if a known option is similar. */
  #unknown(given: string): never {
    const near = nearestName(given, [...this.#byName.keys()].filter((name) => name.startsWith("--")));
    return this.stop({
      error: `no such option: ${given}`,
      ...(near === undefined ? {} : { hint: `did you mean ${near}?` }),
    });
  }

  #long(word: string, rest: string[], run: RunRequest): void {
    const equals = word.indexOf("=");
    const [name, option] = this.#find(equals === -1 ? word : word.slice(0, equals));
    if (equals !== -1) {
      if (option.kind === "optional") {
        run.explicit.add(option.dest);
        run.options[option.dest] = word.slice(equals + 1);
        return;
      }
      if (!takesValue(option)) this.#error(`${name} option does not take a value`);
      rest.push(word.slice(equals + 1));
    }
    this.#set(name, option, rest, run);
  }

  #short(word: string, rest: string[], run: RunRequest): void {
    const letters = Array.from(word.slice(1));
    for (const [index, letter] of letters.entries()) {
      const name = `-${letter}`;
      const option = this.#byName.get(name);
      if (option === undefined) return this.#error(`no such option: ${name}`);
      if (!takesValue(option)) {
        this.#set(name, option, rest, run);
        continue;
      }
      const attached = letters.slice(index + 1).join("");
      if (attached !== "") rest.push(attached);
      return this.#set(name, option, rest, run);
    }
  }

  #set(name: string, option: Option, rest: string[], { options, explicit }: RunRequest): void {
    const { kind, dest } = option;
    explicit.add(dest);
    if (kind === "flag" || kind === "unset" || kind === "optional") {
      options[dest] = kind !== "unset";
      return;
    }
    if (kind === "help" || kind === "version") {
      const stdout = kind === "help" ? formatHelp(this.#program, this.#table) : `${this.#program} ${this.#version}\n`;
      throw new StopParsing({ kind: "exit", exitCode: 0, stdout, stderr: "" });
    }
    const value = rest.pop();
    if (value === undefined) return this.#error(`${name} option requires 1 argument`);
    if (kind === "append") (options[dest] as string[]).push(value);
    else options[dest] = this.#convert(name, option, value);
  }

  #convert(name: string, { kind, choices }: Option, value: string): OptionValue {
    if (kind === "int") {
      return parseInteger(value) ?? this.#error(`option ${name}: invalid integer value: ${quote(value)}`);
    }
    if (kind === "float") {
      return floatOfText(value) ?? this.#error(`option ${name}: invalid floating-point value: ${quote(value)}`);
    }
    if (choices !== undefined && !choices.includes(value)) {
      const list = choices.map(quote).join(", ");
      return this.#error(`option ${name}: invalid choice: ${quote(value)} (choose from ${list})`);
    }
    return value;
  }
}
