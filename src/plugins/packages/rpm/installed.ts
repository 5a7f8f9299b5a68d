import type { Context, JobContext } from "../../../model/loader/family.ts";
import { splitLines } from "../../../language/python/text.ts";
import { entriesOf, isMap, isTrue, str, truthy } from "../../../language/python/values.ts";
import { formatPkgList, type InstalledVersion, utcDate } from "../lists.ts";
import { hostArch, parseArch, resolveName } from "./names.ts";
import { run } from "../../commands.ts";
import { type Downloaded, downloadedPackages } from "../package_file.ts";

/** What `rpm -q` tells of packages, by a format of its own. */
export const QUERY_FORMAT = "%{NAME}_|-%{EPOCH}_|-%{VERSION}_|-%{RELEASE}_|-%{ARCH}_|-(none)_|-%{INSTALLTIME}";

interface QueriedPackage extends Omit<InstalledVersion, "install_date" | "install_date_time_t"> {
  name: string;
  install_date: string | null;
  install_date_time_t: number | null;
}

/** A line of {@link QUERY_FORMAT}; undefined if it is none. */
export function parseRpmQuery(line: string, osarch: string): QueriedPackage | undefined {
  const fields = line.split("_|-");
  if (fields.length !== 7) return undefined;
  const [name = "", epoch = "", version = "", release = "", arch = "", , time = ""] = fields;
  const seconds = /^[1-9]\d*$/.test(time) ? Number(time) : null;
  return {
    name: resolveName(name, arch, osarch),
    epoch: ["(none)", "0"].includes(epoch) ? "" : epoch,
    version,
    release,
    arch,
    install_date: seconds === null ? null : utcDate(seconds * 1000),
    install_date_time_t: seconds,
  };
}

/** The words that choose the system below a directory. */
export const rootWords = (root: unknown): string[] => truthy(root) ? ["--root", str(root)] : [];

/** All installed packages, each with its versions in order. */
export async function installedRpms(
  context: JobContext,
  root: unknown = null,
): Promise<Record<string, InstalledVersion[]>> {
  const words = ["rpm", ...rootWords(root), "-qa", "--nodigest", "--nosignature", "--queryformat", `${QUERY_FORMAT}\n`];
  const found: Record<string, InstalledVersion[]> = {};
  for (const line of splitLines(await run(context, words, { output_loglevel: "quiet" }))) {
    const query = parseRpmQuery(line, hostArch(context));
    if (query === undefined) continue;
    const { name, install_date: date, install_date_time_t: time, ...one } = query;
    const dated = date === null || time === null ? {} : { install_date: date, install_date_time_t: time };
    (found[name] ??= []).push({ ...one, ...dated });
  }
  for (const list of Object.values(found)) list.sort((a, b) => a.version < b.version ? -1 : 1);
  return found;
}

/** `pkg.list_pkgs` of systems with RPM. */
export async function listRpms(context: JobContext, versionsAsList: unknown, kwargs: Record<string, unknown>) {
  if (isTrue(kwargs.removed) || isTrue(kwargs.purge_desired)) return {};
  const { attr = null, root = null } = kwargs;
  const list = typeof attr === "string" && attr !== "all" ? attr.split(",").map((one) => one.trim()) : attr;
  return formatPkgList(await installedRpms(context, root), isTrue(versionsAsList), list, parseArch);
}

/** The package files below a directory. */
export const downloadedRpms = (context: JobContext, directory: string): Promise<Downloaded> =>
  downloadedPackages(
    context,
    directory,
    ".rpm",
    async (path) => await context.call("lowpkg.bin_pkg_info", [path]) as { name: string; version: string } | null,
  );

/** Details of installed packages, as `pkg.info_installed` has them: with `source` for `source_rpm`. */
export async function infoInstalled(
  context: JobContext,
  names: string[],
  kwargs: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const found = await context.call("lowpkg.info", names, kwargs) as Record<string, unknown>;
  const renamed = (one: unknown) =>
    isMap(one)
      ? Object.fromEntries(entriesOf(one).map(([key, value]) => [key === "source_rpm" ? "source" : key, value]))
      : one;
  return Object.fromEntries(
    Object.entries(found).map(([name, of]) => [
      name,
      truthy(kwargs.all_versions) ? (of as unknown[]).map(renamed) : renamed(of),
    ]),
  );
}

/** Systems with RPM that name no family that has it. */
const OTHERS = ["amazon", "xcp", "xenserver", "virtuozzolinux", "virtuozzo", "issabel pbx", "openeuler"];

/** True on hosts of these families, and on some that name none of them. */
export function hasRpm({ grains }: Pick<Context, "grains">, families: readonly string[] = ["redhat", "suse"]): boolean {
  const word = (name: string) => str(grains[name] ?? "").toLowerCase();
  return families.includes(word("os_family")) || OTHERS.includes(word("os"));
}
