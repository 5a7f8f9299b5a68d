import type { JobContext } from "../../../model/loader/family.ts";
import { splitLines, splitWords } from "../../../language/python/text.ts";
import { str, truthy } from "../../../language/python/values.ts";
import { type CommandOutcome, runAll, scopeWords } from "../../commands.ts";
import { type PackageList, sortPkglist } from "../../packages/lists.ts";
import type { PackageFiles } from "../../packages/shared_functions.ts";

export const pacmanRootWords = (root: unknown): string[] => truthy(root) ? ["-r", str(root)] : [];

/** Asks pacman; its return code is not that of the job. */
export async function askPacman(context: JobContext, words: string[]): Promise<CommandOutcome> {
  return await runAll(context, ["pacman", ...words], { ignore_retcode: true, env: { LANG: "C", LC_ALL: "C" } });
}

/** Has pacman change something; in a scope of its own under systemd, which would end it with the minion otherwise. */
export async function act(context: JobContext, words: string[]): Promise<CommandOutcome> {
  return await runAll(context, [...scopeWords(context), "pacman", ...words], {
    env: { LANG: "C", LC_ALL: "C" },
  });
}

/** The first two words of each line. */
export function pairs(text: string): [string, string][] {
  return splitLines(text).flatMap((line): [string, string][] => {
    const [one, other] = splitWords(line);
    return one === undefined || other === undefined ? [] : [[one, other]];
  });
}

/** The files of packages, by package; and what pacman says of those that it does not know. */
export async function pacmanFiles(context: JobContext, names: string[]): Promise<PackageFiles> {
  const { stdout, stderr } = await askPacman(context, ["-Ql", ...names]);
  const packages: Record<string, string[]> = {};
  for (const line of splitLines(stdout)) {
    const at = line.indexOf(" ");
    if (at > 0) (packages[line.slice(0, at)] ??= []).push(line.slice(at + 1));
  }
  return { errors: splitLines(stderr).filter((line) => line.startsWith("error")), packages };
}

export async function pacmanInstalled(context: JobContext, root: unknown = null): Promise<PackageList> {
  const found: PackageList = {};
  for (const [name, version] of pairs((await askPacman(context, ["-Q", ...pacmanRootWords(root)])).stdout)) {
    (found[name] ??= []).push(version);
  }
  return sortPkglist(found);
}
