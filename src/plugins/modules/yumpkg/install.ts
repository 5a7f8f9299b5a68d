/** What changes packages by dnf and yum. */
import { joinPath } from "../../../base/paths.ts";
import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { compileGlob } from "../../../language/python/glob.ts";
import { type Args, isTrue, type KeywordArgs, str, truthy } from "../../../language/python/values.ts";
import { changes, stringify } from "../../packages/lists.ts";
import type { Downloaded } from "../../packages/package_file.ts";
import { downloadedRpms } from "../../packages/rpm/installed.ts";
import { changing, installedTargets } from "../../packages/shared_functions.ts";
import { type PackageTargets, parseTargets, type WantedPackage } from "../../packages/targets.ts";
import { matchVersion } from "../../packages/versions.ts";
import { compareEvr } from "../../packages/rpm/evr.ts";
import { ARCHES, hostArch } from "../../packages/rpm/names.ts";
import { installedTexts, yumRefresh, yumRepoPackages } from "./available.ts";
import { listHolds, yumHold } from "./holds.ts";
import { callYum, needYum, yumOptionWords } from "./program.ts";
import { splitLines } from "../../../language/python/text.ts";
import { run } from "../../commands.ts";

/** Advisories: id → its packages, and whether all of them are installed. */
export async function patches(
  context: JobContext,
  installedOnly: boolean,
): Promise<Record<string, { installed: boolean; summary: string[] }>> {
  const found: Record<string, { installed: boolean; summary: string[] }> = {};
  for (const line of splitLines(await run(context, [needYum(context), "--quiet", "updateinfo", "list", "all"]))) {
    const [, mark, id, , pkg] = /^(i|\s)? ?(\S+) +(\S+) +(\S+)/.exec(line) ?? [];
    if (id === undefined || pkg === undefined) continue;
    const patch = found[id] ??= { installed: true, summary: [] };
    patch.summary.push(pkg);
    if (mark !== "i") patch.installed = false;
  }
  return Object.fromEntries(Object.entries(found).filter(([, { installed }]) => installed || !installedOnly));
}

interface Item {
  name: string;
  /** How dnf is asked for it. */
  words: string;
}

interface Order {
  install: Item[];
  downgrade: Item[];
  reinstall: Item[];
}

/** Versions that are installed at the same time as others. */
const KERNEL = /^kernel(|-devel)$/;

/** The name without an architecture, and that with the dot in front. */
function splitArch(context: JobContext, name: string, kwargs: Args): { bare: string; suffix: string } {
  const at = name.lastIndexOf(".");
  const arch = name.slice(at + 1);
  const split = at > 0 && ARCHES.includes(arch) && (arch !== hostArch(context) || truthy(kwargs.split_arch ?? true));
  return split ? { bare: name.slice(0, at), suffix: `.${arch}` } : { bare: name, suffix: "" };
}

/** Sorts what is asked for by what is to be done for it. */
class Orders {
  readonly order: Order = { install: [], downgrade: [], reinstall: [] };
  readonly errors: string[] = [];
  readonly #context: JobContext;
  readonly #args: Args;
  readonly #installed: Record<string, string[]>;

  constructor(context: JobContext, args: Args, installed: Record<string, string[]>) {
    this.#context = context;
    this.#args = args;
    this.#installed = installed;
  }

  get #ignoreEpoch(): boolean {
    return this.#args.ignore_epoch === true;
  }

  async fromRepository(wanted: WantedPackage): Promise<void> {
    const kwargs = this.#args.kwargs as Args;
    const chosen = [...wanted].filter(([, version]) => /^[<>]|\*/.test(version ?? "")).map(([name]) => name);
    const available = chosen.length === 0 ? {} : await yumRepoPackages(this.#context, chosen, kwargs);
    for (const [name, version] of wanted) {
      if (version === null) {
        const again = isTrue(this.#args.reinstall) && this.#installed[name] !== undefined;
        this.order[again ? "reinstall" : "install"].push({ name, words: name });
        continue;
      }
      const { bare, suffix } = splitArch(this.#context, name, kwargs);
      const found = await this.#choose(name, bare, version.replace(/^=+/, ""), available as Record<string, string[]>);
      if (found === undefined) continue;
      const written = this.#ignoreEpoch ? found : found.replace(/^[^:]*:/, "");
      this.place(bare, `${bare}-${written}${suffix}`, found);
    }
  }

  /** The version that fits `>=1.0` or `1.*`. */
  async #choose(name: string, bare: string, wanted: string, available: Record<string, string[]>) {
    const candidates = available[name] ?? available[bare] ?? [];
    const listed = (none: string) => candidates.length === 0 ? none : candidates.join(", ");
    if (/^[<>]/.test(wanted)) {
      const found = await matchVersion(compareEvr, wanted, candidates, this.#ignoreEpoch);
      if (found === undefined) {
        this.errors.push(`No version matching '${name}${wanted}' could be found (available: ${listed("None")})`);
      }
      return found;
    }
    if (!wanted.includes("*")) return wanted;
    const found = candidates.find(compileGlob(wanted));
    if (found === undefined) {
      this.errors.push(`No version matching '${wanted}' found for package '${bare}' (available: ${listed("none")})`);
    }
    return found;
  }

  place(name: string, words: string, version: string): void {
    const there = this.#installed[name] ?? [];
    const than = (one: string) => compareEvr(version, one, this.#ignoreEpoch);
    const item = { name, words };
    if (isTrue(this.#args.reinstall) && there.length > 0) {
      if (there.some((one) => than(one) === 0)) this.order.reinstall.push(item);
    } else if (there.length === 0 || there.some((one) => than(one) >= 0) || KERNEL.test(name)) {
      this.order.install.push(item);
    } else this.order.downgrade.push(item);
  }
}

async function ordersOf(context: JobContext, args: Args, targets: PackageTargets, installed: Record<string, string[]>) {
  const orders = new Orders(context, args, installed);
  if (targets.kind === "repository") await orders.fromRepository(targets.wanted);
  else if (targets.kind === "file") {
    for (const path of targets.paths) {
      const info = await context.call("lowpkg.bin_pkg_info", [path]) as Record<string, string> | null;
      if (info === null) orders.order.install.push({ name: path, words: path });
      else orders.place(info.name!, path, info.version!);
    }
  } else {
    const known = await patches(context, false);
    for (const id of targets.ids) {
      if (known[id] === undefined) throw new CommandExecutionError(`Advisory id "${id}" not found`);
      orders.order.install.push({ name: id, words: `--advisory=${id}` });
    }
  }
  return orders;
}

async function holds(context: JobContext): Promise<string[]> {
  try {
    return await listHolds(context, { full: false });
  } catch (error) {
    // Without the plugin nothing is held.
    if (error instanceof SaltInvocationError) return [];
    throw error;
  }
}

/** Has dnf do it; packages that are held are let go of meanwhile, or not changed. */
async function carryOut(context: JobContext, args: Args, kind: PackageTargets["kind"], orders: Orders): Promise<void> {
  const { order, errors } = orders;
  const common = [
    ...yumOptionWords(args.kwargs as Args),
    ...(truthy(args.skip_verify) ? ["--nogpgcheck"] : []),
    ...(truthy(args.downloadonly) ? ["--downloadonly"] : []),
  ];
  const best = ["--best", "--allowerasing"];
  const program = needYum(context);
  const first = [
    ...(program === "dnf" ? best : []),
    ...common,
    kind === "advisory" ? "update" : "install",
    ...(program === "dnf5" ? best : []),
  ];
  const held = await holds(context);
  const prevented: string[] = [];
  for (
    const [items, words] of [[order.install, first], [order.downgrade, [...common, "downgrade"]], [
      order.reinstall,
      [...common, "reinstall"],
    ]] as const
  ) {
    const free = items.filter(({ name }) => !held.includes(name));
    const locked = items.filter(({ name }) => held.includes(name));
    if (locked.length > 0 && !truthy(args.update_holds)) prevented.push(...locked.map(({ name }) => name));
    const released = truthy(args.update_holds) ? locked : [];
    if (released.length > 0) await yumHold(context, { pkgs: released.map(({ name }) => name) }, false);
    const targets = [...free, ...released].map((one) => one.words);
    if (targets.length > 0) {
      const { retcode, stdout } = await callYum(context, ["-y", ...words, ...targets], { redirect_stderr: true });
      if (retcode !== 0) errors.push(stdout);
    }
    if (released.length > 0) await yumHold(context, { pkgs: released.map(({ name }) => name) }, true);
  }
  if (prevented.length > 0) {
    errors.push(
      `The following package(s) could not be updated because they are being held: ${prevented.join(", ")}. ` +
        "Set 'update_holds' to True to temporarily unhold these packages so that they can be updated.",
    );
  }
}

/** `pkg.list_downloaded`: name → version → the file. */
export const yumDownloaded = (context: JobContext): Promise<Downloaded> =>
  downloadedRpms(context, joinPath("/var/cache", needYum(context)));

/** `pkg.install`: the packages that changed, with their versions before and after. */
export async function yumInstall(context: JobContext, args: KeywordArgs): Promise<unknown> {
  const { kwargs } = args;
  if (isTrue(args.refresh)) await yumRefresh(context, kwargs);
  const targets = await parseTargets(context, {
    name: args.name,
    pkgs: args.pkgs,
    sources: args.sources,
    saltenv: args.saltenv,
    version: kwargs.version ?? null,
    normalize: truthy(args.normalize) && truthy(kwargs.split_arch ?? true),
    ...("advisory_ids" in kwargs ? { advisory_ids: kwargs.advisory_ids } : {}),
  });
  if (targets === undefined) return {};
  const onlyFetched = truthy(args.downloadonly);
  const state = async (): Promise<Record<string, unknown>> =>
    onlyFetched ? await yumDownloaded(context) : stringify(await installedTexts(context));
  const before = await state();
  const orders = await ordersOf(context, args, targets, onlyFetched ? {} : await installedTexts(context));
  await carryOut(context, args, targets.kind, orders);
  const after = await state();
  const done: Record<string, unknown> = changes(before, after);
  for (const { name } of orders.order.reinstall) done[name] ??= { old: before[name] ?? "", new: after[name] ?? "" };
  if (orders.errors.length > 0) {
    const again = orders.order.reinstall.length > 0 ? "/reinstalling" : "";
    throw new CommandExecutionError(`Error occurred installing${again} package(s)`, {
      info: { errors: orders.errors, changes: done },
    });
  }
  return done;
}

export async function remove(context: JobContext, args: Args): Promise<unknown> {
  const parsed = await parseTargets(context, {
    name: args.name,
    pkgs: args.pkgs,
    version: (args.kwargs as Args).version ?? null,
  });
  const before = await installedTexts(context);
  const wanted: [string, string | null][] = parsed?.kind !== "repository" ? [] : [...parsed.wanted].flatMap(
    ([name, version]): [string, string | null][] =>
      name.includes("*")
        ? Object.keys(before).filter(compileGlob(name)).map((one) => [one, version])
        : [[name, version]],
  );
  const targets = installedTargets(new Map(wanted), before, (name, version) => {
    const { bare, suffix } = splitArch(context, name, args.kwargs as Args);
    return `${bare}-${version.replace(/^[^:]*:/, "")}${suffix}`;
  });
  if (targets.length === 0) return {};
  return await changing(
    async () => stringify(await installedTexts(context)),
    async () => {
      const outcome = await callYum(context, ["-y", "remove", ...targets]);
      // Warnings alone are no failure.
      return { ...outcome, retcode: outcome.stderr === "" ? 0 : outcome.retcode };
    },
    "Error occurred removing package(s)",
  );
}

export async function yumUpgrade(context: JobContext, args: Args): Promise<unknown> {
  const kwargs = { ...args.kwargs as Args };
  const dnf = needYum(context) !== "yum";
  if (dnf && !truthy(args.obsoletes)) {
    const given = Array.isArray(kwargs.setopt)
      ? kwargs.setopt.map(str)
      : truthy(kwargs.setopt)
      ? str(kwargs.setopt).split(",")
      : [];
    kwargs.setopt = [...given.filter((one) => !one.startsWith("obsoletes=")), "obsoletes=False"];
  }
  const words = yumOptionWords(kwargs, true);
  if (isTrue(args.refresh)) await yumRefresh(context, kwargs);
  const parsed = truthy(args.name) || truthy(args.pkgs)
    ? await parseTargets(context, { name: args.name, pkgs: args.pkgs, normalize: truthy(args.normalize) })
    : undefined;
  const targets = parsed?.kind === "repository" ? [...parsed.wanted.keys()] : [];
  const verb = `${dnf || truthy(args.obsoletes) ? "upgrade" : "update"}${truthy(args.minimal) ? "-minimal" : ""}`;
  const skip = truthy(args.skip_verify) ? ["--nogpgcheck"] : [];
  return await changing(
    async () => stringify(await installedTexts(context)),
    () => callYum(context, ["--quiet", "-y", ...words, ...skip, verb, ...targets]),
    "Problem encountered upgrading packages",
    (result, changes) => ({ changes, result }),
  );
}
