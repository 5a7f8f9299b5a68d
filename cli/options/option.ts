/** One option of a program, groups of them, and short constructors for the tables. */
import type { OptionValue, RunRequest } from "./request.ts";
import { intOfText } from "../../src/language/python/text.ts";

type Kind = "flag" | "unset" | "optional" | "text" | "int" | "float" | "choice" | "append" | "help" | "version";

export interface Option {
  /** Spellings, short ones first. */
  names: string[];
  dest: string;
  kind: Kind;
  help: string;
  /** Placeholder for the value in the help text. */
  metavar: string;
  value: OptionValue;
  choices?: readonly string[];
  /** True if Salt's program lacks this option: a prefix that is also one of a Salt option means the latter. */
  added?: boolean;
}

export interface OptionGroup {
  title: string;
  options: Option[];
}

export interface ProgramTable {
  usage: string;
  description: string;
  groups: OptionGroup[];
  /** Rules among options; may convert values, and ends the program with a {@linkcode Stop}. */
  check: (run: RunRequest, stop: (stop: Stop) => never) => void;
}

/** How a program ends before it starts. */
export interface Stop {
  error?: string;
  /** A line after the error: what to do about it. */
  hint?: string;
  /** Print the help text to stdout first. */
  help?: boolean;
  /** Text for stderr with exit code 42, instead of a usage error. */
  incomplete?: string;
}

export function option(kind: Kind, names: string, dest: string, help: string, value: OptionValue = null): Option {
  const spellings = names.split(" ");
  const long = spellings.find((name) => name.startsWith("--")) ?? names;
  return { names: spellings, dest, kind, help, metavar: long.slice(2).replaceAll("-", "_").toUpperCase(), value };
}
export const flagOption = (names: string, dest: string, help: string, value: OptionValue = false) =>
  option("flag", names, dest, help, value);
export const textOption = (names: string, dest: string, help: string, value: OptionValue = null) =>
  option("text", names, dest, help, value);
/** An option with an optional value, given after an equals sign: the next word is never its value. */
export const optional = (names: string, dest: string, metavar: string, help: string): Option => ({
  ...option("optional", names, dest, help),
  metavar,
});
export const int = (names: string, dest: string, help: string, value: OptionValue = null) =>
  option("int", names, dest, help, value);

/** True if the option needs a value, after an equals sign or as the next word. */
export function takesValue({ kind }: Option): boolean {
  return kind !== "flag" && kind !== "unset" && kind !== "optional" && kind !== "help" && kind !== "version";
}

/** Marks an option that Salt's program lacks. */
export const added = (option: Option): Option => ({ ...option, added: true });

/** Converts `True` and `False` to booleans; other text stays. @param anyCase true also accepts `TRUE` and the like */
export function optparseBoolean(value: OptionValue, anyCase: boolean): OptionValue {
  if (typeof value !== "string") return value;
  const word = anyCase ? value.toLowerCase() : value;
  if (word === "true" || word === "True") return true;
  return word === "false" || word === "False" ? false : value;
}

/** Quotes a text as Python does in messages. */
export function quote(value: string): string {
  const mark = value.includes("'") && !value.includes('"') ? '"' : "'";
  const body = value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
  return mark + (mark === "'" ? body.replaceAll("'", "\\'") : body) + mark;
}

/** Parses an integer as optparse does: a leading zero means octal, unless a sign precedes it; undefined for other text. */
export function parseInteger(value: string): number | undefined {
  const prefix = value.slice(0, 2).toLowerCase();
  if (prefix === "0x") return intOfText(value, 16);
  if (prefix === "0b") return intOfText(value.slice(2) || "0", 2);
  return intOfText(value, value.startsWith("0") ? 8 : 10);
}
