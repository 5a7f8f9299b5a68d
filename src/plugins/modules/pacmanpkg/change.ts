/** What changes packages: `pkg.install`, `remove`, `purge`, `upgrade`, `refresh_db`. */
import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { compileGlob } from "../../../language/python/glob.ts";
import { type Args, isTrue, type KeywordArgs, truthy } from "../../../language/python/values.ts";
import { splitLines, splitWords } from "../../../language/python/text.ts";
import { clearRefreshTag, stringify } from "../../packages/lists.ts";
import { changing } from "../../packages/shared_functions.ts";
import { parseTargets, type WantedPackage } from "../../packages/targets.ts";
import { splitComparison } from "../../packages/versions.ts";
import { pacmanRepoPackages } from "./available.ts";
import { act, askPacman, pacmanInstalled, pacmanRootWords } from "./program.ts";

const QUIETLY = ["--noprogressbar", "--noconfirm"];

/** The lists of packages: true for one that is new. */
export async function pacmanRefresh(context: JobContext, root: unknown = null): Promise<Record<string, boolean>> {
  clearRefreshTag(context);
  const { retcode, stdout, stderr } = await askPacman(context, ["-Sy", ...pacmanRootWords(root)]);
  if (retcode !== 0) throw new CommandExecutionError(`Error refreshing package database: ${stderr}`);
  const found: Record<string, boolean> = {};
  for (const line of splitLines(stdout)) {
    const words = splitWords(line);
    if (line.trim().startsWith("::") || words.length === 0) continue;
    if (line.includes("is up to date")) found[words[0]!] = false;
    // Older releases name a file, newer ones the repository.
    else if (words[0] === "downloading") found[words[1]!.split(".")[0]!] = true;
    else if (words[1]?.startsWith("downloading") === true) found[words[0]!] = true;
  }
  return found;
}

/** What pacman is asked for, `a`, `a=1.0`, `a>=1.0`; and what cannot be had. */
async function targetsOf(context: JobContext, wanted: WantedPackage): Promise<{ targets: string[]; errors: string[] }> {
  const targets: string[] = [];
  const errors: string[] = [];
  for (const [name, version] of wanted) {
    const [sign, text] = splitComparison(version ?? "");
    const operator = sign === "" || sign === "==" ? "=" : sign;
    if (version === null) targets.push(name);
    else if (!text.includes("*")) targets.push(`${name}${operator}${text}`);
    else if (operator !== "=") errors.push(`Invalid wildcard for ${name}${operator}${text}`);
    else {
      const candidates = (await pacmanRepoPackages(context, [name], {}))[name] as string[] | undefined ?? [];
      const found = candidates.find(compileGlob(text));
      if (found !== undefined) targets.push(`${name}=${found}`);
      else {
        const listed = candidates.length === 0 ? "none" : candidates.join(", ");
        errors.push(`No version matching '${text}' found for package '${name}' (available: ${listed})`);
      }
    }
  }
  return { targets, errors };
}

/** Has pacman do it; the packages that changed. */
const change = (context: JobContext, words: string[], root: unknown, failed: string): Promise<unknown> =>
  changing(
    async () => stringify(await pacmanInstalled(context, root)),
    () => act(context, [...words, ...pacmanRootWords(root)]),
    failed,
  );

export async function pacmanInstall(context: JobContext, args: KeywordArgs): Promise<unknown> {
  const { version = null, root = null, saltenv = "base", downloadonly = false } = args.kwargs;
  const { name, pkgs, sources } = args;
  const found = await parseTargets(context, { name, pkgs, sources, version, saltenv });
  if (found === undefined || found.kind === "advisory") return {};
  const failed = "Problem encountered installing package(s)";
  if (found.kind === "file") return await change(context, ["-U", ...QUIETLY, ...found.paths], root, failed);
  if (isTrue(args.refresh)) await pacmanRefresh(context, root);
  const { targets, errors } = await targetsOf(context, found.wanted);
  if (errors.length > 0) throw new CommandExecutionError(failed, { info: { errors, changes: {} } });
  const upgrading = args.sysupgrade === true ? ["-u"] : [];
  const needed = [
    ...(truthy(downloadonly) ? ["-w"] : []),
    ...QUIETLY,
    ...(isTrue(args.reinstall) ? [] : ["--needed"]),
  ];
  return await change(context, ["-S", ...upgrading, ...needed, ...targets], root, failed);
}

/** @param words `-R`, or `-Rsc` for what belongs to the packages too */
export async function pacmanRemove(context: JobContext, { name, pkgs, kwargs }: Args, words: string): Promise<unknown> {
  const { root = null } = kwargs as Args;
  const found = await parseTargets(context, { name, pkgs });
  const there = await pacmanInstalled(context, root);
  const targets = found?.kind === "repository"
    ? [...found.wanted.keys()].filter((one) => there[one] !== undefined)
    : [];
  if (targets.length === 0) return {};
  return await change(context, [words, ...QUIETLY, ...targets], root, "Problem encountered removing package(s)");
}

export async function pacmanUpgrade(context: JobContext, { refresh: asked, root }: Args): Promise<unknown> {
  if (isTrue(asked)) await pacmanRefresh(context, root);
  return await change(context, ["-Su", ...QUIETLY], root, "Problem encountered upgrading packages");
}
