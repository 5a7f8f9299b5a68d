/** Packages that keep their version: zypper's locks. */
import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { type Args, entriesOf, isMap, str, truthy } from "../../../language/python/values.ts";
import { compilePattern } from "../../../language/python/regexp.ts";
import { isFile } from "../../linux/paths.ts";
import { infoInstalled } from "../../packages/rpm/installed.ts";
import { elementsOf } from "../../xml.ts";
import { below } from "./installed.ts";
import { askZypper, callZypper } from "./program.ts";
import { zypperSearch } from "./search.ts";

const fileOf = (root: unknown): string => below(root, "/etc/zypp/locks");

/** `pkg.list_locks`: name → what else zypper's file says of it. */
export function listLocks({ runtime: { fs } }: JobContext, root: unknown): Record<string, Record<string, string>> {
  if (!isFile(fs, fileOf(root))) return {};
  const found: Record<string, Record<string, string>> = {};
  for (const part of fs.readText(fileOf(root)).split("\n\n")) {
    const pairs = part.split("\n").filter((line) => line.includes(":")).map((line): [string, string] => {
      const at = line.indexOf(":");
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    });
    const { solvable_name: name = "", ...lock } = Object.fromEntries(pairs);
    if (name !== "") found[name] = lock;
  }
  return found;
}

/** `pkg.clean_locks`: how many there were too many. */
export async function cleanLocks(context: JobContext, root: unknown): Promise<{ removed: string | number }> {
  if (!isFile(context.runtime.fs, fileOf(root))) return { removed: 0 };
  const said = elementsOf(await askZypper(context, ["cl"], { root }), "message").map(({ text }) =>
    (text ?? "").toLowerCase()
  );
  return { removed: said.find((text) => text.startsWith("removed"))?.split(" ")[1] ?? 0 };
}

/** The installed packages that locks are for, each with its versions. */
async function locked(context: JobContext, root: unknown): Promise<Map<string, Args[]>> {
  const found = new Map<string, Args[]>();
  for (const [name, lock] of Object.entries(listLocks(context, root))) {
    if ((lock.type ?? "package") !== "package") continue;
    let names: string[];
    try {
      const match = name.includes("*") ? null : "exact";
      const how = { match, case_sensitive: true, installed_only: true, details: true };
      names = Object.keys(await zypperSearch(context, name, { root, ...how }));
    } catch (error) {
      if (error instanceof CommandExecutionError) continue;
      throw error;
    }
    for (const one of names.filter((each) => !found.has(each))) {
      const info = await infoInstalled(context, [one], { root, attr: "edition,epoch", all_versions: true });
      for (const [each, versions] of Object.entries(info)) found.set(each, versions as Args[]);
    }
  }
  return found;
}

export async function heldPackages(context: JobContext, { pattern, full, root }: Args): Promise<string[]> {
  const found = new Set<string>();
  for (const [name, versions] of await locked(context, root)) {
    for (const { epoch = 0, edition } of versions) {
      found.add(truthy(full) ? `${name}-${str(epoch)}:${str(edition ?? null)}.*` : name);
    }
  }
  const fits = truthy(pattern) ? compilePattern(`${str(pattern)}-\\S+`) : undefined;
  return [...found].filter((one) => fits === undefined || fits(one));
}

interface Hold {
  name: string;
  changes: Args;
  result: boolean;
  comment: string;
}

/** `pkg.hold` and `pkg.unhold`: what became of each package. */
export async function addLocks(
  context: JobContext,
  { name, pkgs, root }: Args,
  wanted: boolean,
): Promise<Record<string, Hold>> {
  if (!truthy(name) && !truthy(pkgs)) throw new CommandExecutionError("Name or packages must be specified.");
  const given = truthy(pkgs) ? pkgs : [name];
  const targets = isMap(given) ? entriesOf(given).map(([key]) => key) : given as unknown[];
  const locks = listLocks(context, root);
  const found: Record<string, Hold> = {};
  const words: string[] = [];
  for (const target of targets) {
    const [package_, version] = (isMap(target) ? entriesOf(target)[0]! : [target, null]).map((one) =>
      truthy(one) ? str(one) : ""
    ) as [string, string];
    const lock = locks[package_];
    const outcome = (result: boolean, comment: string, changes: Args = {}) =>
      found[package_] = { name: package_, changes, result, comment };
    if (wanted && lock !== undefined) outcome(true, `Package ${package_} is already set to be held.`);
    else if (wanted) {
      words.push(version === "" ? package_ : `${package_}=${version}`);
      outcome(true, `Package ${package_} is now being held.`, { new: "hold", old: "" });
    } else if (lock === undefined) outcome(true, `Package ${package_} was already unheld.`);
    else {
      const held = lock.version?.replace(/^[= ]+/, "") ?? "";
      if (version !== "" && held !== version) {
        outcome(false, `Unable to unhold package ${package_} as it is held with the other version.`);
        continue;
      }
      words.push(held === "" ? package_ : `${package_}=${held}`);
      outcome(true, `Package ${package_} is no longer held.`, { new: "", old: "hold" });
    }
  }
  if (words.length > 0) await callZypper(context, [wanted ? "al" : "rl", ...words], { root });
  return found;
}
