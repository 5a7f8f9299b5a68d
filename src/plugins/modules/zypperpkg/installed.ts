import { joinPath } from "../../../base/paths.ts";
import type { JobContext } from "../../../model/loader/family.ts";
import { type Args, isTrue, type KeywordArgs, str, truthy } from "../../../language/python/values.ts";
import { splitLines } from "../../../language/python/text.ts";
import { run } from "../../commands.ts";
import { isFile } from "../../linux/paths.ts";
import { formatPkgList, type InstalledVersion } from "../../packages/lists.ts";
import { downloadedRpms, installedRpms, rootWords } from "../../packages/rpm/installed.ts";
import { parseArch } from "../../packages/rpm/names.ts";
import { elementsOf, type XmlElement } from "../../xml.ts";
import { infoAvailable } from "./available.ts";
import { askZypper } from "./program.ts";
import { installedPatches, installedPatterns } from "./search.ts";

/** A path of the system below a directory. */
export const below = (root: unknown, path: string): string => truthy(root) ? joinPath(str(root), path.slice(1)) : path;

const TRUE = ["true", "1"];

function productOf(context: JobContext, element: XmlElement, root: unknown): Args {
  const found: Args = {};
  for (const [name, value] of Object.entries(element.attributes)) {
    if (["isbase", "installed"].includes(name)) found[name] = TRUE.includes(value);
    else if (value !== "") found[name] = value;
  }
  const [eol] = elementsOf(element, "endoflife");
  if (eol !== undefined) {
    found.eol = eol.attributes.text ?? "";
    found.eol_t = Number(eol.attributes.time_t || 0);
  }
  const text = elementsOf(element, "description")[0]?.text ?? "";
  found.description = text.split("\n").map((line) => line.trim()).join(" ");
  // A vendor's own release stands in a file of the product line's name.
  const line = str(found.productline ?? "");
  const file = joinPath(below(root, "/var/lib/suseRegister/OEM"), line);
  if (line !== "" && !line.includes("/") && isFile(context.runtime.fs, file)) {
    const release = context.runtime.fs.readText(file).split("\n")[0]!.trim();
    if (release !== "") found.release = release;
  }
  return found;
}

/** `pkg.list_products` */
export async function products(context: JobContext, all: unknown, root: unknown): Promise<Args[]> {
  const words = truthy(all) ? ["products"] : ["--disable-repositories", "products", "-i"];
  const [list] = elementsOf(await askZypper(context, words, { root, reading: true }), "product-list");
  return list === undefined ? [] : elementsOf(list, "product").map((one) => productOf(context, one, root));
}

const versionOf = ({ epoch, version, release, arch }: Args): InstalledVersion => ({
  epoch: str(epoch ?? ""),
  version: str(version ?? ""),
  release: str(release ?? ""),
  arch: str(arch ?? ""),
});

type Installed = Record<string, InstalledVersion[]>;

/** Products, patterns or patches, each under its kind: `pattern:base`. */
async function others(context: JobContext, kind: string, root: unknown): Promise<Installed> {
  if (kind === "product") {
    const found = await products(context, false, root);
    return Object.fromEntries(found.map((one) => [`product:${str(one.name)}`, [versionOf(one)]]));
  }
  if (kind !== "pattern" && kind !== "patch") return {};
  const found: Installed = {};
  for (const name of Object.keys(await (kind === "pattern" ? installedPatterns : installedPatches)(context, root))) {
    const info = await infoAvailable(context, [`${kind}:${name}`], { refresh: false, root });
    const { version, arch } = info[name] ?? {};
    found[`${kind}:${name}`] = [versionOf({ version, arch })];
  }
  return found;
}

interface ListOptions {
  root?: unknown;
  attr?: unknown;
  /** Kinds that are listed beside packages. @default none */
  includes?: readonly string[];
  versionsAsList?: boolean;
}

export async function zypperListPkgs(context: JobContext, options: ListOptions): Promise<Record<string, unknown>> {
  const { root = null, attr = null, includes = [], versionsAsList = false } = options;
  const rpms = Object.entries(await installedRpms(context, root)).filter(([name]) => !name.startsWith("gpg-pubkey"));
  const found = Object.fromEntries(rpms);
  for (const kind of includes) Object.assign(found, await others(context, kind, root));
  const wanted = typeof attr === "string" && attr !== "all" ? attr.split(",").map((one) => one.trim()) : attr;
  return formatPkgList(found, versionsAsList, wanted, parseArch);
}

/** The same for a caller of the function, who may ask for what there is not here. */
export async function listFor(
  context: JobContext,
  { versions_as_list, root, includes, kwargs }: KeywordArgs,
): Promise<Record<string, unknown>> {
  const { removed, purge_desired, attr } = kwargs;
  if (isTrue(removed) || isTrue(purge_desired)) return {};
  const kinds = Array.isArray(includes) ? includes.map(str) : [];
  return await zypperListPkgs(context, { root, attr, includes: kinds, versionsAsList: isTrue(versions_as_list) });
}

export const zypperDownloaded = (context: JobContext, root: unknown) =>
  downloadedRpms(context, below(root, "/var/cache/zypp/packages"));

/** `pkg.list_provides`: capability → the packages that have it; not those of a package's own name. */
export async function provides(context: JobContext, root: unknown): Promise<Record<string, string[]>> {
  const words = ["rpm", ...rootWords(root), "-qa", "--queryformat", "%{PROVIDES}_|-%{NAME}\n"];
  const found: Record<string, string[]> = {};
  for (const line of splitLines(await run(context, words, { output_loglevel: "trace" }))) {
    const [capability = "", name = ""] = line.split("_|-");
    if (capability !== name) (found[capability] ??= []).push(name);
  }
  return found;
}
