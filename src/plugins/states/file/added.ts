import type { StateContext, StateReturn } from "../../../model/loader/states.ts";
import { InvalidArgumentsError, SaltInvocationError } from "../../../model/loader/family.ts";
import { dirname } from "../../../language/python/posixpath.ts";
import { splitLines, splitLinesKeepEnds } from "../../../language/python/text.ts";
import { escapeRegexp } from "../../../language/python/substitute.ts";
import { type Args, truthy } from "../../../language/python/values.ts";
import { isDirectory } from "../../linux/paths.ts";
import { append as appendLines, prepend as prependLines } from "../../modules/file/content.ts";
import { makedirs } from "../../modules/file/tree.ts";
import { found, linesDiff, sameLines, textIn } from "./comment.ts";
import { touch } from "./presence.ts";
import { failed, type FileReturn, namedPath, unusableFile } from "./ret.ts";
import { pairedSources, templateTexts, textList } from "./texts.ts";

/** The words of a line; what stands in quotes is one, unless the other quotes occur in the line, too. */
function words(line: string): string[] {
  // The quotes that keep words together: none of both kinds, if the line has one right behind the other.
  const quotes = line.includes("'\"") ? "" : line.includes("'") ? '"' : line.includes('"') ? "'" : "'\"";
  const out: string[] = [];
  let [word, quote] = ["", ""];
  for (const character of line) {
    if (quote !== "") {
      word += character;
      if (character === quote) quote = "";
    } else if (/[ \t\r\n]/.test(character)) {
      if (word !== "") out.push(word);
      word = "";
    } else {
      word += character;
      if (quotes.includes(character)) quote = character;
    }
  }
  return word === "" ? out : [...out, word];
}

/** A pattern for a text that may have more or less white space between its words. */
function ignoringWhitespace(text: string): string {
  const blank = "\\s*";
  const lines = splitLines(text).map((line) => `${blank}${words(line).map(escapeRegexp).join(blank)}${blank}`);
  return `(?m)^${lines.join("")}$`;
}

/** What lines are to be added to, and those lines; or the return that ends the state. */
interface Prepared {
  name: string;
  ret: FileReturn;
  chunks: string[];
}

async function prepared(context: StateContext, args: Args, fun: string): Promise<Prepared | StateReturn> {
  const { name, ret, refused } = namedPath(context, fun, args.name, { result: false });
  if (refused !== undefined) return refused;
  const sources = pairedSources(args);
  if (typeof sources === "string") return failed(ret, sources);
  let text = args.text;
  // A source that cannot be had fails before the file is created.
  if (sources.length > 0) {
    const texts = await templateTexts(context, sources, args);
    if (!Array.isArray(texts)) return texts;
    text = texts;
  }
  if (args.makedirs === true && !context.test && !isDirectory(context.runtime.fs, dirname(name))) {
    await makedirs(context, { path: name, user: null, group: null, mode: null });
  }
  const complaint = unusableFile(context, name);
  if (complaint !== undefined) {
    const touched = await touch(context, { name, atime: null, mtime: null, makedirs: args.makedirs });
    if (context.test) return touched;
    if (unusableFile(context, name) !== undefined) return failed(ret, complaint);
  }
  return { name, ret, chunks: textList(text) };
}

/** `file.append`: lines at the end of a file that it does not have yet. */
export async function append(context: StateContext, args: Args): Promise<StateReturn> {
  const ready = await prepared(context, args, "append");
  if (!("chunks" in ready)) return ready;
  const { name, ret, chunks } = ready as Prepared;
  const read = () => splitLines(textIn(context, name, args.encoding));
  const before = read();
  const lines: string[] = [];
  try {
    for (const chunk of chunks) {
      const pattern = truthy(args.ignore_whitespace) ? ignoringWhitespace(chunk) : chunk;
      if (!await found(context, name, pattern)) lines.push(...splitLines(chunk));
    }
  } catch (error) {
    // Salt says so of whatever keeps it from searching: of a binary file, too.
    if (error instanceof SaltInvocationError || error instanceof InvalidArgumentsError) {
      return failed(ret, "No text found to append. Nothing appended");
    }
    throw error;
  }
  const right = `File ${name} is in correct state`;
  if (context.test) {
    if (lines.length === 0) return Object.assign(ret, { result: true, comment: right });
    ret.changes.diff = linesDiff(context, name, before, [...before, ...lines], "\n");
    return Object.assign(ret, { result: null, comment: `File ${name} is set to be updated` });
  }
  if (lines.length > 0) appendLines(context, { path: name, args: [], kwargs: { args: lines } });
  ret.comment = lines.length > 0 ? `Appended ${lines.length} lines` : right;
  const after = read();
  if (!sameLines(before, after)) ret.changes.diff = linesDiff(context, name, before, after, "\n");
  return Object.assign(ret, { result: true });
}

/** `file.prepend`: lines at the start of a file that it does not have yet; with `header`, not in that place. */
export async function prepend(context: StateContext, args: Args): Promise<StateReturn> {
  const ready = await prepared(context, args, "prepend");
  if (!("chunks" in ready)) return ready;
  const { name, ret, chunks } = ready as Prepared;
  const header = truthy(args.header);
  const read = () => splitLinesKeepEnds(textIn(context, name, args.encoding));
  const before = read();
  const lines: string[] = [];
  for (const chunk of chunks) {
    if (header || !await found(context, name, ignoringWhitespace(chunk))) lines.push(...splitLines(chunk));
  }
  const right = `File ${name} is in correct state`;
  if (context.test) {
    const after = [...lines.map((line) => `${line}\n`), ...before];
    if (sameLines(before, after)) return Object.assign(ret, { result: true, comment: right });
    ret.changes.diff = linesDiff(context, name, before, after);
    return Object.assign(ret, { result: null, comment: `File ${name} is set to be updated` });
  }
  const head = before.slice(0, lines.length).flatMap(splitLines);
  const due = header ? !sameLines(head, lines) : true;
  if (due) prependLines(context, { path: name, args: lines, kwargs: {} });
  const after = read();
  if (!sameLines(before, after)) ret.changes.diff = linesDiff(context, name, before, after);
  ret.comment = due && lines.length > 0 ? `Prepended ${lines.length} lines` : right;
  return Object.assign(ret, { result: true });
}
