/** dnf, or yum where there is only that. */
import { type Args, listOf, str, truthy } from "../../../language/python/values.ts";
import { CommandNotFoundError, type Context, type JobContext } from "../../../model/loader/family.ts";
import { splitLines } from "../../../language/python/text.ts";
import { type CommandOutcome, programPath, runAll, scopeWords } from "../../commands.ts";
import { hostArch, resolveName } from "../../packages/rpm/names.ts";
import type { Available } from "../../packages/shared_functions.ts";

const PROGRAMS = ["dnf5", "dnf", "tdnf", "yum"];

export const yumProgram = (context: Pick<Context, "runtime">): string | undefined =>
  PROGRAMS.find((name) => programPath(context, name) !== undefined);

export function needYum(context: Pick<Context, "runtime">): string {
  const name = yumProgram(context);
  if (name === undefined) throw new CommandNotFoundError("There is neither dnf nor yum in $PATH");
  return name;
}

export const isDnf = (context: Pick<Context, "runtime">): boolean => ["dnf", "dnf5"].includes(needYum(context));

/** Runs it; in a scope of its own under systemd, which would end it with the minion otherwise. */
export async function callYum(context: JobContext, words: string[], options: Args = {}): Promise<CommandOutcome> {
  return await runAll(context, [...scopeWords(context), needYum(context), ...words], options);
}

/**
 * The words for what functions are asked about repositories.
 *
 * @param extra also those for arguments that no function knows: `best: True` is `--best`
 */
export function yumOptionWords(kwargs: Args, extra = false): string[] {
  const { fromrepo, repo, disablerepo, enablerepo, disableexcludes, branch, setopt, ...others } = kwargs;
  const from = truthy(fromrepo) ? fromrepo : repo;
  const words = truthy(from) ? ["--disablerepo=*", `--enablerepo=${str(from)}`] : [
    ...(truthy(disablerepo) ? listOf(disablerepo).map(str).map((one) => `--disablerepo=${one}`) : []),
    ...(truthy(enablerepo) ? listOf(enablerepo).map(str).map((one) => `--enablerepo=${one}`) : []),
  ];
  if (truthy(disableexcludes)) words.push(`--disableexcludes=${str(disableexcludes)}`);
  if (truthy(branch)) words.push(`--branch=${str(branch)}`);
  const options = Array.isArray(setopt) ? setopt.map(str) : truthy(setopt) ? str(setopt).split(",") : [];
  words.push(...options.map((one) => `--setopt=${one.trim()}`));
  for (const [key, value] of extra ? Object.entries(others).sort(([a], [b]) => a < b ? -1 : 1) : []) {
    if (key.startsWith("__")) continue;
    if (typeof value === "string") words.push(`--${key}=${value}`);
    else if (value === true) words.push(`--${key}`);
  }
  return words;
}

export interface Listed extends Available {
  arch: string;
}

const HEADS = [
  "installed packages",
  "available packages",
  "available upgrades",
  "updated packages",
  "upgraded packages",
];

/** Reads `dnf list`: name with architecture, version and repository, which may go over several lines. */
export function parseList(context: Pick<Context, "grains">, text: string): Listed[] {
  const words = splitLines(text).filter((line) => !HEADS.includes(line.trim().toLowerCase()))
    .flatMap((line) => line.split(/\s+/)).filter((word) => word !== "");
  const found: Listed[] = [];
  for (let at = 0; at + 2 < words.length; at += 3) {
    const [full = "", version = "", repo = ""] = words.slice(at, at + 3);
    const dot = full.lastIndexOf(".");
    const arch = dot < 0 ? hostArch(context) : full.slice(dot + 1);
    found.push({
      name: resolveName(dot < 0 ? full : full.slice(0, dot), arch, hostArch(context)),
      version: version.replace(/-+$/, ""),
      arch,
      repo: repo.replace(/^@+/, ""),
    });
  }
  return found;
}
