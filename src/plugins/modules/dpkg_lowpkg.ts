import type { Context, ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError } from "../../model/loader/family.ts";
import { splitLines } from "../../language/python/text.ts";
import { str } from "../../language/python/values.ts";
import { run, runAll } from "../commands.ts";
import { keywords } from "../keywords.ts";
import { changes, fieldFormat, fieldRows, utcDate } from "../packages/lists.ts";
import { lowPackageFunctions } from "../packages/functions.ts";
import { packageFile } from "../packages/package_file.ts";
import { fileFunctions, type PackageFiles } from "../packages/shared_functions.ts";
import { lookAt } from "../linux/paths.ts";

/** True if this host is of one of these families, or if its grains do not say. */
export function isFamily({ grains }: Pick<Context, "grains">, families: readonly string[]): boolean {
  const { os_family: family } = grains;
  return typeof family !== "string" || families.includes(family);
}

type Fields = Record<string, unknown>;

async function fileInfo(context: JobContext, name: string, saltenv: unknown): Promise<Fields> {
  const path = await packageFile(context, name, saltenv);
  const { retcode, stdout, stderr } = await runAll(context, ["dpkg", "-I", path]);
  if (retcode !== 0) {
    throw new CommandExecutionError(`Unable to get info for ${path}${stderr === "" ? "" : `: ${stderr}`}`);
  }
  const found: Record<string, string> = {};
  for (const line of splitLines(stdout)) {
    const [, field, value] = /^\s*(Package|Version|Architecture) *:.*?(\S+)\s*$/.exec(line) ?? [];
    if (field !== undefined) found[{ Package: "name", Version: "version", Architecture: "arch" }[field]!] = value!;
  }
  const missing = ["name", "version", "arch"].filter((key) => found[key] === undefined);
  if (missing.length > 0) throw new CommandExecutionError(`Unable to get ${missing.join(", ")} for ${path}`);
  const { cpuarch, osarch } = context.grains;
  if (cpuarch === "x86_64" && osarch === "amd64" && found.arch !== "all" && found.arch !== osarch) {
    found.name += `:${found.arch}`;
  }
  return found;
}

/** Rows of dpkg's list of packages, with their status in front; a text if it does not know one of them. */
async function rows(context: JobContext, names: unknown[], fields: string): Promise<string[][] | string> {
  const format = `-f=\${db:Status-Status}\\t${fields}\\n`;
  const { retcode, stdout, stderr } = await runAll(context, ["dpkg-query", format, "-W", ...names.map(str)]);
  if (retcode !== 0) return `Error:  ${stderr}`;
  return splitLines(stdout).map((line) => line.split("\t")).filter(([status]) => status === "installed");
}

async function filesOf(context: JobContext, names: string[]): Promise<PackageFiles> {
  const found = await rows(context, names, "${binary:Package}");
  if (typeof found === "string") return found;
  const packages: Record<string, string[]> = {};
  for (const [, name = ""] of found) packages[name] = splitLines(await run(context, ["dpkg", "-L", name]));
  return { errors: [], packages };
}

async function unpurge(context: JobContext, names: unknown[]): Promise<unknown> {
  if (names.length === 0) return {};
  const purged = async () => await context.call("pkg.list_pkgs", [], { purge_desired: true }) as Record<string, string>;
  const before = await purged();
  const stdin = names.map((name) => `${str(name)} install\n`).join("");
  await run(context, ["dpkg", "--set-selections"], { stdin });
  return changes(before, await purged());
}

/** Names of details → fields of dpkg. */
const FIELDS: [name: string, field: string][] = [
  ["package", "Package"],
  ["revision", "binary:Revision"],
  ["architecture", "Architecture"],
  ["maintainer", "Maintainer"],
  ["summary", "Summary"],
  ["source", "source:Package"],
  ["version", "Version"],
  ["section", "Section"],
  ["size", "Size"],
  ["MD5", "MD5sum"],
  ["SHA1", "SHA1"],
  ["SHA256", "SHA256"],
  ["origin", "Origin"],
  ["homepage", "Homepage"],
  ["status", "db:Status-Abbrev"],
  ["install_date", "db-fsys:Last-Modified"],
  ["description", "Description"],
];

/** The licences that the copyright file of a package names. */
function license({ runtime: { fs } }: JobContext, name: string): string {
  const path = `/usr/share/doc/${name}/copyright`;
  if (lookAt(fs, path)?.kind !== "file") return "";
  const lines = fs.readText(path).split("\n").filter((line) => line.startsWith("License:"));
  return [...new Set(lines.map((line) => line.slice("License:".length).trim()))].sort().join(", ");
}

async function details(context: JobContext, names: unknown[], kwargs: Fields): Promise<Record<string, Fields>> {
  const { failhard = true } = keywords(kwargs, "failhard");
  const format = fieldFormat(FIELDS.map(([, field]) => `\${${field}}`));
  const { retcode, stdout, stderr } = await runAll(context, ["dpkg-query", "-W", "-f", format, ...names.map(str)]);
  if (retcode !== 0) {
    if (failhard === false) return {};
    throw new CommandExecutionError(`Error getting packages information: ${stderr}`);
  }
  const found: Record<string, Fields> = {};
  for (const values of fieldRows(stdout, FIELDS.length)) {
    const entry: Fields = {};
    FIELDS.forEach(([name], at) => {
      const value = name === "description" ? `${values[at]}\n` : values[at]!.trim();
      if (value === "" || (name === "install_date" && !/^\d+$/.test(value))) return;
      entry[name] = name === "install_date" ? utcDate(Number(value) * 1000) : value;
    });
    const licenses = license(context, str(entry.package));
    if (licenses !== "") entry.license = licenses;
    found[str(entry.package)] = entry;
  }
  return found;
}

/** What dpkg alone knows of packages. */
export const module: ExecutionModule = {
  virtual: (context) =>
    isFamily(context, ["Debian"]) ? "lowpkg" : { unavailable: "Packages are not handled by dpkg here" },
  functions: lowPackageFunctions({
    "bin_pkg_info(path: str, saltenv='base')": (context, { path, saltenv }) => fileInfo(context, path, saltenv),
    "unpurge(*packages)": {
      doc: "Marks packages for installation that were marked for purging.\n\n    salt '*' lowpkg.unpurge curl",
      run: (context, { packages }) => unpurge(context, packages),
    },
    async "list_pkgs(*packages, **kwargs)"(context, { packages }) {
      const found = await rows(context, packages, "${binary:Package}\\t${Version}");
      return typeof found === "string" ? found : Object.fromEntries(found.map(([, name, version]) => [name, version]));
    },
    ...fileFunctions(lowPackageFunctions, filesOf, true),
    "info(*packages, **kwargs)": (context, { packages, kwargs }) => details(context, packages, kwargs),
  }),
};
