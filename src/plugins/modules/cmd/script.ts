import { messageOf } from "../../../base/errors.ts";
import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { str } from "../../../language/python/values.ts";
import { findAccount } from "../../../runtime/accounts.ts";
import type { CommandOptions } from "./options.ts";
import { type CommandResult, runCommand } from "./run.ts";
import { shellWords } from "../../linux/words.ts";
import { type FileTemplate, renderedOrLogged } from "../../templates.ts";
import { temporaryPath } from "../../host_files.ts";

/** A script that could not be fetched. Salt's return code for it is 0; only the map shows the failure. */
type ScriptResult = CommandResult & { cache_error?: true };

/** Creates a private file with an unguessable name, passes its path to `use`, and removes it. */
async function withFile<T>(
  context: JobContext,
  content: Uint8Array | string,
  options: { suffix?: string; mode: number; owner?: string | undefined },
  use: (path: string) => Promise<T>,
): Promise<T> {
  const { fs } = context.runtime;
  const path = temporaryPath(context.runtime, options.suffix);
  fs.write(path, content, { how: "create", mode: options.mode });
  try {
    const account = options.owner === undefined ? undefined : findAccount(context.runtime, options.owner);
    if (account !== undefined) fs.chown(path, account.uid, account.gid);
    return await use(path);
  } finally {
    fs.remove(path);
  }
}

/**
 * The content of a script; undefined, with the reason in the log, if it cannot be fetched.
 *
 * @throws {CommandExecutionError} for a relative path
 */
async function sourceOf(
  context: JobContext,
  source: string,
  saltenv: string | undefined,
  template: FileTemplate | undefined,
): Promise<Uint8Array | undefined> {
  if (!/^(?:\/|[a-z][\w+.-]*:)/i.test(source)) throw new CommandExecutionError(`Path '${source}' is not absolute`);
  try {
    if (template !== undefined) {
      const path = await context.files.fetchUrl(source, "", { saltenv });
      return path === undefined ? undefined : await renderedOrLogged(context, path, template);
    }
    const content = await context.files.read(source, { saltenv });
    if (content === undefined) context.log.error("script cannot be cached: it does not exist", { source, saltenv });
    return content;
  } catch (error) {
    context.log.error("script cannot be cached", { source, error: messageOf(error) });
    return undefined;
  }
}

/** Runs a copy of a script with further words. */
export async function runScript(
  context: JobContext,
  source: string,
  args: unknown,
  options: CommandOptions,
  saltenv?: string,
  template?: FileTemplate,
): Promise<ScriptResult> {
  const content = await sourceOf(context, source, saltenv, template);
  if (content === undefined) return { pid: 0, retcode: 1, stdout: "", stderr: "", cache_error: true };
  const extension = /\.[A-Za-z0-9_]{1,10}$/.exec(source.replace(/\?.*$/s, ""))?.[0] ?? "";
  return await withFile(context, content, { suffix: extension, mode: 0o500, owner: options.runas }, async (path) => {
    const words = args === null || args === undefined ? "" : Array.isArray(args) ? args : str(args);
    const command = options.shell === undefined
      ? [path, ...(Array.isArray(words) ? words.map(str) : wordsOf(words))]
      : [path, ...(Array.isArray(words) ? words.map(str) : words === "" ? [] : [words])].join(" ");
    // As in Salt, globs of commands do not reach a script: its path is a temporary one.
    return await runCommand(context, command, { ...options, ofJob: false });
  });
}

function wordsOf(text: string): string[] {
  try {
    return shellWords(text);
  } catch (error) {
    throw new SaltInvocationError(messageOf(error));
  }
}

/** Runs a program on a file that holds `code`. `lang` may carry options of the program. */
export async function runCode(
  context: JobContext,
  lang: unknown,
  code: unknown,
  args: unknown,
  options: CommandOptions,
): Promise<CommandResult> {
  const program = Array.isArray(lang) ? lang.map(str) : wordsOf(str(lang));
  const text = Array.isArray(code) ? code.map(str).join("\n") : str(code);
  const further = args === null || args === undefined ? [] : Array.isArray(args) ? args.map(str) : wordsOf(str(args));
  return await withFile(context, text, { mode: 0o400, owner: options.runas }, async (path) => {
    return await runCommand(context, [...program, path, ...further], { ...options, shell: undefined });
  });
}
