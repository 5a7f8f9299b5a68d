import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { splitLines } from "../../../language/python/text.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import type { CommandOutcome } from "../../commands.ts";
import { keywords } from "../../keywords.ts";
import { checkoutDirectory, git } from "./run.ts";

/** Where the configuration is: a repository, or that of the user. */
function placeOf(context: JobContext, args: Args, global: unknown): string | undefined {
  if (args.cwd !== null && args.cwd !== undefined) return checkoutDirectory(context, args);
  if (!truthy(global)) throw new SaltInvocationError("'cwd' argument required unless global=True");
  return undefined;
}

async function ask(context: JobContext, how: string, args: Args, given: Args, regex: unknown): Promise<CommandOutcome> {
  const cwd = placeOf(context, args, given.global);
  const words = [
    "git",
    "config",
    truthy(given.global) ? "--global" : "--local",
    how,
    str(args.key),
    ...(regex === null || regex === undefined ? [] : [str(regex)]),
  ];
  return await git(context, words, args, { cwd, failHard: false });
}

export async function configGet(context: JobContext, args: Args): Promise<unknown> {
  const given = keywords(args.kwargs, "all", "global");
  const { retcode, stdout } = await ask(context, "--get-all", args, given, undefined);
  if (retcode === 1) return null;
  const values = splitLines(stdout);
  return truthy(given.all) ? values : values.at(-1) ?? "";
}

export async function configGetRegexp(context: JobContext, args: Args): Promise<Record<string, string[]>> {
  const given = keywords(args.kwargs, "global");
  const { retcode, stdout } = await ask(context, "--get-regexp", args, given, args.value_regex);
  const found = new Map<string, string[]>();
  if (retcode === 1) return {};
  for (const line of splitLines(stdout)) {
    const [, name, value] = /^\s*(\S+)\s+(.*)$/.exec(line) ?? [];
    if (name !== undefined) found.set(name, [...found.get(name) ?? [], value!]);
  }
  return Object.fromEntries(found);
}

export async function gitConfigSet(context: JobContext, args: Args): Promise<unknown> {
  const given = keywords(args.kwargs, "add", "global");
  const cwd = placeOf(context, args, given.global);
  const { value, multivar, key } = args;
  if (value !== null && multivar !== null) {
    throw new SaltInvocationError("Only one of 'value' and 'multivar' is permitted");
  }
  const set = async (how: string, what: string) => {
    const place = truthy(given.global) ? ["--global"] : [];
    await git(context, ["git", "config", ...place, how, str(key), what], args, { cwd });
  };
  if (value !== null) await set(truthy(given.add) ? "--add" : "--replace-all", str(value));
  else {
    const values = Array.isArray(multivar) ? multivar.map(str) : str(multivar).split(",");
    for (const [at, item] of values.entries()) await set(at === 0 ? "--replace-all" : "--add", item);
  }
  return await configGet(context, { ...args, kwargs: { all: true, global: given.global ?? false } });
}

export async function gitConfigUnset(context: JobContext, args: Args): Promise<true> {
  const given = keywords(args.kwargs, "all", "global");
  const cwd = placeOf(context, args, given.global);
  const words = [
    "git",
    "config",
    truthy(given.all) ? "--unset-all" : "--unset",
    truthy(given.global) ? "--global" : "--local",
    str(args.key),
    ...(args.value_regex === null ? [] : [str(args.value_regex)]),
  ];
  const { retcode, stderr } = await git(context, words, args, { cwd, failHard: false });
  if (retcode === 0) return true;
  throw new CommandExecutionError(await whyNotUnset(context, args, retcode, stderr));
}

async function whyNotUnset(context: JobContext, args: Args, retcode: number, stderr: string): Promise<string> {
  const key = str(args.key);
  if (retcode === 1) return "Section or key is invalid";
  if (retcode === 6) return "The value_regex is invalid";
  if (retcode !== 5) {
    const more = stderr === "" ? "" : `; ${stderr}`;
    return `Failed to unset key '${key}', git config returned exit code ${retcode}${more}`;
  }
  if (await configGet(context, { ...args, kwargs: {} }) === null) return `Key '${key}' does not exist`;
  return `Multiple values exist for key '${key}'` +
    (args.value_regex === null ? "" : " and value_regex matches multiple values");
}
