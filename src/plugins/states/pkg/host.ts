/** What the states of packages ask of this host. */
import { fail, hasFunction, type StateContext } from "../../../model/loader/states.ts";
import { isMap, lookup, truthy } from "../../../language/python/values.ts";
import { commandError } from "../outcome.ts";
import type { WantedPackage } from "../../packages/targets.ts";

export type PackageKeyword = Record<string, unknown>;
/** Package → installed versions. */
export type Installed = Record<string, string[]>;

export const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** The entry of a map that a function has returned, if it is there. */
export const entry = (map: unknown, key: string): unknown => isMap(map) ? lookup(map, key) : undefined;

export async function packagesOf(context: StateContext, keyword: PackageKeyword): Promise<Installed> {
  return await context.call("pkg.list_pkgs", [], { versions_as_list: true, ...keyword }) as Installed;
}

export const versionsOf = (installed: Installed, name: string): string[] =>
  (entry(installed, name) as string[] | undefined) ?? [];

/** The name as this host's package manager writes it. */
export async function hostPackageName(context: StateContext, name: string): Promise<string> {
  return await hasFunction(context, "pkg.normalize_name")
    ? String(await context.call("pkg.normalize_name", [name]))
    : name;
}

/** Packages that provide what was asked for, in its place; and whether there is still something to refresh. */
export async function resolved<T>(
  context: StateContext,
  pkgs: T,
  refresh: boolean,
  keyword: PackageKeyword,
): Promise<{ pkgs: T; refresh: boolean }> {
  if (!truthy(pkgs) || !await hasFunction(context, "pkg.resolve_capabilities")) return { pkgs, refresh };
  const found = await context.call("pkg.resolve_capabilities", [pkgs], { refresh, ...keyword });
  return { pkgs: found as T, refresh: false };
}

/** Ends the state if some packages are unknown, where the host can tell. */
export async function checkKnown(context: StateContext, wanted: WantedPackage, keyword: PackageKeyword): Promise<void> {
  if (!await hasFunction(context, "pkg.check_db")) return;
  let found: unknown;
  try {
    found = await context.call("pkg.check_db", [...wanted.keys()], keyword);
  } catch (error) {
    // A host that cannot look has nothing to say against the packages.
    commandError(error);
    return;
  }
  const comments: string[] = [];
  const without: string[] = [];
  for (const [pkg, info] of Object.entries(found as Record<string, { found: boolean; suggestions: string[] }>)) {
    if (info.found !== false) continue;
    if (!truthy(info.suggestions)) without.push(pkg);
    else comments.push(`Package '${pkg}' not found (possible matches: ${info.suggestions.join(", ")})`);
  }
  if (without.length > 0) {
    comments.unshift(
      "The following package(s) were not found, and no possible matches were found in the package db: " +
        without.sort().join(", "),
    );
  }
  if (comments.length === 0) return;
  if (comments.length > 1) comments.push("");
  fail(comments.join(". ").trimEnd());
}
