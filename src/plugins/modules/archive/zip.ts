import { splitInput, str, truthy } from "../../../language/python/values.ts";
import { globPaths } from "../../../model/config/glob_paths.ts";
import type { JobContext } from "../../../model/loader/family.ts";
import { CommandExecutionError, executionFunction, SaltInvocationError } from "../../../model/loader/family.ts";
import { splitLines } from "../../../language/python/text.ts";
import { dirname, join, relpath } from "../../../language/python/posixpath.ts";
import { needProgram, runAll } from "../../commands.ts";
import { findAccount } from "../../../runtime/accounts.ts";
import { checkProgramPath, exists, isDirectory, walkPaths } from "../../linux/paths.ts";
import { shellWords } from "../../linux/words.ts";
import { renderedWords } from "../../templates.ts";
import { cachedArchive, noFile, trimmed, zipMembers } from "./list.ts";

/** Paths from a list or a text with commas; shell patterns are expanded. */
export function sourcesOf(context: JobContext, sources: unknown): string[] {
  if (sources === null) return [];
  const list = Array.isArray(sources) ? sources.map(str) : str(sources).split(",").map((source) => source.trim());
  return list.flatMap((source) => /[*?[]/.test(source) ? globPaths(context.runtime.fs, source) : [source]);
}

export const zipNames = (names: unknown): string[] | undefined =>
  names === null || names === undefined ? undefined : splitInput(names);

export const isEncrypted = executionFunction({
  signature: "name: str, clean: bool=False, saltenv='base', source_hash=None, use_etag=False",
  doc: "True if a member of a zip file is encrypted.\n\n    salt '*' archive.is_encrypted /path/to/myfile.zip",
  async run(context, args): Promise<boolean> {
    const name = args.name;
    const file = await cachedArchive(context, name, args);
    let members: { row: string[] }[];
    try {
      if (!exists(context.runtime.fs, file)) throw new CommandExecutionError(noFile(file));
      members = await zipMembers(context, name, file);
    } catch (error) {
      if (!(error instanceof CommandExecutionError)) throw error;
      throw new CommandExecutionError(error.message, { info: { "archive location": file } });
    }
    if (args.clean) context.runtime.fs.remove(file);
    // The listing has a capital letter for what is encrypted.
    return members.some(({ row }) => /^[TB]/.test(row[4] ?? ""));
  },
});

/** Packs files. @returns their names in the archive, relative to `cwd` or the root */
export const zip = executionFunction({
  signature: "zip_file: str, sources, template=None, cwd=None, runas=None, zip64=False",
  doc: "Creates a zip file; returns the names of its members.\n\n" +
    "    salt '*' archive.zip /tmp/zipfile.zip /tmp/sourcefile1,/tmp/sourcefile2",
  async run(context, args): Promise<string[]> {
    const { fs } = context.runtime;
    needProgram(context, "zip");
    if (truthy(args.runas)) needUser(context, str(args.runas));
    const [file, given] = await renderedWords(context, [args.zip_file, args.sources], args);
    const { cwd } = args;
    const sources = sourcesOf(context, given);
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
        for (const { path, files } of walkPaths(fs, source)) {
          add(path, true);
          for (const name of files) add(join(path, name), false);
        }
      } else if (exists(fs, source)) add(source, false);
    }
    const failed = (why: string) => new CommandExecutionError(`Exception encountered creating zipfile: ${why}`);
    if (!isDirectory(fs, dirname(file) === "" ? "." : dirname(file))) throw failed(noFile(file));
    checkProgramPath(context, file, args);
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
  },
});

function needUser(context: JobContext, name: string): void {
  if (findAccount(context.runtime, name) === undefined) {
    throw new SaltInvocationError(`User '${name}' does not exist`);
  }
}

/** A name as unzip takes it among patterns. */
const literal = (name: string) => name.replace(/[*?[\]\\]/g, "\\$&");

export const unzip = executionFunction({
  signature: `zip_file: str, dest, excludes=None, options=None, template=None, runas=None, trim_output=False,
    password=None, extract_perms: bool=True`,
  doc: "Unpacks a zip file; returns the names of its members.\n\n" +
    "    salt '*' archive.unzip /tmp/zipfile.zip /home/strongbad/ excludes=file_1,file_2",
  async run(context, args): Promise<string[]> {
    const { fs } = context.runtime;
    needProgram(context, "unzip");
    if (truthy(args.runas)) needUser(context, str(args.runas));
    const [file, dest] = await renderedWords(context, [args.zip_file, args.dest], args);
    checkProgramPath(context, str(dest), args);
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
    const excludes = new Set(truthy(args.excludes) ? zipNames(args.excludes) : []);
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
        str(dest),
        ...(skipped.length > 0 ? ["-x", ...skipped] : []),
      ], { runas: args.runas, ignore_retcode: true });
      if (retcode > 1) throw failed((stderr || stdout).trim());
      if (!args.extract_perms) {
        const mask = context.runtime.process.umask();
        for (const { path } of wanted) {
          const target = join(str(dest), path);
          if (exists(fs, target)) fs.chmod(target, (path.endsWith("/") ? 0o777 : 0o666) & ~mask);
        }
      }
    }
    return trimmed(wanted.map(({ path }) => path), args.trim_output);
  },
});

export const cmdUnzip = executionFunction({
  signature: `zip_file: str, dest: str, excludes=None, options=None, template=None, runas=None, trim_output=False,
    password=None`,
  doc: "Runs unzip; returns its output.\n\n    salt '*' archive.cmd_unzip /tmp/zipfile.zip /home/strongbad/",
  async run(context, args): Promise<string[]> {
    needProgram(context, "unzip");
    checkProgramPath(context, args.dest, args);
    const excludes = zipNames(args.excludes);
    const { retcode, stdout } = await runAll(context, [
      "unzip",
      ...(truthy(args.password) ? ["-P", str(args.password)] : []),
      ...(truthy(args.options) ? shellWords(str(args.options)) : []),
      args.zip_file,
      "-d",
      args.dest,
      ...(excludes === undefined ? [] : ["-x", ...excludes]),
    ], { runas: args.runas, redirect_stderr: true });
    if (retcode !== 0) throw new CommandExecutionError(stdout);
    return trimmed(splitLines(stdout), args.trim_output);
  },
});
