import type { JobContext } from "../../loader/context.ts";
import { CommandExecutionError, type ExecutionModule, SaltInvocationError } from "../../loader/family.ts";
import { splitLines } from "../../python/lines.ts";
import { dirname, join, relpath } from "../../python/posixpath.ts";
import { repr, str } from "../../python/repr.ts";
import { truthy } from "../../python/truth.ts";
import { splitWords } from "../../python/whitespace.ts";
import { needAnyProgram, needProgram, programPath, run, runAll } from "../commands.ts";
import { findAccount } from "../linux/accounts.ts";
import { exists, globPaths, isDirectory, walk } from "../linux/paths.ts";
import { splitWords as shellWords } from "../linux/words.ts";
import { cachedSource, localPath } from "../sources.ts";

type Args = Record<string, unknown>;

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

/** Paths from a list or a text with commas; shell patterns are expanded. */
function sourcesOf(context: JobContext, sources: unknown): string[] {
  if (sources === null) return [];
  const list = Array.isArray(sources) ? sources.map(str) : str(sources).split(",").map((source) => source.trim());
  return list.flatMap((source) => /[*?[]/.test(source) ? globPaths(context.runtime.fs, source) : [source]);
}

function namesOf(names: unknown): string[] | undefined {
  if (names === null || names === undefined) return undefined;
  return Array.isArray(names) ? names.map(str) : str(names).split(",").map((name) => name.trim());
}

/** Limits a list: true for 100 lines, a number for as many. */
function trimmed(files: string[], trim: unknown): string[] {
  const count = typeof trim === "boolean" ? 100 : Number(trim);
  if (trim === false || files.length <= count) return files;
  return [...files.slice(0, count), `List trimmed after ${count} files.`];
}

/** Runs a program that packs or unpacks. @returns the lines of its output */
async function linesOf(context: JobContext, words: string[], { cwd, runas }: Args): Promise<string[]> {
  return splitLines(await run(context, words, { cwd: cwd ?? null, runas: runas ?? null }));
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
  const program = truthy(decompress) ? [`--use-compress-program=${shellWords(str(decompress)).join(" ")}`] : [];
  const list = (verbose: string[]) =>
    runAll(context, ["tar", "--list", ...verbose, ...program, "--quoting-style=escape", "--file", file], {
      ignore_retcode: true,
    });
  const [names, kinds] = [await list([]), await list(["--verbose"])];
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
async function zipMembers(context: JobContext, name: string, file: string): Promise<{ path: string; row: string[] }[]> {
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
  let files: string[] = [];
  for (const { path, row } of await zipMembers(context, name, file)) {
    const kind = row[0]?.[0];
    if (kind === "l") links.push(path);
    else if (kind === "d") dirs.add(path);
    else files.push(path);
  }
  for (const path of [...files]) {
    const directory = path.slice(0, path.lastIndexOf("/") + 1);
    if (directory === "") continue;
    dirs.add(directory);
    files = files.filter((other) => other !== directory);
  }
  return { dirs: [...dirs], files, links };
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

async function cached(context: JobContext, name: string, args: Args): Promise<string> {
  // A missing file of the host fails when it is opened.
  if (localPath(name).startsWith("/")) return localPath(name);
  const file = await cachedSource(context, name, args);
  if (file === undefined) throw new CommandExecutionError(`Failed to cache ${name}`);
  return file;
}

async function list(context: JobContext, args: Args): Promise<unknown> {
  const name = str(args.name);
  const file = await cached(context, name, args);
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

const noFile = (path: string) => `[Errno 2] No such file or directory: ${repr(path)}`;

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

async function isEncrypted(context: JobContext, args: Args): Promise<boolean> {
  const name = str(args.name);
  const file = await cached(context, name, args);
  let members: { row: string[] }[];
  try {
    if (!exists(context.runtime.fs, file)) throw new CommandExecutionError(noFile(file));
    members = await zipMembers(context, name, file);
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    throw new CommandExecutionError(error.message, { info: { "archive location": file } });
  }
  if (truthy(args.clean)) context.runtime.fs.remove(file);
  // The listing has a capital letter for what is encrypted.
  return members.some(({ row }) => /^[TB]/.test(row[4] ?? ""));
}

/** Packs files. @returns their names in the archive, relative to `cwd` or the root */
async function zip(context: JobContext, args: Args): Promise<string[]> {
  const { fs } = context.runtime;
  needProgram(context, "zip");
  if (truthy(args.runas)) needUser(context, str(args.runas));
  const file = str(args.zip_file);
  const { cwd } = args;
  const sources = sourcesOf(context, args.sources);
  if (!truthy(cwd)) {
    if (sources.some((source) => !source.startsWith("/"))) {
      throw new SaltInvocationError("Relative paths require the 'cwd' parameter");
    }
  } else if (typeof cwd !== "string" || !cwd.startsWith("/")) throw new SaltInvocationError("cwd must be absolute");
  const base = truthy(cwd) ? str(cwd) : "/";
  const root = (path: string) => truthy(cwd) && !path.startsWith(base) ? "/" : base;
  const names: string[] = [];
  const packed = new Map<string, string[]>();
  const add = (path: string, directory: boolean) => {
    const name = relpath(path, root(path));
    names.push(directory ? `${name}/` : name);
    packed.set(root(path), [...packed.get(root(path)) ?? [], name]);
  };
  for (const source of sources.map((path) => join(base, path))) {
    if (isDirectory(fs, source)) {
      for (const { path, files } of walk(fs, source)) {
        add(path, true);
        for (const name of files) add(join(path, name), false);
      }
    } else if (exists(fs, source)) add(source, false);
  }
  const failed = (why: string) => new CommandExecutionError(`Exception encountered creating zipfile: ${why}`);
  if (!isDirectory(fs, dirname(file) === "" ? "." : dirname(file))) {
    throw failed(noFile(file));
  }
  fs.remove(file);
  for (const [directory, members] of packed) {
    const { retcode, stdout, stderr } = await runAll(context, ["zip", "-q", "-X", file, "-@"], {
      cwd: directory,
      runas: args.runas,
      stdin: `${members.join("\n")}\n`,
      ignore_retcode: true,
    });
    if (retcode !== 0) throw failed((stderr || stdout).trim());
  }
  // Without members an archive consists of its end record.
  if (packed.size === 0) {
    fs.writeAt(file, 0, Uint8Array.from([0x50, 0x4b, 5, 6, ...new Uint8Array(18)]), { mode: 0o666 });
  }
  return names;
}

function needUser(context: JobContext, name: string): void {
  if (findAccount(context.runtime.fs, name) === undefined) {
    throw new SaltInvocationError(`User '${name}' does not exist`);
  }
}

/** A name as unzip takes it among patterns. */
const literal = (name: string) => name.replace(/[*?[\]\\]/g, "\\$&");

async function unzip(context: JobContext, args: Args): Promise<string[]> {
  const { fs } = context.runtime;
  needProgram(context, "unzip");
  if (truthy(args.runas)) needUser(context, str(args.runas));
  const file = str(args.zip_file);
  const failed = (why: string) => new CommandExecutionError(`Exception encountered unpacking zipfile: ${why}`);
  if (!exists(fs, file)) throw failed(noFile(file));
  if (isDirectory(fs, file)) throw failed(`[Errno 21] Is a directory: '${file}'`);
  let members: { path: string; row: string[] }[];
  try {
    members = await zipMembers(context, file, file);
  } catch (error) {
    if (error instanceof CommandExecutionError) throw failed("File is not a zip file");
    throw error;
  }
  const excludes = new Set(truthy(args.excludes) ? namesOf(args.excludes) : []);
  const wanted = members.filter(({ path }) => !excludes.has(path));
  const skipped = members.filter(({ path }) => excludes.has(path)).map(({ path }) => literal(path));
  if (wanted.length > 0) {
    const encrypted = wanted.find(({ row }) => /^[TB]/.test(row[4] ?? ""));
    if (encrypted !== undefined && !truthy(args.password)) {
      throw failed(`File '${encrypted.path}' is encrypted, password required for extraction`);
    }
    const { retcode, stdout, stderr } = await runAll(context, [
      "unzip",
      "-o",
      "-q",
      ...(truthy(args.password) ? ["-P", str(args.password)] : []),
      file,
      "-d",
      str(args.dest),
      ...(skipped.length > 0 ? ["-x", ...skipped] : []),
    ], { runas: args.runas, ignore_retcode: true });
    if (retcode > 1) throw failed((stderr || stdout).trim());
    if (!truthy(args.extract_perms)) {
      const mask = context.runtime.process.umask();
      for (const { path } of wanted) {
        const target = join(str(args.dest), path);
        if (exists(fs, target)) fs.chmod(target, (path.endsWith("/") ? 0o777 : 0o666) & ~mask);
      }
    }
  }
  return trimmed(wanted.map(({ path }) => path), args.trim_output);
}

async function cmdUnzip(context: JobContext, args: Args): Promise<string[]> {
  needProgram(context, "unzip");
  const excludes = namesOf(args.excludes);
  const { retcode, stdout } = await runAll(context, [
    "unzip",
    ...(truthy(args.password) ? ["-P", str(args.password)] : []),
    ...(truthy(args.options) ? shellWords(str(args.options)) : []),
    str(args.zip_file),
    "-d",
    str(args.dest),
    ...(excludes === undefined ? [] : ["-x", ...excludes]),
  ], { runas: args.runas, redirect_stderr: true });
  if (retcode !== 0) throw new CommandExecutionError(stdout);
  return trimmed(splitLines(stdout), args.trim_output);
}

/** A function for a program that packs or unpacks a single file. */
const single = (program: string, argument: string, doc: string, example: string) => ({
  signature: `${argument}, template=None, runas=None, options=None`,
  doc: `${doc}\n\n    salt '*' archive.${program} ${example}`,
  async run(context: JobContext, args: Args) {
    needProgram(context, program);
    const options = truthy(args.options) ? [str(args.options)] : [];
    return await linesOf(context, [program, ...options, str(args[argument])], args);
  },
});

/** Archives, packed and unpacked by the programs of the host. */
export const module: ExecutionModule = {
  functions: {
    list: {
      signature: "name, archive_format=None, options=None, strip_components=None, clean=False, verbose=False, " +
        "saltenv='base', source_hash=None, use_etag=False",
      doc: "The members of an archive (tar, zip, rar); `verbose` separates directories, files and links.\n\n" +
        "    salt '*' archive.list /path/to/myfile.tar.gz verbose=True",
      run: list,
    },
    tar: {
      signature: "options, tarfile, sources=None, dest=None, cwd=None, template=None, runas=None",
      doc: "Runs tar with options as on its command line.\n\n" +
        "    salt '*' archive.tar cjvf /tmp/tarfile.tar.bz2 /tmp/file_1,/tmp/file_2\n" +
        "    salt '*' archive.tar xf foo.tar dest=/target/directory",
      async run(context, args) {
        needProgram(context, "tar");
        if (!truthy(args.options)) throw new SaltInvocationError("Tar options can not be empty");
        const dest = truthy(args.dest) ? ["-C", str(args.dest)] : [];
        const words = ["tar", ...splitWords(str(args.options)), str(args.tarfile), ...dest];
        return await linesOf(context, [...words, ...sourcesOf(context, args.sources)], args);
      },
    },
    gzip: single("gzip", "sourcefile", "Packs a file with gzip.", "/tmp/sourcefile.txt"),
    gunzip: single("gunzip", "gzipfile", "Unpacks a file with gunzip.", "/tmp/sourcefile.txt.gz"),
    zip: {
      signature: "zip_file, sources, template=None, cwd=None, runas=None, zip64=False",
      doc: "Creates a zip file; returns the names of its members.\n\n" +
        "    salt '*' archive.zip /tmp/zipfile.zip /tmp/sourcefile1,/tmp/sourcefile2",
      run: zip,
    },
    unzip: {
      signature: "zip_file, dest, excludes=None, options=None, template=None, runas=None, trim_output=False, " +
        "password=None, extract_perms=True",
      doc: "Unpacks a zip file; returns the names of its members.\n\n" +
        "    salt '*' archive.unzip /tmp/zipfile.zip /home/strongbad/ excludes=file_1,file_2",
      run: unzip,
    },
    cmd_zip: {
      signature: "zip_file, sources, template=None, cwd=None, runas=None",
      doc: "Runs zip; returns its output.\n\n    salt '*' archive.cmd_zip /tmp/zipfile.zip '/tmp/sourcefile*'",
      async run(context, args) {
        needProgram(context, "zip");
        return await linesOf(context, ["zip", "-r", str(args.zip_file), ...sourcesOf(context, args.sources)], args);
      },
    },
    cmd_unzip: {
      signature: "zip_file, dest, excludes=None, options=None, template=None, runas=None, trim_output=False, " +
        "password=None",
      doc: "Runs unzip; returns its output.\n\n    salt '*' archive.cmd_unzip /tmp/zipfile.zip /home/strongbad/",
      run: cmdUnzip,
    },
    is_encrypted: {
      signature: "name, clean=False, saltenv='base', source_hash=None, use_etag=False",
      doc: "True if a member of a zip file is encrypted.\n\n    salt '*' archive.is_encrypted /path/to/myfile.zip",
      run: isEncrypted,
    },
    rar: {
      signature: "rarfile, sources, template=None, cwd=None, runas=None",
      doc: "Runs rar to pack files.\n\n    salt '*' archive.rar /tmp/rarfile.rar /tmp/sourcefile1,/tmp/sourcefile2",
      async run(context, args) {
        needProgram(context, "rar");
        return await linesOf(
          context,
          ["rar", "a", "-idp", str(args.rarfile), ...sourcesOf(context, args.sources)],
          args,
        );
      },
    },
    unrar: {
      signature: "rarfile, dest, excludes=None, template=None, runas=None, trim_output=False",
      doc: "Runs unrar, or rar, to unpack an archive.\n\n    salt '*' archive.unrar /tmp/rarfile.rar /home/strongbad/",
      async run(context, args) {
        needAnyProgram(context, ["unrar", "rar"]);
        const program = programPath(context, "unrar") ?? programPath(context, "rar")!;
        const excludes = (namesOf(args.excludes) ?? []).flatMap((name) => ["-x", name]);
        const words = [program, "x", "-idp", str(args.rarfile), ...excludes, str(args.dest)];
        return trimmed(await linesOf(context, words, args), args.trim_output);
      },
    },
  },
};
