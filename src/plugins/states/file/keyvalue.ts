import type { StateContext, StateReturn } from "../../../model/loader/states.ts";
import { type Args, entriesOf, isMap, sizeOf, str, truthy, typeName } from "../../../language/python/values.ts";
import { strip, stripEnd, stripStart } from "../../../language/python/text.ts";
import { isFile } from "../../linux/paths.ts";
import { anyLines, overwrite, readText } from "../../modules/file/content.ts";
import { failed, failureText, type FileReturn, namedPath } from "./ret.ts";

/** Removes characters from the start of a text: white space, or those of a set. */
function stripped(text: string, characters: unknown): string {
  if (characters === null) return stripStart(text);
  const set = new Set(str(characters));
  let from = 0;
  while (from < text.length && set.has(text[from]!)) from += 1;
  return text.slice(from);
}

/** The pairs that a state asks for. @returns a complaint if there are none */
function pairsOf({ key, value, key_values: pairs }: Args): [string, unknown][] | string {
  if (key !== null && value !== null) {
    if (isMap(pairs)) return "file.keyvalue can not combine key_values with key and value";
    return [[str(key), value]];
  }
  if (isMap(pairs) && sizeOf(pairs) > 0) return entriesOf(pairs).map(([name, of]) => [str(name), of]);
  const why = truthy(pairs) ? "is not a dictionary" : "is empty";
  return `file.keyvalue key and value not supplied and key_values ${why}`;
}

/** Sets keys in the lines of a file. */
class Editor {
  readonly diff: string[] = [];
  changes = 0;
  readonly #args: Args;
  readonly #pairs: [string, unknown][];
  readonly #separator: string;
  /** How often each key is still to be set. */
  readonly #left: Map<string, number>;

  constructor(args: Args, pairs: [string, unknown][]) {
    this.#args = args;
    this.#pairs = pairs;
    this.#separator = str(args.separator);
    this.#left = new Map(pairs.map(([key]) => [key, Number(args.count)]));
  }

  line(given: string): string {
    const { uncomment, key_ignore_case: ignoreCase } = this.#args;
    let line = given;
    const bare = stripped(given, uncomment);
    const uncommented = bare.length < given.length;
    const test = truthy(ignoreCase) ? bare.toLowerCase() : bare;
    for (const [key, value] of this.#pairs) {
      const wanted = truthy(ignoreCase) ? key.toLowerCase() : key;
      if (test.startsWith(wanted)) line = this.#set(line, key, wanted, value, uncommented);
    }
    return line;
  }

  #set(line: string, key: string, wanted: string, value: unknown, uncommented: boolean): string {
    const { uncomment, key_ignore_case: ignoreCase, value_ignore_case: ignoreValueCase } = this.#args;
    const working = uncommented ? stripped(line, uncomment) : line;
    const at = working.indexOf(this.#separator);
    if (at < 0) return line;
    const own = working.slice(0, at);
    if ((truthy(ignoreCase) ? own.toLowerCase() : own) !== wanted) return line;
    const fold = (text: string) => truthy(ignoreValueCase) ? strip(text).toLowerCase() : strip(text);
    const left = this.#left.get(key)!;
    const equal = fold(working.slice(at + this.#separator.length)) === fold(str(value));
    const due = uncommented ? left > 0 : left === 0;
    let result = line;
    if (due || (!equal && !uncommented)) {
      this.diff.push(`- ${line}`);
      result = left === 0 ? "" : `${own}${this.#separator}${str(value)}\n`;
      if (left !== 0) this.diff.push(this.#shown(result, value));
      this.changes += 1;
    }
    if (left > 0) this.#left.set(key, left - 1);
    return result;
  }

  #shown(line: string, value: unknown): string {
    return typeof value === "string" ? `+ ${line}` : `+ ${stripEnd(line)} (from ${typeName(value)} type)\n`;
  }

  /** Lines for the keys that were not found. */
  #missing(): string[] {
    const pairs = this.#pairs.filter(([key]) => this.#left.get(key)! > 0);
    this.changes += pairs.length;
    return pairs.map(([key, value]) => `${key}${this.#separator}${str(value)}\n`);
  }

  appended(): string[] {
    const lines = this.#missing();
    if (lines.length > 0) this.diff.push("- <EOF>\n", ...lines.map((line) => `+ ${line}`), "+ <EOF>\n");
    return lines;
  }

  prepended(): string[] {
    const lines = this.#missing().reverse();
    if (lines.length > 0) this.diff.unshift("  <SOF>\n", ...lines.map((line) => `+ ${line}`));
    return lines;
  }
}

/** `file.keyvalue`: lines `key=value`. */
export function keyvalue(context: StateContext, args: Args): StateReturn {
  const { fs } = context.runtime;
  const { name, ret, refused } = namedPath(context, "keyvalue", args.name, { result: null });
  if (refused !== undefined) return refused;
  const pairs = pairsOf(args);
  if (typeof pairs === "string") return failed(ret, pairs);
  if (!isFile(fs, name)) {
    return Object.assign(ret, { result: truthy(args.ignore_if_missing), comment: `unable to open ${name}` });
  }
  const lines = anyLines(readText(fs, name));
  const editor = new Editor(args, pairs);
  let content = lines.map((line) => editor.line(line));
  if (truthy(args.append_if_not_found)) content = [...content, ...editor.appended()];
  else if (truthy(args.prepend_if_not_found)) content = [...editor.prepended(), ...content];
  if (editor.changes === 0) return Object.assign(ret, { result: true });
  return changedKeys(context, ret, name, editor, content.join(""), truthy(args.show_changes));
}

function changedKeys(
  context: StateContext,
  ret: FileReturn,
  name: string,
  { changes, diff }: Editor,
  content: string,
  show: boolean,
): StateReturn {
  if (show) ret.changes.diff = diff.join("");
  if (context.test) {
    ret.comment = `File ${name} is set to be changed (${changes} lines)`;
    if (show) ret.comment += `\nPredicted diff:\n\r\t\t${diff.join("\r\t\t")}`;
    return ret;
  }
  ret.comment = `Changed ${changes} lines`;
  try {
    overwrite(context.runtime, name, content);
  } catch (error) {
    const failure = failureText(error);
    if (failure === undefined) throw error;
    return failed(ret, `${name} not writable: ${failure}`);
  }
  return Object.assign(ret, { result: true });
}
