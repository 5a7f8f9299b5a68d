/** Lists of packages: name → versions. */
import { type AnyMap, isTrue, str } from "../../language/python/values.ts";
import { joinPath } from "../../base/paths.ts";
import type { Context } from "../../model/loader/family.ts";
import { isFile } from "../linux/paths.ts";

/** Name → versions, or with details of each. */
export type PackageList = Record<string, string[]>;

/** `1:2.0-3` */
export function formatVersion(epoch: unknown, version: unknown, release: unknown): string {
  const full = epoch ? `${epoch}:${version}` : `${version}`;
  return release ? `${full}-${release}` : full;
}

/** Versions of each package once, in order of their texts. */
export function sortPkglist(pkgs: PackageList): PackageList {
  return Object.fromEntries(Object.entries(pkgs).map(([name, versions]) => [name, [...new Set(versions)].sort()]));
}

/** Versions of each package as one text with commas. */
export function stringify(pkgs: PackageList): Record<string, string> {
  return Object.fromEntries(Object.entries(pkgs).map(([name, versions]) => [name, versions.join(",")]));
}

export interface InstalledVersion {
  epoch: string;
  version: string;
  release: string;
  arch: string;
  install_date?: string;
  install_date_time_t?: number;
}

const ATTRIBUTES = ["epoch", "version", "release", "arch", "install_date", "install_date_time_t"] as const;

/**
 * Packages as `pkg.list_pkgs` shows them: as texts, as lists, or with the attributes that were asked for.
 *
 * @param parseArch splits the name of a package for another architecture
 */
export function formatPkgList(
  packages: Record<string, InstalledVersion[]>,
  versionsAsList: boolean,
  attr: unknown,
  parseArch: (name: string) => { name: string; arch: string | null } = (name) => ({ name, arch: null }),
): Record<string, unknown> {
  if (attr === null || attr === undefined || attr === "" || (Array.isArray(attr) && attr.length === 0)) {
    const versions = Object.fromEntries(
      Object.entries(packages).map(([name, list]) => [
        name,
        list.map(({ epoch, version, release }) => formatVersion(epoch, version, release)),
      ]),
    );
    return versionsAsList ? versions : stringify(versions);
  }
  const wanted = attr === "all"
    ? ATTRIBUTES
    : ATTRIBUTES.filter((one) =>
      one === "version" || one === "arch" || (Array.isArray(attr) ? attr : String(attr).split(",")).includes(one)
    );
  const found: Record<string, AnyMap[]> = {};
  for (const [full, list] of Object.entries(packages)) {
    const { name, arch } = parseArch(full);
    const versions = list.map((one) =>
      Object.fromEntries(wanted.filter((key) => one[key] !== undefined).map((key) => [key, one[key]]))
    );
    const own = versions.some((one) => (one.arch ?? null) === arch) ? name : full;
    (found[own] ??= []).push(...versions);
  }
  return found;
}

/** The differences of two lists: name → old and new, empty for none (`salt.utils.data.compare_dicts`). */
export function changes<T>(
  before: Record<string, T>,
  after: Record<string, T>,
): Record<string, { old: T | ""; new: T | "" }> {
  const found: Record<string, { old: T | ""; new: T | "" }> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, now] = [before[name], after[name]];
    if (JSON.stringify(old) !== JSON.stringify(now)) found[name] = { old: old ?? "", new: now ?? "" };
  }
  return found;
}

/** What dpkg and rpm tell of packages, in fields between signs that occur in none. */
const [FIELD_END, PACKAGE_END] = ["\x1f", "\x1e"];

/** The format by which they are asked for these fields. */
export const fieldFormat = (fields: readonly string[]): string => fields.join(FIELD_END) + PACKAGE_END;

/** The values of each package; what has another number of them is no package. */
export const fieldRows = (text: string, count: number): string[][] =>
  text.split(PACKAGE_END).map((row) => row.split(FIELD_END)).filter((values) => values.length === count);

/** Milliseconds since 1970 as a date. */
export const utcDate = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** The file in the minion's cache by which the first state of a run refreshes the lists of packages, and no later one. */
type Host = Pick<Context, "runtime" | "opts">;

const pathOf = ({ opts }: Host): string | undefined =>
  typeof opts.cachedir === "string" ? joinPath(str(opts.cachedir), "pkg_refresh") : undefined;

export function writeRefreshTag(context: Host): void {
  const path = pathOf(context);
  if (path === undefined || isFile(context.runtime.fs, path)) return;
  context.runtime.fs.mkdir(str(context.opts.cachedir), 0o755);
  context.runtime.fs.write(path, "");
}

export function clearRefreshTag(context: Host): void {
  const path = pathOf(context);
  if (path !== undefined) context.runtime.fs.remove(path);
}

/** Whether to refresh: yes if it is asked for, no if it is refused, and otherwise once in a run. */
export function shallRefresh(context: Host, refresh: unknown): boolean {
  if (isTrue(refresh)) return true;
  const path = pathOf(context);
  return refresh !== false && path !== undefined && isFile(context.runtime.fs, path);
}
