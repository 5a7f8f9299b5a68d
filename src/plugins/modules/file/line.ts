import { messageOf } from "../../../base/errors.ts";
import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { unifiedDiff } from "../../../language/python/difflib.ts";
import { splitLinesKeepEnds, stripEnd, stripStart } from "../../../language/python/text.ts";
import { str, truthy } from "../../../language/python/values.ts";
import { translateRegexp } from "../../../language/python/regexp.ts";
import { isFile, pathToChange, realPath } from "../../linux/paths.ts";
import { anyLines, overwrite, readText } from "./content.ts";
import { copyWithTimes } from "./replace.ts";
import { pathOf } from "./stats.ts";

type Mode = "insert" | "ensure" | "delete" | "replace";
const MODES: readonly string[] = ["insert", "ensure", "delete", "replace"] satisfies Mode[];

/** The lines that a pattern matches, or that contain it literally; undefined without a pattern or without lines. */
function linesLike(lines: readonly string[], pattern: unknown): string[] | undefined {
  if (lines.length === 0 || !truthy(pattern)) return undefined;
  if (typeof pattern !== "string") {
    throw new CommandExecutionError(`first argument must be string or compiled pattern: '${str(pattern)}'`);
  }
  let expression: RegExp;
  try {
    expression = translateRegexp(pattern, { s: true });
  } catch (error) {
    throw new CommandExecutionError(`${messageOf(error)}: '${pattern}'`);
  }
  return lines.filter((line) => expression.test(line) || line.includes(pattern));
}

/** @throws {CommandExecutionError} unless exactly one line was found */
function only(found: readonly string[], what: "before" | "after"): string {
  if (found.length !== 1) {
    const many = found.length > 1 ? "more than" : "less than";
    throw new CommandExecutionError(`Found ${many} expected occurrences in "${what}" expression`);
  }
  return found[0]!;
}

const bare = (line: string | undefined) => line?.replace(/[\r\n]+$/, "");
const endOf = (line: string) => /(?:\r\n|\r|\n)$/.exec(line)?.[0] ?? "";

interface Edit {
  mode: Mode;
  content: string;
  match: unknown;
  location: unknown;
  before: unknown;
  after: unknown;
  indent: boolean;
}

/** Applies an edit to lines; the last is empty if the text ends with a line end. */
function edited(lines: readonly string[], edit: Edit): string[] {
  const { mode, content, location } = edit;
  const before = linesLike(lines, edit.before);
  const after = linesLike(lines, edit.after);
  const [match] = linesLike(lines, edit.match) ?? [];
  const like = (line: string) => edit.indent ? /^[\t ]*/.exec(line)![0] + stripStart(content) : content;
  const put = (at: number, line: string) => lines.toSpliced(at, 0, like(line));

  if (mode === "delete") return match === undefined ? [...lines] : lines.filter((line) => line !== match);
  if (mode === "replace") {
    return match === undefined ? [...lines] : lines.toSpliced(lines.indexOf(match), 1, like(match));
  }
  if (mode === "insert") {
    if (before === undefined && after === undefined && location === null) {
      throw new CommandExecutionError('On insert either "location" or "before/after" conditions are required.');
    }
    if (truthy(location)) {
      if (location === "end") return lines.length === 0 ? [content] : put(lines.length, lines.at(-1)!);
      if (location !== "start") return [...lines];
      const [first] = lines;
      return [stripEnd(content) + (first === undefined ? "\n" : endOf(first) || "\n"), ...lines];
    }
    if (truthy(before) && truthy(after)) {
      only(before!, "before");
      only(after!, "after");
      const at = lines.indexOf(before![0]!);
      return put(at, lines[at]!);
    }
    if (truthy(after)) return behind(lines, lines.indexOf(only(after!, "after")), content, put);
    if (truthy(before)) {
      const at = lines.indexOf(only(before!, "before"));
      return bare(lines.at(at - 1)) === bare(content) ? [...lines] : put(at, lines[at]!);
    }
    throw new CommandExecutionError("Neither before or after was found in file");
  }
  if (truthy(before) && truthy(after)) {
    const low = lines.indexOf(only(after!, "after"));
    const high = lines.indexOf(only(before!, "before"));
    if (lines.some((line) => stripStart(line) === content)) return [...lines];
    if (low + 1 === high) return put(low + 1, lines[low]!);
    if (low + 2 === high) return lines.toSpliced(low + 1, 1, like(lines[low]!));
    throw new CommandExecutionError('Found more than one line between boundaries "before" and "after".');
  }
  if (truthy(before)) {
    const at = lines.indexOf(only(before!, "before"));
    if (at > 0 && bare(lines[at - 1]) === bare(content)) return [...lines];
    return put(at, lines.at(at - 1)!);
  }
  if (truthy(after)) return behind(lines, lines.indexOf(only(after!, "after")), content, put);
  throw new CommandExecutionError(
    "Wrong conditions? Unable to ensure line without knowing where to put it before and/or after.",
  );
}

/** The lines with the content after one of them, unless it is there already. */
function behind(
  lines: readonly string[],
  at: number,
  content: string,
  put: (at: number, line: string) => string[],
): string[] {
  return at + 1 < lines.length && bare(lines[at + 1]) === bare(content) ? [...lines] : put(at + 1, lines[at]!);
}

/** Adds a missing line end to every line but the last, as the line before it has. */
function withEnds(lines: string[]): string[] {
  lines.forEach((line, at) => {
    if (endOf(line) !== "" || at + 1 >= lines.length) return;
    // The second line stands for the first and for itself: there is none before them to go by.
    const other = lines[Math.max(1, at - 1)]!;
    lines[at] = stripEnd(line) + (endOf(other) || "\n");
  });
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function timeStamp(now: number): string {
  const date = new Date(now);
  const two = (value: number) => String(value).padStart(2, "0");
  return [
    date.getFullYear(),
    two(date.getMonth() + 1),
    two(date.getDate()),
    two(date.getHours()),
    two(date.getMinutes()),
    two(date.getSeconds()),
  ].join("-");
}

/** Changes one line of a file. @returns the changes, or whether there were any */
export function line(context: JobContext, args: Record<string, unknown>): string | boolean {
  const { clock, fs } = context.runtime;
  const given = pathOf(context, args.path);
  const path = context.opts.test === true ? realPath(context.runtime, given) : pathToChange(context.runtime, given);
  if (!isFile(fs, path)) {
    if (truthy(args.quiet)) return false;
    throw new CommandExecutionError(`File "${path}" does not exists or is not a file.`);
  }
  if (args.mode === null) throw new CommandExecutionError("Mode was not defined. How to process the file?");
  const mode = str(args.mode).toLowerCase();
  if (!MODES.includes(mode)) throw new CommandExecutionError(`Unknown mode: "${mode}"`);
  if (mode !== "delete" && args.content === null) {
    throw new CommandExecutionError('Content can only be empty if mode is "delete"');
  }
  const whole = args.before === null && args.after === null && !truthy(args.match);
  const text = readText(fs, path);
  const lines = anyLines(text);
  const body = withEnds(edited(endOf(lines.at(-1) ?? "") !== "" ? [...lines, ""] : lines, {
    mode: mode as Mode,
    content: args.content === null ? "" : str(args.content),
    match: whole ? args.content : args.match,
    location: args.location,
    before: args.before,
    after: args.after,
    indent: truthy(args.indent),
  }));
  const after = body.join("");
  if (after === text) return false;
  if (context.opts.test !== true) {
    if (truthy(args.backup)) copyWithTimes(context, path, `${path}.${timeStamp(clock.now())}`);
    overwrite(context.runtime, path, after);
  }
  return truthy(args.show_changes) ? unifiedDiff(splitLinesKeepEnds(text), body).join("") || true : true;
}
