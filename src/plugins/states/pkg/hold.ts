/** Holding packages along with their installation, and the states `pkg.held` and `pkg.unheld`. */
import { CommandExecutionError, SaltInvocationError } from "../../../model/loader/family.ts";
import type { StateContext, StateReturn } from "../../../model/loader/states.ts";
import { hasFunction, outcome, stateFunction } from "../../../model/loader/states.ts";
import { type Args, entriesOf, isMap, str, truthy } from "../../../language/python/values.ts";
import { callError } from "../outcome.ts";
import { entry, isEmptyList, type PackageKeyword } from "./host.ts";

interface Held {
  name: string;
  changes: Record<string, unknown>;
  result: boolean | null;
  comment: string;
}

/** What became of holding packages, or the error that ended it. */
export type HoldOutcome = { error: string; thrown: boolean } | { modified: Held[]; unmodified: Held[]; failed: Held[] };

/** Does what the argument `hold` asks for; undefined if it is not there. */
export async function applyHold(
  context: StateContext,
  keyword: PackageKeyword,
  args: PackageKeyword,
): Promise<HoldOutcome | undefined> {
  if (!Object.hasOwn(keyword, "hold") || !await hasFunction(context, "pkg.hold")) return undefined;
  let found: Record<string, unknown>;
  try {
    found = await context.call(truthy(keyword.hold) ? "pkg.hold" : "pkg.unhold", [], args) as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof CommandExecutionError || error instanceof SaltInvocationError)) throw error;
    return { error: callError(error), thrown: true };
  }
  if ("result" in found && !truthy(found.result)) {
    return { error: `An error was encountered while holding/unholding package(s): ${found.comment}`, thrown: false };
  }
  const each = Object.values(found) as Held[];
  return {
    modified: each.filter(({ changes }) => truthy(changes)),
    unmodified: each.filter(({ changes, result }) => !truthy(changes) && truthy(result)),
    failed: each.filter(({ result }) => !truthy(result)),
  };
}

interface Lock {
  version?: string;
  type?: string;
}

/** The packages that are held, and whether the host also knows versions of them. */
async function locksOf(context: StateContext): Promise<{ locks: Map<string, Lock>; versions: boolean } | undefined> {
  const locks = new Map<string, Lock>();
  if (await hasFunction(context, "pkg.list_locks")) {
    for (const [name, lock] of Object.entries(await context.call("pkg.list_locks") as Record<string, Lock>)) {
      locks.set(name, lock);
    }
    return { locks, versions: true };
  }
  if (await hasFunction(context, "pkg.list_holds")) {
    for (const text of await context.call("pkg.list_holds", [], { full: true }) as string[]) {
      const [, name, epoch, version] = /^(.+)-(\d+):(.*)\.\*/.exec(text) ?? [];
      if (name === undefined) locks.set(text, {});
      else locks.set(name, { version: `${epoch === "0" ? "" : `${epoch}:`}${version}` });
    }
    return { locks, versions: false };
  }
  if (!await hasFunction(context, "pkg.get_selections")) return undefined;
  const found = await context.call("pkg.get_selections", [], { state: "hold" });
  for (const name of (entry(found, "hold") as string[] | undefined) ?? []) locks.set(name, {});
  return { locks, versions: false };
}

const NO_LIST = "No any function to get the list of held packages available.\n" +
  "Check if the package manager supports package locking.";

function itemOf(item: unknown): { name: string; version: string | null } {
  if (!isMap(item)) return { name: str(item), version: null };
  const [name, version] = entriesOf(item)[0]!;
  return { name: str(name), version: version === null ? null : str(version) };
}

const lockVersion = (lock: Lock | undefined): string | null => lock?.version?.replace(/^[= ]+/, "") ?? null;
const withVersion = (version: string | null) => version === null || version === "" ? "" : ` (version = ${version})`;

/** Collects the return of a state that holds or lets go of packages. */
class Holding {
  readonly context: StateContext;
  readonly name: unknown;
  readonly comments: string[] = [];
  readonly changes: Record<string, unknown> = {};
  result = true;

  constructor(context: StateContext, name: unknown) {
    this.context = context;
    this.name = name;
  }

  async act(fun: "hold" | "unhold", pkg: unknown, name: string): Promise<{ done: boolean; all: PackageKeyword }> {
    const all = await this.context.call(`pkg.${fun}`, [], { name: this.name, pkgs: [pkg] }) as PackageKeyword;
    return { done: truthy(entry(entry(all, name), "result")), all };
  }

  async release(name: string): Promise<void> {
    const { done, all } = await this.act("unhold", name, name);
    if (!done) this.result = false;
    const comment = entry(entry(all, name), "comment");
    if (truthy(comment)) this.comments.push(str(comment));
    Object.assign(this.changes, all);
  }

  async hold(item: unknown, name: string, held: boolean): Promise<void> {
    const released = held && (await this.act("unhold", name, name)).done;
    const { done, all } = await this.act("hold", item, name);
    if (!done) this.result = false;
    this.comments.push(
      released && done
        ? `Package ${name} was updated with hold rule`
        : `Package ${name} ${done ? "is now being" : "was not"} held`,
    );
    Object.assign(this.changes, all);
  }

  get ret(): StateReturn {
    const comment = this.comments.join("\n");
    const nothing = Object.keys(this.changes).length === 0 && comment === "";
    return outcome(this.name, this.result, nothing ? "No changes made" : comment, this.changes);
  }
}

export async function held(context: StateContext, args: Args): Promise<StateReturn> {
  const { name, version, replace } = args;
  if (isEmptyList(args.pkgs) && !truthy(replace)) return outcome(name, true, "No packages to be held provided");
  const pkgs = args.pkgs ?? [truthy(version) ? { [str(name)]: version } : name];
  const found = await locksOf(context);
  if (found === undefined) return outcome(name, false, NO_LIST);
  if (!await hasFunction(context, "pkg.hold")) {
    return outcome(name, false, "`hold` function is not implemented for the package manager.");
  }
  const { locks, versions } = found;
  const holding = new Holding(context, name);
  const wanted = new Set<string>();
  for (const item of pkgs as unknown[]) {
    const { name: pkg, version: of } = itemOf(item);
    wanted.add(pkg);
    const there = locks.has(pkg);
    if (there && !(versions && lockVersion(locks.get(pkg)) !== of)) continue;
    if (context.test) {
      const would = there ? "package's hold rule would be updated" : "package would be held";
      holding.comments.push(`The following ${would}: ${pkg}${withVersion(of)}`);
    } else await holding.hold(item, pkg, there);
  }
  for (const [pkg, { type = "package" }] of truthy(replace) ? locks : []) {
    if (type !== "package" || wanted.has(pkg)) continue;
    if (context.test) holding.comments.push(`The following package would be unheld: ${pkg}`);
    else await holding.release(pkg);
  }
  return holding.ret;
}

export const unheld = stateFunction({
  signature: "name, version=None, pkgs=None, all: bool=False, **kwargs",
  doc: "The packages, or all, may be upgraded.",
  async run(context, args) {
    const { name, version } = args;
    const all = args.all;
    if (isEmptyList(args.pkgs) && !all) return outcome(name, true, "No packages to be unheld provided");
    const found = await locksOf(context);
    if (found === undefined) return outcome(name, false, NO_LIST);
    const { locks, versions } = found;
    const wanted = new Map(
      ((args.pkgs ?? [{ [str(name)]: version }]) as unknown[]).map(itemOf).map((item) => [item.name, item.version]),
    );
    const holding = new Holding(context, name);
    for (const [pkg, lock] of locks) {
      if ((lock.type ?? "package") !== "package") continue;
      const of = versions ? lockVersion(lock) : null;
      if (!all && !(wanted.has(pkg) && (of === null || of === "" || of === wanted.get(pkg)))) continue;
      if (context.test) {
        const said = truthy(wanted.get(pkg)) ? ` (version = ${of ?? "None"})` : "";
        holding.comments.push(`The following package would be unheld: ${pkg}${said}`);
      } else await holding.release(pkg);
    }
    return holding.ret;
  },
});
