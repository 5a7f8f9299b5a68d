import { messageOf } from "../../../base/errors.ts";
import type { JobContext } from "../../../model/loader/family.ts";
import { CommandExecutionError, InvalidArgumentsError, SaltInvocationError } from "../../../model/loader/family.ts";
import { decodeFile, decodeText, encodeText } from "../../../language/python/codecs.ts";
import { unifiedDiff } from "../../../language/python/difflib.ts";
import { splitLinesKeepEnds } from "../../../language/python/text.ts";
import { str, truthy, typeName } from "../../../language/python/values.ts";
import { escapeRegexp, substitute } from "../../../language/python/substitute.ts";
import { exists, isFile, isLink, lookAt, pathToChange, realPath } from "../../linux/paths.ts";
import { fromLatin1, latin1, textOf } from "../../bytes.ts";
import { pythonError, withOsErrors } from "../../python_errors.ts";
import { anyLines, fileNotFound, isText, linesIn, overwrite, readBytes, readText, refusePipe } from "./content.ts";
import { checkPerms } from "./perms.ts";
import { flagBits, matchesStart, regexpFlags, searchFor } from "./regexp.ts";
import { pathOf, stats } from "./stats.ts";
import type { FileSystem } from "../../../runtime/fs.ts";

const utf8 = new TextEncoder();

/** How a file's content is searched and changed: as text, or byte by byte. */
interface Encoding {
  bytes: boolean;
  decode(bytes: Uint8Array): string;
  encode(text: string): Uint8Array;
  /** Turns what callers pass into the same form. */
  own(text: string): string;
  lines(text: string): string[];
  /** Converts a line for a diff. */
  show(line: string): string;
}

/** Byte by byte, as Salt does it, so that a file in an unknown encoding is preserved. */
const BYTES: Encoding = {
  bytes: true,
  decode: latin1,
  encode: fromLatin1,
  own: (text) => latin1(utf8.encode(text)),
  lines: anyLines,
  show: (line) => textOf(fromLatin1(line)) ?? line,
};

function encodingOf(name: unknown): Encoding {
  if (name === null || name === undefined) return BYTES;
  const encoding = str(name);
  const same = (text: string) => text;
  return {
    bytes: false,
    decode: (bytes) => decodeFile(bytes, encoding),
    encode: (text) => encodeText(text, encoding),
    own: same,
    lines: splitLinesKeepEnds,
    show: same,
  };
}

/**
 * A pattern for bytes can match a part of a character, as `.` and `[^x]` do.
 *
 * @throws {CommandExecutionError} if that would cut a character of a file in UTF-8
 */
function refuseCutCharacters(path: string, before: string, after: string): void {
  if (textOf(fromLatin1(after)) !== undefined || textOf(fromLatin1(before)) === undefined) return;
  throw new CommandExecutionError(
    `Cannot replace in ${path}: the pattern matches a part of a character, and the file would no longer be UTF-8. ` +
      "Set encoding to utf-8 to match whole characters",
  );
}

const diff = (before: string[], after: string[]) => unifiedDiff(before, after).join("");

/** Writes new content to a file. With `suffix` the old content is kept under a name with it. */
async function commit(
  context: JobContext,
  path: string,
  content: Uint8Array,
  options: { suffix: string | undefined; preserveInode: boolean },
): Promise<void> {
  const { fs } = context.runtime;
  const { user, group, mode } = stats(context, path);
  const backup = options.suffix === undefined ? undefined : `${path}${options.suffix}`;
  if (options.preserveInode) overwriteKeeping(context, path, content, backup);
  else {
    if (backup !== undefined) {
      // The file itself becomes the backup, and the new one appears whole in its place.
      withOsErrors(backup, () => fs.remove(backup));
      try {
        fs.link(path, backup);
      } catch {
        // There are file systems without second names.
        copyWithTimes(context, path, backup);
      }
    }
    withOsErrors(path, () => fs.write(path, content, { mode: parseInt(mode, 8), like: path }));
  }
  await checkPerms(context, path, null, { user, group, mode });
}

/**
 * Writes over a file, and keeps its old content under the name of a backup, if there is one. If that fails, a backup that was not there
 * before is taken away again.
 */
function overwriteKeeping(context: JobContext, path: string, content: Uint8Array, backup: string | undefined): void {
  const { fs } = context.runtime;
  const isNew = backup !== undefined && lookAt(fs, backup, { follow: false }) === undefined;
  try {
    if (backup !== undefined) copyWithTimes(context, path, backup);
    overwrite(context.runtime, path, content);
  } catch (error) {
    if (isNew && isFile(fs, backup)) fs.remove(backup);
    throw error;
  }
}

/** Copies a file with its mode, its times, its access control list and its extended attributes. */
export function copyWithTimes(context: JobContext, from: string, to: string): void {
  const { fs } = context.runtime;
  const stat = withOsErrors(from, () => fs.stat(from));
  const data = readBytes(fs, from);
  refusePipe(fs, to);
  const before = lookAt(fs, to);
  const kept = before === undefined ? { how: "create" } as const : { owner: { uid: before.uid, gid: before.gid } };
  withOsErrors(to, () => {
    const place = fs.placeOf(to);
    fs.write(place, data, { mode: stat?.mode ?? 0o600, ...kept, like: from });
    if (stat !== undefined) fs.utimes(place, stat.atimeMs, stat.mtimeMs);
  });
}

/** The suffix of a backup; undefined for none. */
const suffixOf = (backup: unknown) => truthy(backup) ? str(backup) : undefined;

export async function replace(context: JobContext, args: Record<string, unknown>): Promise<string | boolean> {
  const { fs } = context.runtime;
  const given = pathOf(context, args.path);
  const changes = context.opts.test !== true && !truthy(args.dry_run);
  const path = changes ? pathToChange(context.runtime, given) : realPath(context.runtime, given);
  if (!exists(fs, path)) {
    if (truthy(args.ignore_if_missing)) return false;
    throw fileNotFound(path);
  }
  const encoding = encodingOf(args.encoding);
  if (encoding.bytes && !isText(fs, path)) {
    throw new SaltInvocationError(`Cannot perform string replacements on a binary file: ${path}`);
  }
  const [append, prepend, searchOnly] = [args.append_if_not_found, args.prepend_if_not_found, args.search_only]
    .map(truthy) as [boolean, boolean, boolean];
  if (searchOnly && (append || prepend)) {
    throw new SaltInvocationError("search_only cannot be used with append/prepend_if_not_found");
  }
  if (append && prepend) throw new SaltInvocationError("Only one of append and prepend_if_not_found is permitted");
  const flags = regexpFlags(args.flags, encoding);
  const expression = searchFor(typeof args.pattern === "string" ? encoding.own(args.pattern) : args.pattern, flags);
  const before = encoding.decode(readBytes(fs, path));
  if (searchOnly) return expression.test(before);

  const replacement = encoding.own(str(args.repl));
  const template = truthy(args.backslash_literal) ? replacement.replaceAll("\\", "\\\\") : replacement;
  const result = substituted(expression, template, before, Number(args.count ?? 0));
  let after = encoding.lines(result.text);
  let found = result.count > 0;
  const instead = args.not_found_content === null ? replacement : encoding.own(str(args.not_found_content));
  if (append || prepend) {
    const line = truthy(args.not_found_content) ? instead : replacement;
    found ||= searchFor(`^${escapeRegexp(line)}($|(?=\r\n))`, flags).test(before);
    if (!found) after = withLine(after, instead, prepend);
  }
  const changed = before !== after.join("");
  if (encoding.bytes) refuseCutCharacters(path, before, after.join(""));
  if (changed && !truthy(args.dry_run)) {
    const content = encoding.encode(after.join(""));
    const suffix = suffixOf(args.backup);
    const preserveInode = truthy(args.preserve_inode);
    await commit(context, path, content, { suffix, preserveInode });
    if (suffix !== undefined && isLink(fs, given)) linkBackup(context, given, suffix);
  }
  const shown = diff(encoding.lines(before).map(encoding.show), after.map(encoding.show));
  return truthy(args.show_changes) ? shown : changed && shown !== "";
}

function substituted(expression: RegExp, template: string, text: string, count: number) {
  try {
    return substitute(expression, template, text, count);
  } catch (error) {
    if (error instanceof SyntaxError) throw pythonError("re.error", error.message);
    if (error instanceof RangeError) throw pythonError("IndexError", error.message);
    throw error;
  }
}

/** Lines with one more at the beginning or at the end. */
function withLine(lines: string[], line: string, first: boolean): string[] {
  if (first) return [`${line}\n`, ...lines];
  const last = lines.at(-1);
  const ended = last === undefined || last.endsWith("\n") ? lines : [...lines.slice(0, -1), `${last}\n`];
  return [...ended, `${line}\n`];
}

/** If the file was named by a link, its backup gets a link, too. */
function linkBackup(context: JobContext, link: string, suffix: string): void {
  const { fs } = context.runtime;
  const [path, target] = [`${link}${suffix}`, `${fs.readlink(link)}${suffix}`];
  withOsErrors(path, () => {
    if (isLink(fs, path) || exists(fs, path)) fs.remove(path);
    fs.symlink(target, path);
  });
}

export function search(context: JobContext, args: Record<string, unknown>): Promise<string | boolean> {
  const flags = flagBits(args.flags) | (truthy(args.multiline) ? flagBits("MULTILINE") : 0);
  return replace(context, { ...args, flags, repl: "", search_only: true, dry_run: true, show_changes: false });
}

/** Comments out lines, or removes the comment character. @returns the changes, or false if no line was found */
export async function commentLine(context: JobContext, args: Record<string, unknown>): Promise<string | false> {
  const { fs } = context.runtime;
  const [regex, char] = [str(args.regex), str(args.char)];
  const comments = truthy(args.cmnt);
  const bare = regex.replace(/^\^+/, "").replace(/\$+$/, "");
  const end = regex.endsWith("$") ? "$" : "";
  const pattern = comments ? `${regex.startsWith("^") ? "^" : ""}(${bare})${end}` : `^${char}\\s*(${bare})${end}`;
  const given = pathOf(context, args.path);
  const path = pathToChange(context.runtime, given);
  if (!isFile(fs, path)) throw fileNotFound(path);
  if (!isText(fs, path)) {
    throw new SaltInvocationError(`Cannot perform string replacements on a binary file: ${path}`);
  }
  const lines = linesIn(readText(fs, path));
  if (lines.length === 0) return false;
  const expression = searchFor(pattern);
  const lead = new Set(char);
  const changed = (line: string) => {
    if (comments) return `${char}${line}`;
    let from = 0;
    while (from < line.length && lead.has(line[from]!)) from += 1;
    return line.slice(from);
  };
  const chosen = lines.filter((line) => matchesStart(expression, line));
  if (chosen.length === 0) return false;
  const after = lines.map((line) => matchesStart(expression, line) ? changed(line) : line);
  await commit(context, path, utf8.encode(after.join("")), { suffix: suffixOf(args.backup), preserveInode: false });
  return diff(chosen, chosen.map(changed));
}

const MARKS: readonly [encoding: string, mark: readonly number[]][] = [
  ["utf-32-be", [0, 0, 0xfe, 0xff]],
  ["utf-32-le", [0xff, 0xfe, 0, 0]],
  ["utf-16-be", [0xfe, 0xff]],
  ["utf-16-le", [0xff, 0xfe]],
  ["utf-8", [0xef, 0xbb, 0xbf]],
];

/** The encoding that a file's byte order mark tells of. */
const encodingByMark = (bytes: Uint8Array) =>
  MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0];

function readableBytes(fs: FileSystem, path: string): Uint8Array {
  try {
    return readBytes(fs, path);
  } catch (error) {
    const text = messageOf(error);
    throw text.startsWith("[Errno") ? new CommandExecutionError(`Failed to read from ${path}: ${text}`) : error;
  }
}

/** Replaces the text between two marker lines. @returns the changes */
export async function blockReplace(context: JobContext, args: Record<string, unknown>): Promise<string | boolean> {
  const { fs } = context.runtime;
  const { insert_before_match: beforeMatch, insert_after_match: afterMatch } = args;
  const places = [args.append_if_not_found, args.prepend_if_not_found, beforeMatch, afterMatch];
  if (places.filter(truthy).length > 1) {
    throw new SaltInvocationError(
      "Only one of append_if_not_found, prepend_if_not_found, insert_before_match, and insert_after_match is permitted",
    );
  }
  const path = pathOf(context, args.path);
  if (!exists(fs, path)) throw fileNotFound(path);
  const bytes = readableBytes(fs, path);
  const encoding = encodingByMark(bytes);
  if (encoding === undefined && textOf(bytes) === undefined && textOf(bytes.subarray(0, 2048)) === undefined) {
    throw new SaltInvocationError(`Cannot perform string replacements on a binary file: ${path}`);
  }
  const text = decodeText(bytes, encoding ?? "utf-8");
  for (const [name, match] of Object.entries({ insert_before_match: beforeMatch, insert_after_match: afterMatch })) {
    if (truthy(match) && typeof match !== "string") {
      throw new CommandExecutionError(`RegEx expected in ${name} parameter.`);
    }
  }
  const before = anyLines(text);
  const first = before[0] ?? "";
  const block = new Block(args, first.endsWith("\r\n") ? "\r\n" : "\n");
  const after = block.within(before) ?? block.beside(before, args);
  if (after === undefined) throw new CommandExecutionError("Cannot edit marked block. Markers were not found in file.");
  const changes = diff(before, after);
  if (changes !== "" && !truthy(args.dry_run)) {
    const { user, group, mode } = stats(context, path);
    const backup = args.backup === false ? undefined : `${path}${str(args.backup)}`;
    overwriteKeeping(context, path, encodeText(after.join(""), encoding ?? "utf-8"), backup);
    if (backup !== undefined) await checkPerms(context, backup, null, { user, group, mode });
  }
  return truthy(args.show_changes) ? changes : changes !== "";
}

/** The lines between two markers, and the markers. */
class Block {
  readonly #start: string;
  readonly #end: string;
  readonly #lines: string[];
  readonly #append: boolean;
  readonly #separator: string;

  constructor(args: Record<string, unknown>, separator: string) {
    const { content, append_newline = null } = args;
    if (typeof content !== "string") {
      const method = append_newline === null ? "endswith" : "split";
      throw pythonError("AttributeError", `'${typeName(content)}' object has no attribute '${method}'`);
    }
    this.#start = str(args.marker_start);
    this.#end = str(args.marker_end);
    this.#lines = content.split(/\r?\n/);
    this.#append = append_newline === null ? !content.endsWith("\n") : truthy(append_newline);
    this.#separator = separator;
  }

  #body(end: string): string[] {
    const last = end.replace(/[\r\n]+$/, "") + this.#separator;
    const lines = this.#lines.map((line) => `${line}${this.#separator}`);
    if (this.#append) return [...lines, last];
    // Without a line end of its own the content runs into the marker.
    return [...lines.slice(0, -1), `${this.#lines.at(-1)}${last}`];
  }

  #whole(): string[] {
    return [`${this.#start}${this.#separator}`, ...this.#body(this.#end)];
  }

  /** The lines with the block between the markers replaced; undefined without markers. */
  within(lines: readonly string[]): string[] | undefined {
    const out: string[] = [];
    let inside = false;
    let found = false;
    for (const line of lines) {
      if (line.includes(this.#start)) inside = true;
      else if (inside) {
        const at = line.indexOf(this.#end);
        if (at >= 0) {
          inside = false;
          found = true;
          out.push(...this.#body(line.slice(at)));
        }
        continue;
      }
      out.push(line);
    }
    if (inside) throw new CommandExecutionError("Unterminated marked block. End of file reached before marker_end.");
    return found ? out : undefined;
  }

  /** The lines with the block added where the options ask for it; undefined if they do not. */
  beside(lines: readonly string[], args: Record<string, unknown>): string[] | undefined {
    if (truthy(args.prepend_if_not_found)) return [...this.#whole(), ...lines];
    if (truthy(args.append_if_not_found)) {
      const last = lines.at(-1);
      const ended = last === undefined || last.endsWith(this.#separator)
        ? lines
        : [...lines.slice(0, -1), `${last}${this.#separator}`];
      return [...ended, ...this.#whole()];
    }
    const pattern = truthy(args.insert_before_match) ? args.insert_before_match : args.insert_after_match;
    if (!truthy(pattern)) return undefined;
    const expression = searchFor(pattern);
    const at = lines.findIndex((line) => {
      expression.lastIndex = 0;
      return expression.test(line);
    });
    if (at < 0) return undefined;
    return lines.toSpliced(truthy(args.insert_before_match) ? at : at + 1, 0, ...this.#whole());
  }
}

/** A text made safe between the slashes of `sed`. */
export function sedEscape(text: string, all: boolean): string {
  const quoted = text.replaceAll("'", `'"'"'`).replaceAll("/", "\\/");
  return all ? quoted.replace(/[\^.[$()|*+?{]/g, (character) => `\\${character}`) : quoted;
}

/** The `s` command that `sed` and `psed` run. */
export function sedCommand(args: Record<string, unknown>): { limit: string; before: string; after: string } {
  const all = args.escape_all === true;
  const [limit, before, after] = [args.limit, args.before, args.after].map((part) => sedEscape(str(part ?? ""), all));
  return { limit: limit!, before: before!, after: after! };
}

const PSED_FLAGS = "ILMSUX";

/** Replaces a pattern as `sed` would, without it. */
export function psed(context: JobContext, args: Record<string, unknown>): null {
  const { fs } = context.runtime;
  const path = pathOf(context, args.path);
  copyWithTimes(context, path, `${path}${str(args.backup)}`);
  const letters = [...str(args.flags)];
  const flags = regexpFlags(
    letters.filter((letter) => letter !== "g").map((letter) => {
      if (!PSED_FLAGS.includes(letter)) throw pythonError("KeyError", `'${letter}'`);
      return letter;
    }),
  );
  const { before } = sedCommand(args);
  const text = readText(fs, path);
  const limit = str(args.limit ?? "");
  if (limit !== "") throw new InvalidArgumentsError("file.psed cannot limit itself to lines: use file.sed");
  overwrite(
    context.runtime,
    path,
    substituted(searchFor(before, flags), str(args.after), text, letters.includes("g") ? 0 : 1).text,
  );
  return null;
}
