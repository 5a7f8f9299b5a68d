import type { StateContext, StateReturn } from "../../../model/loader/states.ts";
import { decodeFile } from "../../../language/python/codecs.ts";
import { unifiedDiff } from "../../../language/python/difflib.ts";
import { splitLinesKeepEnds } from "../../../language/python/text.ts";
import { PythonError } from "../../../language/python/python_error.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { decodeUtf8 } from "../../../language/python/utf8.ts";
import { decoded, diffLines, isText, readBytes } from "../../modules/file/content.ts";
import { commentLine, search } from "../../modules/file/replace.ts";
import { failed, namedPath, unusableFile } from "./ret.ts";

/** True if a regular expression matches in a file, `^` and `$` at every line. */
export async function found(context: StateContext, path: string, pattern: string): Promise<boolean> {
  const searched = { path, pattern, flags: 8, bufsize: 1, ignore_if_missing: false, multiline: true };
  return truthy(await search(context, searched));
}

/** The text of a file in an encoding, UTF-8 unless one is named. */
export function textIn(context: StateContext, path: string, encoding: unknown): string {
  const bytes = readBytes(context.runtime.fs, path);
  return decoded(path, () => truthy(encoding) ? decodeFile(bytes, str(encoding)) : decodeUtf8(bytes));
}

/** Why a text cannot be written in an encoding; undefined if it can, or if none is named. */
export function encodingComplaint(encoding: unknown): string | undefined {
  if (!truthy(encoding)) return undefined;
  try {
    decodeFile(new Uint8Array(), str(encoding));
    return undefined;
  } catch (error) {
    if (error instanceof PythonError) return error.message;
    throw error;
  }
}

/** What `changes.diff` says of lines that became others. */
export function linesDiff(context: StateContext, path: string, before: string[], after: string[], glue = ""): string {
  if (!isText(context.runtime.fs, path)) return "Replace binary file";
  return unifiedDiff(before, after).join(glue);
}

export const sameLines = (before: readonly string[], after: readonly string[]): boolean =>
  before.length === after.length && before.every((line, at) => line === after[at]);

/** What to look for, and what to say, when lines are commented out or in. */
interface Turn {
  comments: boolean;
  /** A line that is still to be changed, and one that has been. */
  pending: string;
  done: string;
  /** What the comments call the pattern if nothing matches. */
  shown: string;
  ignoreMissing: boolean;
  lines: () => string[];
}

async function turned(context: StateContext, args: Args, fun: string, turnOf: (path: string) => Turn) {
  const { name, ret, refused } = namedPath(context, fun, args.name, { result: false });
  if (refused !== undefined) return refused;
  const complaint = unusableFile(context, name);
  if (complaint !== undefined) return failed(ret, complaint);
  const turn = turnOf(name);
  const word = turn.comments ? "commented" : "uncommented";
  if (!await found(context, name, turn.pending)) {
    if (await found(context, name, turn.done)) {
      return Object.assign(ret, { result: true, comment: `Pattern already ${word}` });
    }
    if (!turn.ignoreMissing) return failed(ret, `${turn.shown}: Pattern not found`);
    return Object.assign(ret, { result: true, comment: "Pattern not found and ignore_missing set to True" });
  }
  // An encoding that is unknown fails before anything is written.
  const before = turn.lines();
  if (context.test) {
    return Object.assign(ret, {
      result: null,
      comment: `File ${name} is set to be updated`,
      changes: { [name]: "updated" },
    });
  }
  await commentLine(context, { ...args, path: name, cmnt: turn.comments });
  const after = turn.lines();
  ret.result = await found(context, name, turn.done);
  if (!sameLines(before, after)) ret.changes.diff = linesDiff(context, name, before, after);
  const title = `${word[0]!.toUpperCase()}${word.slice(1)}`;
  ret.comment = ret.result ? `${title} lines successfully` : `Expected ${word} lines not found`;
  return ret;
}

/** `file.comment`: lines that match are commented out. */
export function comment(context: StateContext, args: Args): Promise<StateReturn> {
  const [regex, char] = [str(args.regex), str(args.char)];
  const bare = regex.replace(/^(?:\(\?[iLmsux]\))?\^?(.*?)\$?$/, "$1");
  return turned(context, args, "comment", (path) => ({
    comments: true,
    pending: `^(?!\\s*${char})\\s*${bare}`,
    done: char + bare,
    shown: bare,
    ignoreMissing: truthy(args.ignore_missing),
    lines: () => splitLinesKeepEnds(textIn(context, path, args.encoding)),
  }));
}

/** `file.uncomment`: lines that match lose their comment character. */
export function uncomment(context: StateContext, args: Args): Promise<StateReturn> {
  const regex = str(args.regex);
  const bare = regex.replace(/^\^+/, "");
  return turned(context, args, "uncomment", (path) => ({
    comments: false,
    pending: `${str(args.char)}[ \t]*${bare}`,
    done: `^[ \t]*${bare}`,
    shown: regex,
    ignoreMissing: false,
    lines: () => diffLines(readBytes(context.runtime.fs, path)),
  }));
}
