import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, SaltInvocationError } from "../../model/loader/family.ts";
import { splitLines, splitWords } from "../../language/python/text.ts";
import { type Args, isTrue, str, truthy } from "../../language/python/values.ts";
import { programPath, run, runAll } from "../commands.ts";
import { lowPackageFunctions } from "../packages/functions.ts";
import { formatVersion } from "../packages/lists.ts";
import { packageFile } from "../packages/package_file.ts";
import { compareEvr } from "../packages/rpm/evr.ts";
import { hostArch } from "../packages/rpm/names.ts";
import { hasRpm, parseRpmQuery, QUERY_FORMAT, rootWords } from "../packages/rpm/installed.ts";
import { oneOrAll } from "../packages/shared_functions.ts";
import { details } from "./rpm_lowpkg/details.ts";

const ask = (context: JobContext, root: unknown, words: string[]): Promise<string> =>
  run(context, ["rpm", ...rootWords(root), ...words], { ignore_retcode: true });

async function fileInfo(context: JobContext, name: string, saltenv: unknown): Promise<Args | null> {
  const path = await packageFile(context, name, saltenv);
  const { stdout } = await runAll(context, ["rpm", "-qp", "--queryformat", QUERY_FORMAT, path], {
    ignore_retcode: true,
  });
  const found = parseRpmQuery(stdout.trim(), hostArch(context));
  if (found === undefined) return null;
  const { epoch, version, release, ...others } = found;
  return { ...others, version: formatVersion(epoch, version, release), repoid: "none" };
}

/** Versions by name; and what rpm says of packages that are not there. */
async function versions(context: JobContext, names: unknown[], { root }: Args) {
  const which = names.length > 0 ? "-q" : "-qa";
  const out = await ask(context, root, [which, "--queryformat", "%{NAME} %{VERSION}\\n", ...names.map(str)]);
  const found: Record<string, string> = {};
  const missing: string[] = [];
  for (const line of splitLines(out)) {
    const [name, version] = splitWords(line);
    if (line.includes("is not installed")) missing.push(line);
    else if (name !== undefined && version !== undefined) found[name] = version;
  }
  return { found, missing };
}

const MARKS: Record<string, string> = { c: "config", d: "doc", g: "ghost", l: "license", r: "readme" };

/** What the letters of `rpm -V` mean, in their order. */
const MISMATCHES: [letter: string, meaning: string][] = [
  ["S", "size"],
  ["M", "mode"],
  ["5", "md5sum"],
  ["D", "device major/minor number"],
  ["L", "readlink path"],
  ["U", "user"],
  ["G", "group"],
  ["T", "mtime"],
  ["P", "capabilities"],
];

function needList(value: unknown, name: string): string[] {
  if (Array.isArray(value)) return value.map(str);
  if (typeof value === "string") return value.split(",").map((one) => one.trim());
  throw new SaltInvocationError(`${name} must be a list or a comma-separated string`);
}

async function verify(context: JobContext, names: unknown[], kwargs: Args): Promise<Record<string, unknown>> {
  const ignored = needList(kwargs.ignore_types ?? [], "ignore_types");
  const options = needList(kwargs.verify_options ?? [], "verify_options").filter((one) => one !== "");
  const words = [...options.map((one) => `--${one}`), ...(names.length > 0 ? ["-V", ...names.map(str)] : ["-Va"])];
  const { retcode, stdout, stderr } = await runAll(context, ["rpm", ...rootWords(kwargs.root), ...words], {
    ignore_retcode: true,
  });
  if (stdout.trim() === "" && retcode !== 0) {
    throw new CommandExecutionError(`Failed to verify package(s)${stderr === "" ? "" : `: ${stderr}`}`);
  }
  const found: Record<string, unknown> = {};
  for (const raw of splitLines(stdout)) {
    const missing = raw.startsWith("missing");
    // The word is one letter shorter than the nine letters of the others.
    const line = missing ? ` ${raw}` : raw;
    const type = MARKS[line.slice(11, 12)];
    if (type !== undefined && ignored.includes(type)) continue;
    const mismatch = MISMATCHES.filter(([letter], at) => line[at] === letter).map(([, meaning]) => meaning);
    found[line.slice(13)] = {
      ...(missing ? { missing: true } : { mismatch }),
      ...(type === undefined ? {} : { type }),
    };
  }
  return found;
}

const STATS = ["size", "mode", "checksum", "device", "symlink", "owner", "group", "time", "capabilities"];

async function modified(context: JobContext, names: unknown[], { root, ...flags }: Args): Promise<unknown> {
  const words = ["rpm", ...rootWords(root), "-Va", ...names.map(str)];
  const { stdout, ...others } = await runAll(context, words, { ignore_retcode: true });
  if (others.retcode > 1) return others;
  const found: Record<string, string[]> = {};
  for (const line of splitLines(stdout)) {
    const fields = splitWords(line);
    const letters = fields[0] ?? "";
    const stats = STATS.filter((_, at) => (letters[at] ?? ".") !== ".");
    if (fields.length === 3) stats.push("config");
    found[fields.at(-1) ?? ""] = stats;
  }
  const wanted = Object.entries(flags).filter(([name]) => !name.startsWith("_"));
  return Object.fromEntries(
    Object.entries(found).filter(([, stats]) => wanted.every(([name, on]) => stats.includes(name) === truthy(on))),
  );
}

async function owner(context: JobContext, paths: unknown[], { root }: Args): Promise<unknown> {
  const found: Record<string, string> = {};
  for (const path of paths.map(str)) {
    const words = ["rpm", ...rootWords(root), "-qf", "--queryformat", "%{name}", path];
    const { stdout } = await runAll(context, words, { ignore_retcode: true });
    found[path] = /not owned/i.test(stdout) ? "" : stdout;
  }
  return oneOrAll(found);
}

/** The steps of `lowpkg.diff`: `$1` is the package, `$2` the file. */
const DIFFERENCE = 'rpm2cpio "$1" | cpio -i --quiet --to-stdout ".$2" | ' +
  'diff -u --label "A $2" --from-file=- --label "B $2" -- "$2"';

async function difference(context: JobContext, archive: string, path: string): Promise<string> {
  const { stdout } = await runAll(context, ["sh", "-c", DIFFERENCE, "sh", archive, path], { ignore_retcode: true });
  return stdout.startsWith("Binary file") ? `File '${path}' is binary and its content has been modified.` : stdout;
}

/** What rpm alone knows of packages. */
export const module: ExecutionModule = {
  virtual: (context) =>
    hasRpm(context) && programPath(context, "rpm") !== undefined
      ? "lowpkg"
      : { unavailable: "Packages are not handled by rpm here" },
  functions: lowPackageFunctions({
    "bin_pkg_info(path: str, saltenv='base')": (context, { path, saltenv }) => fileInfo(context, path, saltenv),
    "list_pkgs(*packages, **kwargs)": async (context, { packages, kwargs }) =>
      (await versions(context, packages, kwargs)).found,
    "file_list(*packages, **kwargs)": async (context, { packages, kwargs }) => ({
      errors: [],
      files: splitLines(
        await ask(context, kwargs.root, packages.length > 0 ? ["-ql", ...packages.map(str)] : ["-qla"]),
      ),
    }),
    async "file_dict(*packages, **kwargs)"(context, { packages, kwargs }) {
      const { found, missing } = await versions(context, packages, kwargs);
      const files: Record<string, string[]> = {};
      for (const name of Object.keys(found)) files[name] = splitLines(await ask(context, kwargs.root, ["-ql", name]));
      return { errors: missing, packages: files };
    },
    "owner(*paths, **kwargs)": (context, { paths, kwargs }) => owner(context, paths, kwargs),
    "verify(*packages, **kwargs)": (context, { packages, kwargs }) => verify(context, packages, kwargs),
    "modified(*packages, **flags)": {
      doc: "What was changed of the files of packages; only those with, or without, a change that is named.\n\n" +
        "    salt '*' lowpkg.modified httpd size=True",
      run: (context, { packages, flags }) => modified(context, packages, flags),
    },
    "diff(package_path: str, path: str)": {
      doc:
        "What was changed of a file since its package had it.\n\n    salt '*' lowpkg.diff /root/foo.rpm /etc/foo.conf",
      run: (context, { package_path, path }) => difference(context, package_path, path),
    },
    "info(*packages, **kwargs)": {
      doc: "Details of installed packages; only some with `attr`, all versions with `all_versions`.\n\n" +
        "    salt '*' lowpkg.info bash attr=version,size",
      run: (context, { packages, kwargs }) => details(context, packages, kwargs),
    },
    "version_cmp(ver1: str, ver2: str, ignore_epoch=False)": (_, { ver1, ver2, ignore_epoch }) =>
      compareEvr(ver1, ver2, isTrue(ignore_epoch)),
    "checksum(*paths, **kwargs)": {
      doc: "Whether files of packages are whole and signed.\n\n    salt '*' lowpkg.checksum /root/foo.rpm",
      async run(context, { paths, kwargs }) {
        if (paths.length === 0) throw new CommandExecutionError("No package files has been specified.");
        const found: Record<string, boolean> = {};
        for (const path of paths.map(str)) {
          const words = ["rpm", ...rootWords(kwargs.root), "-K", "--quiet", path];
          found[path] = truthy(await context.call("file.file_exists", [path])) &&
            (await runAll(context, words, { ignore_retcode: true })).retcode === 0;
        }
        return found;
      },
    },
  }),
};
