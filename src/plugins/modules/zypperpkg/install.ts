/** `pkg.install`, `remove` and `upgrade` of zypper. */
import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { compileGlob } from "../../../language/python/glob.ts";
import { splitLines } from "../../../language/python/text.ts";
import { type Args, type KeywordArgs, str, truthy } from "../../../language/python/values.ts";
import { changes } from "../../packages/lists.ts";
import { changing, installedTargets } from "../../packages/shared_functions.ts";
import { type PackageTargets, parseTargets } from "../../packages/targets.ts";
import { looseCompare, splitComparison } from "../../packages/versions.ts";
import { editions, zypperRefresh } from "./available.ts";
import { zypperDownloaded, zypperListPkgs } from "./installed.ts";
import { batches, callZypper, zypperSucceeded } from "./program.ts";
import { zypperPatches } from "./search.ts";

/** Packages that zypper is given at once. */
const BATCH = 500;
const OPERATORS = ["<", "<=", "=", ">=", ">"];

/** The version that `1.*` or `>=1.*` is for: the newest that fits; null for none. */
async function chosenVersion(context: JobContext, name: string, wanted: string, root: unknown): Promise<string | null> {
  const glob = wanted.replace(/[<>=+]*/g, "");
  const operator = wanted.replace(glob, "");
  if (operator !== "" && !OPERATORS.includes(operator)) {
    throw new CommandExecutionError(`Zypper do not supports operator "${operator}".`);
  }
  const available = await editions(context, name, root);
  if (available === undefined) throw new CommandExecutionError(`No packages found matching '${name}'`);
  const newest = available.filter(compileGlob(glob)).sort(looseCompare).at(-1);
  return newest === undefined ? null : `${operator}${newest}`;
}

/** Kinds of what is named with one: `pattern:base`. */
const kindsOf = (targets: readonly string[]): string[] =>
  [...new Set(targets.filter((one) => one.split(":").length === 2).map((one) => one.split(":")[0]!))].sort();

async function targetWords(context: JobContext, args: Args, targets: PackageTargets): Promise<string[]> {
  if (targets.kind === "file") return targets.paths;
  if (targets.kind === "advisory") {
    const known = await zypperPatches(context, args.root);
    for (const id of targets.ids) {
      if (!Object.hasOwn(known, id)) throw new CommandExecutionError(`Advisory id "${id}" not found`);
    }
    return targets.ids;
  }
  const name = truthy(args.name) ? str(args.name) : "";
  const chosen = truthy(args.version) ? await chosenVersion(context, name, str(args.version), args.root) : null;
  const one = args.pkgs === null && args.sources === null;
  if (chosen !== null && !one) {
    context.log.warning('"version" parameter will be ignored for multiple package targets', {});
  }
  const wanted = chosen !== null && one ? new Map([[name, chosen]]) : targets.wanted;
  return [...wanted].map(([each, version]) => {
    if (version === null) return each;
    const [operator, bare] = splitComparison(version);
    return `${each}${operator || "="}${bare}`;
  });
}

function installWords(args: Args): string[] {
  return [
    ...(truthy(args.skip_verify) ? ["--no-gpg-checks"] : []),
    ...(truthy(args.refresh) ? [] : ["--no-refresh"]),
    "install",
    "--auto-agree-with-licenses",
    truthy((args.kwargs as Args).resolve_capabilities) ? "--capability" : "--name",
    ...(truthy(args.downloadonly) ? ["--download-only"] : []),
    ...(truthy(args.fromrepo) ? ["--force", "--force-resolution", "--from", str(args.fromrepo)] : []),
    ...(truthy(args.no_recommends) ? ["--no-recommends"] : []),
  ];
}

/** `pkg.install`: the packages that changed, with their versions before and after. */
export async function zypperInstall(context: JobContext, args: KeywordArgs): Promise<unknown> {
  const { root, name, pkgs, sources, ignore_repo_failure } = args;
  const { diff_attr: attr = null, version: _, ...kwargs } = args.kwargs;
  if (args.refresh) await zypperRefresh(context, { root });
  const targets = await parseTargets(context, { ...kwargs, name, pkgs, sources });
  if (targets === undefined) return {};
  const words = await targetWords(context, args, targets);
  const includes = kindsOf(words);
  const state = () =>
    args.downloadonly ? zypperDownloaded(context, root) : zypperListPkgs(context, { attr, root, includes });
  const before = await state();
  const first = installWords(args);
  const call = { root, lenient: truthy(ignore_repo_failure) };
  const named = targets.kind === "advisory" ? words.map((id) => `patch:${id}`) : words;
  const older: string[] = [];
  for (const batch of batches(named, BATCH)) {
    const { stdout } = await callZypper(context, [...first, ...batch], { ...call, scoped: true });
    for (const line of splitLines(stdout)) {
      const found = /^The selected package '([^']+)'.+has lower version/.exec(line);
      if (found !== null) older.push(found[1]!);
    }
  }
  for (const batch of batches(older, BATCH)) await callZypper(context, [...first, "--force", ...batch], call);
  return changes(before, await state());
}

export async function remove(context: JobContext, { name, pkgs, root }: Args): Promise<unknown> {
  const parsed = await parseTargets(context, { name, pkgs });
  if (parsed?.kind !== "repository") return {};
  const includes = kindsOf([...parsed.wanted.keys()]);
  const before = await zypperListPkgs(context, { root, includes }) as Record<string, string>;
  const there = Object.fromEntries(Object.entries(before).map(([one, versions]) => [one, versions.split(",")]));
  const targets = installedTargets(parsed.wanted, there, (one, version) => `${one}-${version}`);
  if (targets.length === 0) return {};
  for (const batch of batches(targets, BATCH)) {
    await callZypper(context, ["remove", ...batch], { root, scoped: true });
  }
  return changes(before, await zypperListPkgs(context, { root, includes }) as Record<string, string>);
}

/** `--no-allow-vendor-change` where zypper has it. */
function vendorWords(context: JobContext): string[] {
  const { osrelease_info: release } = context.grains;
  if (Array.isArray(release) && Number(release[0]) > 11) return ["--no-allow-vendor-change"];
  context.log.warning("this zypper cannot be kept from changing vendors", {});
  return [];
}

async function upgradeWords(context: JobContext, args: Args): Promise<string[]> {
  const dist = truthy(args.dist_upgrade);
  const { fromrepo } = args;
  const repos = (Array.isArray(fromrepo) ? fromrepo : truthy(fromrepo) ? [fromrepo] : []).map(str);
  const words = [
    ...(truthy(args.skip_verify) ? ["--no-gpg-checks"] : []),
    dist ? "dist-upgrade" : "update",
    "--auto-agree-with-licenses",
    ...(truthy(args.dryrun) ? ["--dry-run"] : []),
    ...repos.flatMap((repo) => [dist ? "--from" : "--repo", repo]),
  ];
  if (dist) {
    return [
      ...words,
      ...(truthy(args.novendorchange) ? vendorWords(context) : []),
      ...(truthy(args.no_recommends) ? ["--no-recommends"] : []),
    ];
  }
  if (!truthy(args.name) && !truthy(args.pkgs)) return words;
  const parsed = await parseTargets(context, { ...args.kwargs as Args, name: args.name, pkgs: args.pkgs });
  return [...words, ...(parsed?.kind === "repository" ? parsed.wanted.keys() : [])];
}

/** `pkg.upgrade`; in a dry run what zypper says that it would do. */
export async function zypperUpgrade(context: JobContext, args: Args): Promise<unknown> {
  const { root, diff_attr: attr, dryrun } = args;
  if (args.refresh) await zypperRefresh(context, { root });
  const words = await upgradeWords(context, args);
  const call = { root, lenient: true, scoped: true };
  if (args.dist_upgrade && dryrun) await callZypper(context, [...words, "--debug-solver"], call);
  let said = "";
  const done = await changing(
    () => zypperListPkgs(context, { root, attr }),
    async () => {
      const { retcode, stdout, stderr, pid } = await callZypper(context, words, call);
      said = `${stdout}\n${stderr}`.trim();
      return { retcode: zypperSucceeded(retcode) ? 0 : retcode, stdout, stderr, pid };
    },
    "Problem encountered upgrading packages",
    (result, changes) => ({ changes, result }),
  );
  return dryrun ? said : done;
}
