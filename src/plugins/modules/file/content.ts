import { SystemError } from "../../../base/errors.ts";
import type { JobContext } from "../../../model/loader/family.ts";
import { CommandExecutionError, InvalidArgumentsError, SaltInvocationError } from "../../../model/loader/family.ts";
import { encodeText } from "../../../language/python/codecs.ts";
import { str, truthy } from "../../../language/python/values.ts";
import { decodeUtf8, UnicodeDecodeError } from "../../../language/python/utf8.ts";
import { strip } from "../../../language/python/text.ts";
import type { FileSystem } from "../../../runtime/fs.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { compileGlob } from "../../../language/python/glob.ts";
import { exists, lookAt } from "../../linux/paths.ts";
import { fromLatin1, latin1, textOf } from "../../bytes.ts";
import { systemText, withOsErrors } from "../../python_errors.ts";
import { pathOf, wholeNumberOf } from "./stats.ts";

/** Mode of files that are made, before the umask takes its part. */
const NEW_FILE = 0o666;

const utf8 = new TextEncoder();

/**
 * A pipe in a file's place would have us wait for ever: whoever owns its directory could hold up all states.
 *
 * @throws {CommandExecutionError} for a named pipe
 */
export function refusePipe(fs: FileSystem, path: string): void {
  if (lookAt(fs, path)?.kind === "fifo") {
    throw new CommandExecutionError(`Cannot use "${path}": it is a named pipe; remove it, or name a file`);
  }
}

const ENDLESS: Readonly<Record<string, string>> = {
  fifo: "a named pipe",
  socket: "a socket",
  character: "a character device",
};

/**
 * A link to `/dev/zero` in a file's place would take all memory, as a pipe all time.
 *
 * @throws {CommandExecutionError} for what has no end
 */
export function refuseEndless(fs: FileSystem, path: string): void {
  const what = ENDLESS[lookAt(fs, path)?.kind ?? ""];
  if (what !== undefined) {
    throw new CommandExecutionError(`Cannot read "${path}": it is ${what}; remove it, or name a file`);
  }
}

/** The content of a file. @throws {CommandExecutionError} for what has no end */
export function readBytes(fs: FileSystem, path: string): Uint8Array {
  refuseEndless(fs, path);
  return withOsErrors(path, () => fs.read(path));
}

/** Replaces the content of a file, or creates it; owner and mode stay. @throws {CommandExecutionError} for a named pipe */
export function overwrite({ fs }: Pick<Runtime, "fs">, path: string, content: string | Uint8Array): void {
  refusePipe(fs, path);
  const data = typeof content === "string" ? utf8.encode(content) : content;
  withOsErrors(path, () => fs.writeAt(path, 0, data, { truncate: true, mode: NEW_FILE }));
}

/** The text of a file with its line ends. @throws if it is not UTF-8 */
export function readText(fs: FileSystem, path: string): string {
  return decoded(path, () => decodeUtf8(readBytes(fs, path)));
}

/** Runs `decode` on the content of a file; its error names the file. */
export function decoded(path: string, decode: () => string): string {
  try {
    return decode();
  } catch (error) {
    if (error instanceof UnicodeDecodeError) error.message += `: ${path}`;
    throw error;
  }
}

/** Lines from the arguments, or from the list in the keyword `args`. */
function linesOf({ args, kwargs }: Record<string, unknown>): string[] {
  const named = (kwargs as Record<string, unknown>).args;
  const lines = named === undefined ? args : Array.isArray(named) ? named : [named];
  return (lines as unknown[]).map(str);
}

const ended = (lines: string[]) => lines.map((line) => `${line}\n`).join("");

export function write(context: JobContext, args: Record<string, unknown>): string {
  const path = pathOf(context, args.path);
  const lines = linesOf(args);
  overwrite(context.runtime, path, ended(lines));
  return `Wrote ${lines.length} lines to "${path}"`;
}

export function append(context: JobContext, args: Record<string, unknown>): string {
  const { fs } = context.runtime;
  const path = pathOf(context, args.path);
  const lines = linesOf(args);
  refusePipe(fs, path);
  withOsErrors(path, () => {
    const size = fs.stat(path)?.size;
    // Unlike the shell's redirection this does not create a file; reading then fails.
    const last = fs.readAt(path, Math.max(0, (size ?? 0) - 1), 1);
    try {
      fs.append(path, (last.length > 0 && last[0] !== 0x0a ? "\n" : "") + ended(lines));
    } catch (error) {
      // A full disk takes a part of it: half a line is worse than none.
      if (size !== undefined && (fs.stat(path)?.size ?? 0) > size) fs.truncate(path, size);
      throw error;
    }
  });
  return `Wrote ${lines.length} lines to "${path}"`;
}

export function prepend(context: JobContext, args: Record<string, unknown>): string {
  const { fs } = context.runtime;
  const path = pathOf(context, args.path);
  const lines = linesOf(args);
  const before = lookAt(fs, path)?.kind === "file" ? readText(fs, path) : "";
  overwrite(context.runtime, path, ended(lines) + before);
  return `Prepended ${lines.length} lines to "${path}"`;
}

export function read(context: JobContext, path: string, binary: unknown): string | Uint8Array {
  const { fs } = context.runtime;
  return binary === true ? readBytes(fs, path) : readText(fs, path);
}

/** Seconds since the epoch; undefined for a time that was not given. @throws {SaltInvocationError} if it is no time */
export function timeOf(value: unknown): number | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === "string" && /^\d+$/.test(value)) return Number(value);
  if (typeof value === "number" || typeof value === "bigint" || value instanceof Number) return Number(value);
  throw new SaltInvocationError("atime and mtime must be integers");
}

export function touch(context: JobContext, { name, atime, mtime }: Record<string, unknown>): boolean {
  const { clock, fs } = context.runtime;
  const path = pathOf(context, name);
  const now = clock.now() / 1000;
  const [accessed, modified] = [timeOf(atime), timeOf(mtime)];
  try {
    if (!exists(fs, path)) fs.append(path, "", NEW_FILE);
    fs.utimes(path, (accessed ?? now) * 1000, (modified ?? now) * 1000);
  } catch (error) {
    if (error instanceof SystemError) throw new CommandExecutionError(`${systemText(error)}: ${path}`);
    throw error;
  }
  return exists(fs, path);
}

export function truncate(context: JobContext, path: string, length: unknown): null {
  const { fs } = context.runtime;
  withOsErrors(path, () => {
    fs.readAt(path, 0, 0);
    fs.truncate(path, wholeNumberOf(length));
  });
  return null;
}

export function seekRead(context: JobContext, path: string, size: unknown, offset: unknown): Uint8Array {
  const { fs } = context.runtime;
  refusePipe(fs, path);
  withOsErrors(path, () => fs.readAt(path, 0, 0));
  return withOsErrors(path, () => fs.readAt(path, wholeNumberOf(offset), wholeNumberOf(size)));
}

/** Writes at an offset of a file. @returns the number of bytes */
export function seekWrite(context: JobContext, path: string, data: unknown, offset: unknown): number {
  const { fs } = context.runtime;
  if (typeof data !== "string" && !(data instanceof Uint8Array)) {
    throw new InvalidArgumentsError(`a bytes-like object is required, not '${str(typeof data)}'`);
  }
  const bytes = typeof data === "string" ? utf8.encode(data) : data;
  withOsErrors(path, () => {
    if (!exists(fs, path)) fs.readAt(path, 0, 0);
    fs.writeAt(path, wholeNumberOf(offset), bytes);
  });
  return bytes.length;
}

/** Bytes that are read at once when a file is searched. */
const WINDOW = 1 << 20;

export function fileContains(context: JobContext, path: string, text: unknown): boolean {
  const { fs } = context.runtime;
  if (!exists(fs, path)) return false;
  // As many characters as bytes, so that a piece may end within a character.
  const wanted = latin1(utf8.encode(strip(str(text))));
  let kept = "";
  try {
    for (let at = 0;;) {
      const chunk = fs.readAt(path, at, WINDOW);
      if (chunk.length === 0) return false;
      at += chunk.length;
      const here = kept + latin1(chunk);
      if (here.includes(wanted)) return true;
      kept = wanted.length > 1 ? here.slice(1 - wanted.length) : "";
    }
  } catch (error) {
    if (error instanceof SystemError) return false;
    throw error;
  }
}

/** The text of a file; undefined if it cannot be read. */
function textFor(fs: FileSystem, path: string): string | undefined {
  if (!exists(fs, path)) return undefined;
  try {
    return readText(fs, path);
  } catch (error) {
    if (error instanceof Error && error.name.endsWith("Error") && error.message.startsWith("[Errno")) return undefined;
    throw error;
  }
}

export function containsGlob(context: JobContext, path: string, glob: unknown): boolean {
  const text = textFor(context.runtime.fs, path);
  return text !== undefined && text !== "" && compileGlob(str(glob))(text);
}

export function containsRegex(context: JobContext, path: string, expression: RegExp, lead: string): boolean {
  const text = textFor(context.runtime.fs, path);
  if (text === undefined) return false;
  const cut = new Set(lead);
  return anyLines(text).some((line) => {
    let from = 0;
    while (from < line.length && cut.has(line[from]!)) from += 1;
    expression.lastIndex = 0;
    return expression.test(line.slice(from));
  });
}

/** Lines with their ends, which are line feeds and nothing else, as bytes are read line by line. */
export function linesIn(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

/** Lines with their ends, which may be carriage returns too, as a text is read line by line. */
export function anyLines(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+/g) ?? [];
}

/** Bytes of the beginning that decide whether a file is text. */
const PROBE = 512;

/** True if a file is text: UTF-8 at its beginning, or mostly printable, and without a zero. */
export function isText(fs: FileSystem, path: string): boolean {
  let block: Uint8Array;
  refusePipe(fs, path);
  try {
    block = fs.readAt(path, 0, PROBE);
  } catch {
    // What cannot be read is no text to work on.
    return false;
  }
  return areText(block);
}

/** As {@link isText}, of a file's content. */
export function areText(content: Uint8Array): boolean {
  const block = content.subarray(0, PROBE);
  if (block.includes(0)) return false;
  if (block.length === 0 || textOf(block) !== undefined) return true;
  const strange = block.filter((byte) => !((byte >= 32 && byte < 127) || [8, 9, 10, 12, 13].includes(byte)));
  return strange.length / block.length <= 0.3;
}

/** The lines of bytes, each as text: UTF-8, or else one character per byte. */
export function diffLines(bytes: Uint8Array): string[] {
  return linesIn(latin1(bytes)).map((line) => textOf(fromLatin1(line)) ?? line);
}

/** Raised if a file does not exist. */
export function fileNotFound(path: string): SaltInvocationError {
  return new SaltInvocationError(`File not found: ${path}`);
}

/**
 * The bytes of an argument `contents`; undefined if there is none.
 *
 * @param args `encoding` and `encoding_errors`, Python's names for them; without them UTF-8
 */
export function contentsOf(contents: unknown, args: Record<string, unknown> = {}): Uint8Array | undefined {
  if (contents === null || contents === undefined) return undefined;
  if (typeof contents === "string" && truthy(args.encoding)) {
    return encodeText(contents, str(args.encoding), str(args.encoding_errors ?? "strict"));
  }
  return contents instanceof Uint8Array ? contents : new TextEncoder().encode(str(contents));
}
