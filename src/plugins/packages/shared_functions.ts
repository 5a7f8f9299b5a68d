/** Functions of `pkg` that are the same for several package managers, but for what these are asked. */
import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../model/loader/family.ts";
import { compileGlob } from "../../language/python/glob.ts";
import { type Args, isTrue, str, truthy } from "../../language/python/values.ts";
import type { CommandOutcome } from "../commands.ts";
import { type lowPackageFunctions, packageFunctions } from "./functions.ts";
import { changes, type PackageList, stringify } from "./lists.ts";
import { infoInstalled } from "./rpm/installed.ts";
import { hostArch, parseArch, rpmName } from "./rpm/names.ts";
import type { WantedPackage } from "./targets.ts";

/** The installed versions of packages, which may be globs: of one package its version alone, otherwise by name. */
export async function installedVersions(
  context: Pick<JobContext, "call">,
  names: readonly string[],
  { versions_as_list: asList = false, ...keyword }: Record<string, unknown> = {},
): Promise<unknown> {
  const found: Record<string, string[]> = {};
  if (names.length > 0) {
    const pkgs = await context.call("pkg.list_pkgs", [], { versions_as_list: true, ...keyword }) as typeof found;
    for (const name of names) {
      const fits = name.includes("*") ? Object.keys(pkgs).filter(compileGlob(name)) : [name];
      for (const one of fits) found[one] = pkgs[one] ?? [];
    }
  }
  const shown: Record<string, unknown> = isTrue(asList) ? found : stringify(found);
  const values = Object.values(shown);
  return values.length === 1 && !names.some((name) => name.includes("*")) ? values[0] : shown;
}

/** Nothing as an empty text, one value alone, several as a map. */
export const oneOrAll = <T>(found: Record<string, T>, count = Object.keys(found).length): T | "" | Record<string, T> =>
  count === 0 ? "" : count === 1 ? Object.values(found)[0]! : found;

/** How a package manager finds the newest versions. */
interface Newest {
  /** Whether the lists of packages are fetched first, unless the caller says. @default true */
  refreshes?: boolean;
  /** What there is to say of no packages. @default "" */
  none?: unknown;
  /** @throws {SaltInvocationError} for keywords that mean nothing here */
  check?(kwargs: Args): void;
  refresh(context: JobContext, kwargs: Args): Promise<unknown>;
  /** Package → the version that an installation would bring; empty for none that is newer. */
  newest(context: JobContext, names: string[], kwargs: Args): Promise<Record<string, unknown>>;
}

/** The installed versions, and the newest available ones. */
export function versionFunctions({ refreshes = true, none = "", check, refresh, newest }: Newest) {
  const latest = async (context: JobContext, names: string[], kwargs: Args) => {
    const { refresh: asked = refreshes } = kwargs;
    check?.(kwargs);
    if (names.length === 0) return none;
    if (isTrue(asked)) await refresh(context, kwargs);
    return oneOrAll(await newest(context, names, kwargs), names.length);
  };
  const functions = packageFunctions({
    "version(*names, **kwargs)": (context, { names, kwargs }) => installedVersions(context, names.map(str), kwargs),
    "latest_version(*names, **kwargs)": (context, { names, kwargs }) => latest(context, names.map(str), kwargs),
    "upgrade_available(name: str, **kwargs)": async (context, { name, kwargs }) =>
      truthy(await latest(context, [name], kwargs)),
  });
  return { ...functions, available_version: functions.latest_version };
}

/** What is installed, of a package manager that knows a name and its versions. */
export const listFunctions = (installed: (context: JobContext, kwargs: Args) => Promise<PackageList>) =>
  packageFunctions({
    async "list_pkgs(versions_as_list=False, **kwargs)"(context, { versions_as_list, kwargs }) {
      if (isTrue(kwargs.removed) || isTrue(kwargs.purge_desired)) return {};
      const found = await installed(context, kwargs);
      return isTrue(versions_as_list) ? found : stringify(found);
    },
  });

/** The files of packages, with what the program says of those that it does not know; or its error. */
export type PackageFiles = { errors: string[]; packages: Record<string, string[]> } | string;

/** @param declare for `pkg` or `lowpkg` @param sorted each file once, in the order of names */
export function fileFunctions(
  declare: typeof packageFunctions | typeof lowPackageFunctions,
  files: (context: JobContext, names: string[]) => Promise<PackageFiles>,
  sorted: boolean,
) {
  return declare({
    async "file_list(*packages, **kwargs)"(context, { packages }) {
      const found = await files(context, packages.map(str));
      if (typeof found === "string") return found;
      const all = Object.values(found.packages).flat();
      return { errors: found.errors, files: sorted ? [...new Set(all)].sort() : all };
    },
    "file_dict(*packages, **kwargs)": (context, { packages }) => files(context, packages.map(str)),
  });
}

/** What rpm answers, whatever installs packages. */
export const RPM_FUNCTIONS = packageFunctions({
  "normalize_name(name: str)": (context, { name }) => rpmName(name, hostArch(context)),
  "parse_arch(name: str)": (_, { name }) => parseArch(name),
  "info_installed(*names, **kwargs)": (context, { names, kwargs }) => infoInstalled(context, names.map(str), kwargs),
  "verify(*names, **kwargs)": (context, { names, kwargs }) => context.call("lowpkg.verify", names, kwargs),
  "file_list(*packages, **kwargs)": (context, { packages, kwargs }) =>
    context.call("lowpkg.file_list", packages, kwargs),
  "file_dict(*packages, **kwargs)": (context, { packages, kwargs }) =>
    context.call("lowpkg.file_dict", packages, kwargs),
  "owner(*paths, **kwargs)": (context, { paths, kwargs }) => context.call("lowpkg.owner", paths, kwargs),
});

export interface Available {
  name: string;
  version: string;
  repo: string;
}

/** Available versions by package, the newest first; with `byrepo` by repository. Only packages that fit one of the patterns. */
export function availableVersions(
  found: Iterable<Available>,
  patterns: string[],
  byrepo: unknown,
  compare: (one: string, other: string) => number,
): Record<string, unknown> {
  const fits = patterns.map(compileGlob);
  const repos = new Map<string, Map<string, Set<string>>>();
  for (const { name, version, repo } of found) {
    if (fits.length > 0 && !fits.some((one) => one(name))) continue;
    const packages = repos.get(repo) ?? repos.set(repo, new Map()).get(repo)!;
    packages.set(name, (packages.get(name) ?? new Set()).add(version));
  }
  const shown: Record<string, Record<string, string[]>> = {};
  for (const [repo, packages] of repos) {
    const own = shown[truthy(byrepo) ? repo : ""] ??= {};
    for (const [name, versions] of packages) {
      own[name] = [...own[name] ?? [], ...versions].sort((a, b) => compare(b, a));
    }
  }
  return truthy(byrepo) ? shown : shown[""] ?? {};
}

/** Of the members of a group, by kind, which are installed. */
export const groupDifference = (
  members: Record<string, string[]>,
  installed: Record<string, unknown>,
): Record<string, { installed: string[]; "not installed": string[] }> =>
  Object.fromEntries(
    Object.entries(members).map(([kind, names]) => [kind, {
      installed: names.filter((one) => installed[one] !== undefined),
      "not installed": names.filter((one) => installed[one] === undefined),
    }]),
  );

/** The packages that are installed, in the version that is named if one is; `written` says how the program is asked for it. */
export const installedTargets = (
  wanted: WantedPackage,
  installed: PackageList,
  written: (name: string, version: string) => string,
): string[] =>
  [...wanted].flatMap(([name, version]) => {
    if (installed[name] === undefined) return [];
    if (!truthy(version)) return [name];
    return installed[name].includes(version!) ? [written(name, version!)] : [];
  });

/** What was changed if a command failed, with what it printed. */
const said = ({ stderr, stdout }: CommandOutcome, done: unknown) => ({ errors: [stderr || stdout], changes: done });

/**
 * Runs a command that changes packages.
 *
 * @returns the packages that changed, with their versions before and after
 * @throws {CommandExecutionError} `failed`, with what was changed, if the command fails
 */
export async function changing<T>(
  list: () => Promise<Record<string, T>>,
  act: () => Promise<CommandOutcome>,
  failed: string,
  info: (outcome: CommandOutcome, done: unknown) => unknown = said,
): Promise<ReturnType<typeof changes<T>>> {
  const before = await list();
  const outcome = await act();
  const done = changes(before, await list());
  if (outcome.retcode !== 0) throw new CommandExecutionError(failed, { info: info(outcome, done) });
  return done;
}

/** Checks what is to be held. @throws {SaltInvocationError} unless it is given in one way */
export function checkHeld({ name, pkgs, sources }: Args): void {
  if (!truthy(name) && !truthy(pkgs) && !truthy(sources)) {
    throw new SaltInvocationError("One of name, pkgs, or sources must be specified.");
  }
  if (truthy(pkgs) && truthy(sources)) throw new SaltInvocationError("Only one of pkgs or sources can be specified.");
}
