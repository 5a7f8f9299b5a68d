import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { join } from "../../../language/python/posixpath.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { splitWords as pythonWords } from "../../../language/python/text.ts";
import { type CommandOutcome, runAll } from "../../commands.ts";
import { expandUser, isFile } from "../../linux/paths.ts";
import { shellWords } from "../../linux/words.ts";
import { cachedSource } from "../../sources.ts";

/** How a command of git is run, in addition to the arguments of the function. */
export interface GitRunOptions {
  cwd?: string | undefined;
  /** Both streams are one. @default false */
  redirect?: boolean;
  /** A code that is not 0 is a failure. @default true */
  failHard?: boolean;
}

/** A text without the passwords of the addresses in it. */
export function redactedUrl(text: string): string {
  return text.replace(/(https?):\/\/.*@/g, "$1://<redacted>@");
}

/** The directory that a function works in: below the home directory if it is relative. */
export function checkoutDirectory(context: JobContext, { cwd, user }: Args): string {
  return join(expandUser(context.runtime, truthy(user) ? `~${str(user)}` : "~"), str(cwd));
}

/** Options given as a text or a list. A double dash at the end is taken away: the function sets its own. */
export function gitOptionWords(options: unknown): string[] {
  if (options === null || options === undefined) return [];
  if (Array.isArray(options)) return options.map(str);
  if (typeof options !== "string") return [str(options)];
  const words = shellWords(options);
  return words.at(-1) === "--" ? words.slice(0, -1) : words;
}

export function withCredentials(url: unknown, user: unknown, password: unknown): string {
  const address = str(url);
  if ((user ?? null) === null && (password ?? null) === null) return address;
  const rest = /^https:\/\/(.*)$/s.exec(address)?.[1];
  if (rest === undefined) throw new SaltInvocationError("Basic Auth only supported for HTTPS");
  return `https://${str(user)}${(password ?? null) === null ? "" : `:${str(password)}`}@${rest}`;
}

async function runOnce(
  context: JobContext,
  words: readonly string[],
  args: Args,
  { cwd, redirect = false }: GitRunOptions,
  env: Record<string, string>,
): Promise<CommandOutcome> {
  return await runAll(context, words, {
    cwd: cwd ?? null,
    runas: args.user ?? null,
    env,
    ignore_retcode: args.ignore_retcode ?? false,
    redirect_stderr: redirect,
    output_encoding: args.output_encoding ?? null,
  });
}

/**
 * Runs git, with each identity until one is let in.
 *
 * @throws {CommandExecutionError} if it fails, in Salt's words and without passwords
 */
export async function git(
  context: JobContext,
  words: readonly string[],
  args: Args = {},
  options: GitRunOptions = {},
): Promise<CommandOutcome> {
  const complaint = (outcome: CommandOutcome) => redactedUrl(options.redirect ? outcome.stdout : outcome.stderr);
  if (!truthy(args.identity)) {
    const outcome = await runOnce(context, words, args, options, {});
    if (outcome.retcode === 0 || options.failHard === false) return outcome;
    const why = complaint(outcome);
    throw new CommandExecutionError(`Command '${redactedUrl(words.join(" "))}' failed${why === "" ? "" : `: ${why}`}`);
  }
  const errors: string[] = [];
  const missing: string[] = [];
  for (const identity of [args.identity].flat().map(str)) {
    const file = identity.includes("salt://") ? await cachedSource(context, identity, args) : identity;
    if (file === undefined || !isFile(context.runtime.fs, file)) {
      missing.push(identity);
      continue;
    }
    const outcome = await runOnce(context, words, args, options, { GIT_SSH_COMMAND: sshCommand(file) });
    if (outcome.retcode === 0) return outcome;
    errors.push(complaint(outcome));
  }
  const notFound = missing.length === 0 ? "" : `The following identity file(s) were not found: ${missing.join(", ")}`;
  throw new CommandExecutionError(
    `Unable to authenticate using identity file:\n\n${errors.join("\n")}` +
      (errors.length > 0 && notFound !== "" ? "\n\n" : "") + notFound,
  );
}

/** No questions can be answered: an unknown host key is accepted, a changed one is refused. */
function sshCommand(identity: string): string {
  const options = ["BatchMode=yes", "StrictHostKeyChecking=accept-new", "ControlPath=none"];
  const quoted = `'${identity.replaceAll("'", `'\\''`)}'`;
  return `ssh ${options.map((option) => `-o ${option}`).join(" ")} -i ${quoted}`;
}

/** The first words of a command: git, options of git itself, and those that follow. */
export function gitCommand(args: Args, ...words: string[]): string[] {
  return ["git", ...gitOptionWords(args.git_opts), ...words];
}

export async function gitVersionOf(context: JobContext): Promise<string> {
  const { stdout } = await git(context, ["git", "--version"]);
  return pythonWords(stdout.split("(")[0]!.split(".windows")[0]!).at(-1) ?? "unknown";
}

/** Runs a command in the directory of its function. @returns its output */
export async function gitOutput(
  context: JobContext,
  args: Args,
  words: string[],
  options: GitRunOptions = {},
): Promise<string> {
  return (await git(context, words, args, { cwd: checkoutDirectory(context, args), ...options })).stdout;
}
