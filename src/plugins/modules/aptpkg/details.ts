import type { Args } from "../../../language/python/values.ts";
import type { JobContext } from "../../../model/loader/family.ts";
import { splitLines } from "../../../language/python/text.ts";
import { truthy } from "../../../language/python/values.ts";
import { runAll } from "../../commands.ts";
import { keywords } from "../../keywords.ts";
import { oneOrAll, type PackageFiles } from "../../packages/shared_functions.ts";
import { aptTargets } from "./change.ts";
import { askApt, paragraphs, policies, type Versions } from "./dpkg.ts";
import { refresh } from "./refresh.ts";

/** The files of packages, as dpkg's own module lists them. */
export const files = async (context: JobContext, names: string[]): Promise<PackageFiles> =>
  await context.call("lowpkg.file_dict", names) as PackageFiles;

export async function owner(context: JobContext, paths: string[]): Promise<unknown> {
  const found: Versions = {};
  for (const path of paths) {
    const { stdout } = await runAll(context, ["dpkg-query", "-S", path]);
    found[path] = splitLines(stdout).filter((line) => !line.startsWith("diversion "))[0]?.split(":", 1)[0] ?? "";
  }
  return oneOrAll(found, paths.length);
}

/** What dpkg's own module calls it, and what `pkg` does. */
const NAMES = new Map([
  ["package", "name"],
  ["origin", "vendor"],
  ["section", "group"],
  ["maintainer", "packager"],
  ["homepage", "url"],
]);

/** The packages that are installed, without their status. */
export async function info(context: JobContext, names: string[], kwargs: Args): Promise<Record<string, unknown>> {
  const { failhard = true } = keywords(kwargs, "failhard");
  const known = await context.call("lowpkg.info", names, { failhard }) as Record<string, Record<string, string>>;
  const installed = Object.entries(known).filter(([, { status = "ii" }]) => status[1] === "i");
  return Object.fromEntries(
    installed.map(([name, { status: _, ...entry }]) => [
      name,
      Object.fromEntries(Object.entries(entry).map(([key, value]) => [NAMES.get(key) ?? key, value])),
    ]),
  );
}

export async function show(context: JobContext, names: string[], kwargs: Args): Promise<Record<string, unknown>> {
  if (truthy(kwargs.refresh)) await refresh(context, {});
  const wanted = truthy(kwargs.filter)
    ? [...aptTargets(kwargs.filter).keys()].map((name) => name.toLowerCase())
    : undefined;
  const { stdout } = await runAll(context, ["apt-cache", "show", ...names]);
  const found: Record<string, Record<string, unknown>> = {};
  for (const { Package: name = "", Version: of = "", ...fields } of paragraphs(stdout)) {
    (found[name] ??= {})[of] = Object.fromEntries(
      Object.entries(fields).filter(([field]) => wanted === undefined || wanted.includes(field.toLowerCase())),
    );
  }
  return found;
}

export async function repoPackages(context: JobContext, names: string[]): Promise<Record<string, string[]>> {
  const wanted = names.length > 0 ? names : splitLines((await askApt(context, ["apt-cache", "pkgnames"])).stdout);
  const found = await policies(context, wanted);
  return Object.fromEntries(
    Object.entries(found).filter(([, { all }]) => all.length > 0).map(([name, { all }]) => [name, all]),
  );
}
