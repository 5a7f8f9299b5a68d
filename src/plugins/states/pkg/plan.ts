/** What `pkg.installed` has to do. */
import { hasFunction, outcome, type StateContext, type StateReturn } from "../../../model/loader/states.ts";
import { CommandExecutionError, SaltInvocationError } from "../../../model/loader/family.ts";
import { isMap, lookup, str, truthy } from "../../../language/python/values.ts";
import { isFile } from "../../linux/paths.ts";
import { packSources, repackPkgs, type WantedPackage } from "../../packages/targets.ts";
import { callError, commandError, fails } from "../outcome.ts";
import type { Installed, PackageKeyword } from "./host.ts";
import { checkKnown, entry, hostPackageName, packagesOf, versionsOf } from "./host.ts";
import { conditionsOf, extraRequirements, fulfilsVersion, versionClean } from "./versions.ts";

export interface PackagePlan {
  desired: WantedPackage;
  targets: WantedPackage;
  unpurge: string[];
  reinstall: WantedPackage;
  /** Files that differ from the package's, of packages that are installed again because of that. */
  altered: Map<string, unknown>;
  warnings: string[];
  /** The lists of packages were fetched while looking. */
  refreshed: boolean;
}

export interface PlanRequest {
  name: unknown;
  pkgs: unknown;
  sources: unknown;
  skipSuggestions: boolean;
  verify: unknown;
  normalize: boolean;
  ignoreEpoch: unknown;
  reinstall: boolean;
  refresh: boolean;
  keyword: PackageKeyword;
}

/** An option of `pkg_verify` in its long form: `[{ignore_types: […]}]`. */
function verifyOption(verify: unknown, name: string): unknown {
  const items = Array.isArray(verify) ? verify.filter(isMap) : [];
  return items.map((item) => lookup(item, name)).find((value) => value !== null && value !== undefined) ?? [];
}

/** Files of a package that are not as it had them; nothing if all are. */
export async function verifyPackage(
  context: StateContext,
  request: Pick<PlanRequest, "verify" | "keyword">,
  name: string,
) {
  return await context.call("pkg.verify", [name], {
    ignore_types: verifyOption(request.verify, "ignore_types"),
    verify_options: verifyOption(request.verify, "verify_options"),
    ...request.keyword,
  });
}

async function desiredOf(context: StateContext, request: PlanRequest): Promise<WantedPackage> {
  const { pkgs, sources, normalize, keyword } = request;
  if (!truthy(pkgs)) return await packSources(context, sources, normalize);
  return await repackPkgs(context, pkgs, normalize && truthy(keyword.split_arch ?? true));
}

/** Puts the newest version where `latest` was asked for; null where none is known. */
async function resolveLatest(
  context: StateContext,
  request: PlanRequest,
  desired: WantedPackage,
  installed: Installed,
) {
  const names = [...desired].filter(([, version]) => version === "latest").map(([name]) => name);
  if (truthy(request.sources) || names.length === 0) return false;
  const found = await context.call("pkg.latest_version", names, { refresh: request.refresh, ...request.keyword });
  for (const name of names) {
    const version = names.length === 1 ? found : entry(found, name);
    desired.set(name, truthy(version) ? str(version) : versionsOf(installed, name).at(-1) ?? null);
  }
  return request.refresh;
}

async function notInstalled(context: StateContext, request: PlanRequest, desired: WantedPackage, installed: Installed) {
  const found: WantedPackage = new Map();
  for (const [name, version] of desired) {
    const there = entry(installed, name) !== undefined &&
      (version === null || await fulfilsVersion(context, versionsOf(installed, name), version, request));
    if (!there) found.set(name, version);
  }
  return found;
}

/** The version of a source; or why there is none: a problem, a warning, or nothing to compare with. */
async function sourceVersion(
  context: StateContext,
  request: PlanRequest,
  place: string,
): Promise<{ version: string } | { problem: string } | { warning: string } | undefined> {
  if (!await hasFunction(context, "lowpkg.bin_pkg_info")) return undefined;
  let path: unknown;
  try {
    path = await context.call("cp.cache_file", [place], {
      saltenv: request.keyword.saltenv,
      verify_ssl: request.keyword.verify_ssl ?? true,
    });
  } catch (error) {
    return { problem: `Unable to cache ${place}: ${commandError(error)}` };
  }
  if (!truthy(path)) return { problem: `Unable to cache ${place}: file not found` };
  if (!isFile(context.runtime.fs, str(path))) return { problem: `${place} does not exist on minion` };
  const info = await context.call("lowpkg.bin_pkg_info", [path]);
  return info === null || info === undefined
    ? { warning: `Failed to parse metadata for ${place}` }
    : { version: str(entry(info, "version")) };
}

/** Looks at one package after the other, and collects what is to be done. */
class Planner {
  readonly context: StateContext;
  readonly request: PlanRequest;
  readonly installed: Installed;
  readonly provided: unknown;
  readonly targets: WantedPackage = new Map();
  readonly reinstall: WantedPackage = new Map();
  readonly altered = new Map<string, unknown>();
  readonly problems: string[] = [];
  readonly warnings: string[] = [];
  /** Some package was compared by its version. */
  compared = false;
  #failedVerify = "";

  constructor(context: StateContext, request: PlanRequest, installed: Installed, provided: unknown) {
    this.context = context;
    this.request = request;
    this.installed = installed;
    this.provided = provided;
  }

  async #versions(name: string): Promise<string[]> {
    const found = versionsOf(this.installed, name);
    if (found.length > 0) return found;
    const other = versionsOf(this.installed, await hostPackageName(this.context, name));
    if (other.length > 0) return other;
    const [provider] = (entry(this.provided, name) as string[] | undefined) ?? [];
    return provider === undefined ? [] : versionsOf(this.installed, provider);
  }

  /** Marks a package whose files were altered. */
  async #verify(name: string, version: string | null): Promise<void> {
    try {
      const found = await verifyPackage(this.context, this.request, name);
      if (!truthy(found)) return;
      this.reinstall.set(name, version);
      this.altered.set(name, found);
    } catch (error) {
      if (!(error instanceof CommandExecutionError || error instanceof SaltInvocationError)) throw error;
      this.#failedVerify = callError(error);
    }
  }

  async look(name: string, version: string | null): Promise<void> {
    const { context, request } = this;
    const versions = await this.#versions(name);
    if (versions.length === 0) return void this.targets.set(name, version);
    if (request.reinstall) return void this.reinstall.set(name, version);
    let wanted = version;
    if (truthy(request.sources)) {
      const found = await sourceVersion(context, request, version ?? "");
      if (found === undefined) return;
      if ("problem" in found) return void this.problems.push(found.problem);
      if ("warning" in found) return void this.warnings.push(found.warning);
      wanted = found.version;
    } else {
      if (!await extraRequirements(context, name, version)) return void this.targets.set(name, version);
      if (await versionClean(context, version) === null) {
        if (truthy(request.verify)) await this.#verify(name, version);
        return;
      }
    }
    await this.#compare(name, version, wanted ?? "", versions);
  }

  async #compare(name: string, version: string | null, wanted: string, versions: string[]): Promise<void> {
    const { context, request } = this;
    let fits: boolean;
    try {
      const options = { ignoreEpoch: request.ignoreEpoch, allowUpdates: truthy(request.keyword.allow_updates) };
      fits = await fulfilsVersion(context, versions, wanted, options);
    } catch (error) {
      return void this.problems.push(commandError(error));
    }
    this.compared = true;
    if (fits) return;
    const exact = conditionsOf(version ?? "").some(({ operator }) => operator === "==");
    if (truthy(request.verify) && exact) await this.#verify(name, version);
    else this.targets.set(name, version);
  }

  get failures(): string[] {
    return this.#failedVerify === "" ? this.problems : [...this.problems, this.#failedVerify];
  }
}

/** @returns the state's return if there is nothing to do, or if it cannot be done */
export async function planOf(context: StateContext, request: PlanRequest): Promise<PackagePlan | StateReturn> {
  const { name, pkgs, sources, keyword } = request;
  if (truthy(pkgs) && truthy(sources)) return outcome(name, false, 'Only one of "pkgs" and "sources" is permitted.');
  const capabilities = truthy(keyword.resolve_capabilities) && await hasFunction(context, "pkg.list_provides");
  const installed = await packagesOf(context, keyword).catch(fails());
  const provided = capabilities ? await context.call("pkg.list_provides", [], keyword).catch(fails()) : {};
  const desired = await desiredOf(context, request);
  if (desired.size === 0) {
    const which = truthy(pkgs) ? "pkgs" : "sources";
    return outcome(name, false, `Invalidly formatted '${which}' parameter. See minion log.`);
  }
  const purged = await context.call("pkg.list_pkgs", [], { purge_desired: true, ...keyword });
  const unpurge = [...desired.keys()].filter((one) => entry(purged, one) !== undefined);
  if (!truthy(sources) && !request.skipSuggestions) {
    const missing = await notInstalled(context, request, desired, installed);
    if (missing.size > 0) await checkKnown(context, missing, keyword);
  }
  const refreshed = await resolveLatest(context, request, desired, installed);
  const planner = new Planner(context, request, installed, provided);
  for (const [one, version] of desired) await planner.look(one, version);
  const { targets, reinstall, altered, warnings, failures } = planner;
  if (failures.length > 0) return outcome(name, false, failures.join(" "));
  if (targets.size + unpurge.length + reinstall.size > 0) {
    return { desired, targets, unpurge, reinstall, altered, warnings, refreshed };
  }
  const at = planner.compared && !truthy(sources) ? " and are at the desired version" : "";
  const ret = outcome(name, true, `All specified packages are already installed${at}`);
  return warnings.length === 0 ? ret : { ...ret, warnings };
}
