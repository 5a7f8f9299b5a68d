/** `pkg.install` of Debian and its relatives. */
import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { type Args, entriesOf, isMap, isTrue, str, truthy } from "../../../language/python/values.ts";
import { changes } from "../../packages/lists.ts";
import { type PackageTargets, parseTargets, type WantedPackage } from "../../packages/targets.ts";
import { compareVersions, matchVersion } from "../../packages/versions.ts";
import { aptGet, dpkgInstalled, policies, type Versions } from "./dpkg.ts";
import { refresh } from "./refresh.ts";
import { hold, selections } from "./selections.ts";
import { compareDebian } from "./versions.ts";

/** What apt is asked for; each list is a call of its own. */
interface Order {
  install: string[];
  /** Older than what is there: apt does that only if it is told to. */
  downgrade: string[];
  /** Package → how it is asked for. */
  again: Map<string, string>;
  names: string[];
  errors: string[];
}

/** Lists are not fetched for versions that are known already. */
async function needsRefresh(context: JobContext, args: Args): Promise<boolean> {
  if (!isTrue(args.refresh)) return false;
  const { version = null } = args.kwargs as Args;
  const exact: [string, unknown][] = truthy(args.pkgs)
    ? (args.pkgs as unknown[]).map((one) => isMap(one) ? entriesOf(one)[0]! : [one, null]).map(([n, v]) => [str(n), v])
    : [[str(args.name), version]];
  if (!truthy(args.pkgs) && !truthy(version)) return true;
  const known = await policies(context, exact.map(([name]) => name));
  return exact.some(([name, wanted]) => wanted === null || known[name]?.candidate !== str(wanted));
}

const comparing = (context: JobContext) => (one: string, two: string, ignoreEpoch: boolean) =>
  compareDebian(context, one, two, ignoreEpoch);

/** Sorts what is asked for by what apt has to do for it. */
class Orders {
  readonly order: Order = { install: [], downgrade: [], again: new Map(), names: [], errors: [] };
  readonly #context: JobContext;
  readonly #args: Args;
  readonly #before: Versions;

  constructor(context: JobContext, args: Args, before: Versions) {
    this.#context = context;
    this.#args = args;
    this.#before = before;
  }

  async fromFiles(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const { name, version } = await this.#context.call("lowpkg.bin_pkg_info", [path]) as Record<string, string>;
      await this.#place(name!, path, version!);
    }
  }

  async fromRepository(wanted: WantedPackage): Promise<void> {
    const { order } = this;
    for (const [name, version] of wanted) {
      order.names.push(name);
      if (version === null) {
        if (truthy(this.#args.reinstall) && this.#before[name] !== undefined) order.again.set(name, name);
        else order.install.push(name);
        continue;
      }
      const chosen = await this.#version(name, version.replace(/^=+/, ""));
      if (chosen !== undefined) await this.#place(name, `${name}=${chosen}`, chosen);
    }
  }

  /** `>1.0` and the like choose the first of the available versions that fits; apt itself knows patterns such as `1.*`. */
  async #version(name: string, wanted: string): Promise<string | undefined> {
    if (!/^[<>]/.test(wanted)) return wanted;
    const { all = [] } = (await policies(this.#context, [name]))[name] ?? {};
    const fit = await matchVersion(comparing(this.#context), wanted, all, truthy(this.#args.ignore_epoch));
    if (fit === undefined) {
      const available = all.length === 0 ? "None" : all.join(", ");
      this.order.errors.push(`No version matching '${name}${wanted}' could be found (available: ${available})`);
    }
    return fit;
  }

  async #place(name: string, words: string, version: string): Promise<void> {
    const { install, downgrade, again } = this.order;
    const there = this.#before[name] ?? "";
    const than = (operator: string) => compareVersions(comparing(this.#context), version, operator, there);
    if (truthy(this.#args.reinstall) && there !== "" && await than("==")) again.set(name, words);
    else if (there === "" || /[*?[]/.test(version) || await than(">=")) install.push(words);
    else downgrade.push(words);
  }
}

function options(args: Args, kind: PackageTargets["kind"]): string[] {
  const { kwargs } = args as { kwargs: Args };
  const from = truthy(args.fromrepo) ? args.fromrepo : kwargs.repo;
  const flags: [unknown, ...string[]][] = [
    [kwargs.force_yes, "--allow-downgrades", "--allow-remove-essential", "--allow-change-held-packages"],
    [kwargs.install_recommends === false, "--no-install-recommends"],
    [kwargs.install_recommends === true, "--install-recommends"],
    [kwargs.only_upgrade, "--only-upgrade"],
    [args.skip_verify, "--allow-unauthenticated"],
    [args.downloadonly, "--download-only"],
    [truthy(from) && kind === "repository", "-t", str(from ?? "")],
  ];
  return flags.filter(([wanted]) => truthy(wanted)).flatMap(([, ...words]) => words);
}

/** Has apt do it; what each call that failed printed. */
async function carryOut(
  context: JobContext,
  args: Args,
  kind: PackageTargets["kind"],
  order: Order,
): Promise<string[]> {
  const files = kind === "file";
  const calls = [
    { words: order.install, more: [] },
    { words: order.downgrade, more: ["--allow-downgrades"] },
    { words: [...order.again.values()], more: files ? [] : ["--reinstall"] },
  ].filter(({ words }) => words.length > 0);
  const { kwargs } = args as { kwargs: Args };
  const errors: string[] = [];
  for (const { words, more } of calls) {
    const { retcode, stderr, stdout } = await aptGet(
      context,
      [...options(args, kind), ...more, "install", ...words],
      {},
      kwargs.force_conf_new === true,
    );
    if (retcode !== 0) errors.push(stderr || stdout);
  }
  return errors;
}

async function targetsOf(context: JobContext, args: Args): Promise<PackageTargets | undefined> {
  const { version = null, split_arch: split = true, saltenv = "base" } = args.kwargs as Args;
  const normalize = truthy(args.normalize) && truthy(split);
  return await parseTargets(context, {
    name: args.name,
    pkgs: args.pkgs,
    sources: args.sources,
    version,
    saltenv,
    normalize,
  });
}

/** `pkg.install`: the packages that changed, with their versions before and after. */
export async function install(context: JobContext, args: Args): Promise<unknown> {
  const refreshing = await needsRefresh(context, args);
  const targets = await targetsOf(context, args);
  if (targets === undefined || targets.kind === "advisory") return {};
  if (refreshing) await refresh(context, { validS: Number((args.kwargs as Args).cache_valid_time ?? 0) });
  const before = await dpkgInstalled(context);
  const orders = new Orders(context, args, before);
  if (targets.kind === "file") await orders.fromFiles(targets.paths);
  else await orders.fromRepository(targets.wanted);
  const { order } = orders;
  const errors = order.errors;
  let done: Record<string, unknown> = {};
  if (order.install.length + order.downgrade.length + order.again.size > 0) {
    // apt leaves held packages alone.
    const { hold: heldPackages = [] } = await selections(context, null, "hold");
    const held = heldPackages.filter((name) => order.names.includes(name));
    if (held.length > 0) await hold(context, { pkgs: held }, false);
    errors.push(...await carryOut(context, args, targets.kind, order));
    const after = await dpkgInstalled(context);
    done = changes(before, after);
    for (const name of order.again.keys()) done[name] ??= { old: before[name] ?? "", new: after[name] ?? "" };
    if (held.length > 0) await hold(context, { pkgs: held }, true);
  }
  if (errors.length > 0) {
    throw new CommandExecutionError("Problem encountered installing package(s)", { info: { errors, changes: done } });
  }
  return done;
}
