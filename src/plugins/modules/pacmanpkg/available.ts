/** Which versions there are, and groups. */
import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { splitLines, splitWords } from "../../../language/python/text.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { looseCompare } from "../../packages/versions.ts";
import { availableVersions } from "../../packages/shared_functions.ts";
import { askPacman, pacmanRootWords, pairs } from "./program.ts";

/** The version that an installation would bring; empty for none that is newer. */
export async function pacmanNewest(
  context: JobContext,
  names: string[],
  { root }: Args,
): Promise<Record<string, string>> {
  const words = ["-Sp", "--needed", "--print-format", "%n %v", ...names, ...pacmanRootWords(root)];
  const listed = new Map(pairs((await askPacman(context, words)).stdout));
  return Object.fromEntries(names.map((name) => [name, listed.get(name) ?? ""]));
}

export async function pacmanUpgrades(context: JobContext, root: unknown): Promise<Record<string, string>> {
  const { retcode, stdout, stderr } = await askPacman(context, [
    "-S",
    "-p",
    "-u",
    "--print-format",
    "%n %v",
    ...pacmanRootWords(root),
  ]);
  if (retcode !== 0) {
    const said = stderr + stdout;
    throw new CommandExecutionError(`Error listing upgrades${said === "" ? "" : `: ${said}`}`);
  }
  return Object.fromEntries(pairs(stdout).filter(([, version]) => !version.includes(".db")));
}

/** The available versions of packages, newest first; by repository with `byrepo`. */
export async function pacmanRepoPackages(
  context: JobContext,
  patterns: string[],
  kwargs: Args,
): Promise<Record<string, unknown>> {
  const repos = truthy(kwargs.fromrepo) ? str(kwargs.fromrepo).split(",").map((one) => one.trim()) : undefined;
  const found = splitLines((await askPacman(context, ["-Sl"])).stdout).flatMap((line) => {
    const [repo, name, version] = splitWords(line);
    const isListed = repo !== undefined && name !== undefined && version !== undefined;
    return isListed && repos?.includes(repo) !== false ? [{ repo, name, version }] : [];
  });
  return availableVersions(found, patterns, kwargs.byrepo, looseCompare);
}

/** Group → packages. */
async function groups(context: JobContext, words: string[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const [group, name] of pairs((await askPacman(context, words)).stdout)) {
    found.set(group, [...found.get(group) ?? [], name]);
  }
  return found;
}

export async function groupList(context: JobContext): Promise<Record<string, string[]>> {
  const available = await groups(context, ["-Sgg"]);
  const there = [...await groups(context, ["-Qg"])].filter(([name]) => available.has(name));
  const whole = there.filter(([name, list]) => list.length === available.get(name)!.length).map(([name]) => name);
  const part = there.map(([name]) => name).filter((name) => !whole.includes(name));
  const none = [...available.keys()].filter((name) => !whole.includes(name) && !part.includes(name));
  return { installed: whole.sort(), partially_installed: part.sort(), available: none.sort() };
}

export async function groupInfo(context: JobContext, name: string): Promise<Record<string, string[]>> {
  const found = (await groups(context, ["-Sgg", name])).get(name) ?? [];
  return { mandatory: [], optional: [], default: [...new Set(found)].sort(), conditional: [] };
}
