import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { splitLines, splitWords } from "../../../language/python/text.ts";
import { type Args, repr, str, truthy } from "../../../language/python/values.ts";
import { needProgram, programPath, run, runAll } from "../../commands.ts";
import { exists } from "../../linux/paths.ts";
import { shellWords } from "../../linux/words.ts";
import { cachedSource, localPath } from "../../sources.ts";

/** Endings of names by the kind of archive. */
const ENDINGS: Record<string, readonly string[]> = {
  tar: ["tar", "tar.gz", "tgz", "tar.bz2", "tbz2", "tbz", "tar.xz", "txz", "tar.lzma", "tlz"],
  zip: ["zip"],
  rar: ["rar"],
};

/** The members of an archive: names of directories end with a slash. */
interface Listing {
  dirs: string[];
  files: string[];
  links: string[];
}

/** Limits a list: true for 100 lines, a number for as many. */
export function trimmed(files: string[], trim: unknown): string[] {
  const count = typeof trim === "boolean" ? 100 : Number(trim);
  if (trim === false || files.length <= count) return files;
  return [...files.slice(0, count), `List trimmed after ${count} files.`];
}

/** Runs a program that packs or unpacks. @returns the lines of its output */
export async function listedLines(context: JobContext, words: string[], args: Args): Promise<string[]> {
  const { cwd, runas, template } = args;
  return splitLines(
    await run(context, words, { cwd: cwd ?? null, runas: runas ?? null, template: template ?? null }),
  );
}

// The listing of tar escapes unusual characters as in C.
const ESCAPES: Record<string, string> = { n: "\n", t: "\t", r: "\r", f: "\f", b: "\b", v: "\v", a: "\x07" };

function unescaped(name: string): string {
  if (!name.includes("\\")) return name;
  const bytes: number[] = [];
  const utf8 = new TextEncoder();
  for (const [part, octal, letter] of name.matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/gsu)) {
    if (octal !== undefined) bytes.push(parseInt(octal, 8));
    else bytes.push(...utf8.encode(letter === undefined ? part : ESCAPES[letter] ?? letter));
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

async function listTar(context: JobContext, name: string, file: string, decompress: unknown): Promise<Listing> {
  needProgram(context, "tar");
  const list = (words: string[]) =>
    runAll(context, ["tar", "--list", ...words, "--quoting-style=escape", "--file", file], { ignore_retcode: true });
  let program: string[] = [];
  let names = await list(program);
  // The program that unpacks is for what tar does not know itself.
  if (names.retcode !== 0 && truthy(decompress)) {
    program = [`--use-compress-program=${shellWords(str(decompress)).join(" ")}`];
    names = await list(program);
  }
  const kinds = await list(["--verbose", ...program]);
  if (names.retcode !== 0) {
    throw new CommandExecutionError(
      `Unable to list contents of ${name}. If this is an XZ-compressed tar archive, install XZ Utils to enable ` +
        "listing its contents. If it is compressed using something other than XZ, it may be necessary to specify CLI " +
        "options to decompress the archive. See the documentation for details.",
    );
  }
  const rows = splitLines(kinds.stdout);
  const listing: Listing = { dirs: [], files: [], links: [] };
  splitLines(names.stdout).map(unescaped).forEach((path, at) => {
    const kind = rows[at]?.[0];
    if (kind === "l") listing.links.push(path);
    else if (kind === "d") listing.dirs.push(path.endsWith("/") ? path : `${path}/`);
    else listing.files.push(path);
  });
  return listing;
}

/** Members of a zip file with the columns of its listing. */
export async function zipMembers(
  context: JobContext,
  name: string,
  file: string,
): Promise<{ path: string; row: string[] }[]> {
  needProgram(context, "unzip");
  const info = (option: string) => runAll(context, ["unzip", `-Z${option}`, file], { ignore_retcode: true });
  const [names, rows] = [await info("1"), await info("")];
  // An empty archive is one, too.
  if (names.retcode !== 0 && !/^Empty zipfile/m.test(names.stdout + rows.stdout)) {
    throw new CommandExecutionError(`${name} is not a ZIP file`);
  }
  if (names.retcode !== 0) return [];
  const columns = splitLines(rows.stdout).filter((line) => /^[-dlbcsp?][-rwxahsStT?]{3,}/.test(line));
  return splitLines(names.stdout).map((path, at) => ({ path, row: splitWords(columns[at] ?? "") }));
}

async function listZip(context: JobContext, name: string, file: string): Promise<Listing> {
  const dirs = new Set<string>();
  const links: string[] = [];
  const files: string[] = [];
  for (const { path, row } of await zipMembers(context, name, file)) {
    const kind = row[0]?.[0];
    if (kind === "l") links.push(path);
    else if (kind === "d") dirs.add(path);
    else files.push(path);
  }
  for (const path of files) {
    const directory = path.slice(0, path.lastIndexOf("/") + 1);
    if (directory !== "") dirs.add(directory);
  }
  return { dirs: [...dirs], files: files.filter((path) => !path.endsWith("/")), links };
}

async function listRar(context: JobContext, name: string): Promise<Listing> {
  if (programPath(context, "rar") === undefined) {
    throw new CommandExecutionError("rar command not available, is it installed?");
  }
  const output = await run(context, ["rar", "lt", name]);
  const listing: Listing = { dirs: [], files: [], links: [] };
  for (const [, path = "", type] of output.matchAll(/Name:\s*([^\n]+)\s*Type:\s*([^\n]+)/g)) {
    if (type === "Directory") listing.dirs.push(`${path}/`);
    else listing.files.push(path);
  }
  if (listing.dirs.length + listing.files.length === 0) {
    throw new CommandExecutionError(
      `Failed to list ${name}, is it a rar file? If so, the installed version of rar may be too old to list data in a ` +
        "parsable format. Installing the rarfile Python module may be an easier workaround if newer rar is not readily " +
        "available.",
      { info: { error: output } },
    );
  }
  return listing;
}

/** The kind of an archive: the argument, or by the ending of its name. */
function kindOf(name: string, given: unknown): string {
  if (truthy(given)) {
    if (!Object.hasOwn(ENDINGS, str(given))) {
      throw new CommandExecutionError(`Unsupported archive format '${str(given)}'`);
    }
    return str(given);
  }
  const path = name.replace(/[?#].*$/, "").toLowerCase();
  const found = Object.entries(ENDINGS).find(([, endings]) => endings.some((ending) => path.endsWith(`.${ending}`)));
  if (found === undefined) {
    throw new CommandExecutionError("Unable to guess archive format, please pass an 'archive_format' argument.");
  }
  return found[0];
}

export async function cachedArchive(context: JobContext, name: string, args: Args): Promise<string> {
  // A missing file of the host fails when it is opened.
  if (localPath(name).startsWith("/")) return localPath(name);
  const file = await cachedSource(context, name, args);
  if (file === undefined) throw new CommandExecutionError(`Failed to cache ${name}`);
  return file;
}

export async function listArchive(context: JobContext, args: Args): Promise<unknown> {
  const name = str(args.name);
  const file = await cachedArchive(context, name, args);
  try {
    const strip = stripOf(args.strip_components);
    const kind = kindOf(name, args.archive_format);
    if (!exists(context.runtime.fs, file)) {
      throw new CommandExecutionError(`Failed to list contents of ${name}: ${noFile(file)}`);
    }
    const found = kind === "tar"
      ? await listTar(context, name, file, args.options)
      : kind === "zip"
      ? await listZip(context, name, file)
      : await listRar(context, name);
    if (truthy(args.clean)) context.runtime.fs.remove(file);
    return shown(strip === 0 ? found : stripped(found, strip), args.verbose);
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    const info = typeof error.info === "object" ? error.info : {};
    throw new CommandExecutionError(error.message, { info: { ...info, "archive location": file } });
  }
}

export const noFile = (path: string) => `[Errno 2] No such file or directory: ${repr(path)}`;

function stripOf(value: unknown): number {
  if (!truthy(value)) return 0;
  const count = /^\d+$/.test(str(value)) ? Number(value) : -1;
  if (count <= 0) throw new CommandExecutionError("'strip_components' must be a positive integer");
  return count;
}

/** Names without their first parts. */
function stripped({ dirs, files, links }: Listing, count: number): Listing {
  const cut = (names: string[]) =>
    names.map((name) => name.split("/").slice(count).join("/")).filter((name) => name !== "");
  return { dirs: cut(dirs), files: cut(files), links: cut(links) };
}

function shown({ dirs, files, links }: Listing, verbose: unknown): unknown {
  if (!truthy(verbose)) return [...dirs, ...files, ...links].sort();
  const sorted = { dirs: dirs.toSorted(), files: files.toSorted(), links: links.toSorted() };
  const slashes = (name: string) => name.split("/").length - 1;
  const top = sorted.dirs.filter((name) => slashes(name) === 1);
  const prefix = commonPrefix([...sorted.dirs, ...sorted.files, ...sorted.links]);
  if (prefix.includes("/")) {
    const first = `${prefix.split("/")[0]}/`;
    if (!top.includes(first)) top.push(first);
  }
  return {
    ...sorted,
    top_level_dirs: top,
    top_level_files: sorted.files.filter((name) => slashes(name) === 0),
    top_level_links: sorted.links.filter((name) => slashes(name) === 0),
  };
}

function commonPrefix(names: string[]): string {
  const [first = "", ...rest] = names;
  let length = first.length;
  for (const name of rest) while (!name.startsWith(first.slice(0, length))) length -= 1;
  return first.slice(0, length);
}
