import { fnmatch } from "../../../model/event/tag.ts";
import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { str } from "../../../language/python/values.ts";

/** The globs of an option, where `config.get` finds it. @throws {CommandExecutionError} if they cannot be read: nothing runs then */
async function globsOf(context: JobContext, option: string): Promise<string[]> {
  const value = await context.call("config.get", [option, null]);
  if (value === null || value === undefined || value === "") return [];
  const globs = [value].flat();
  if (globs.every((glob) => typeof glob === "string")) return globs;
  throw new CommandExecutionError(`Cannot use ${option}: expected a list of globs, got ${JSON.stringify(value)}`);
}

/**
 * Refuses a command of a job that `cmd_blacklist_glob` matches, or that `cmd_whitelist_glob` does not. As in Salt, commands that states and
 * other functions run are not checked: a whitelist would keep every package manager from working.
 *
 * @param command its text, or its words
 * @throws {CommandExecutionError} in Salt's words
 * @see salt/modules/cmdmod.py _check_avail
 */
export async function checkPermitted(context: JobContext, command: unknown): Promise<void> {
  const text = Array.isArray(command) ? command.map(str).join(" ") : str(command);
  const matches = (globs: string[]) => globs.some((glob) => fnmatch(glob)(text));
  const allowed = await globsOf(context, "cmd_whitelist_glob");
  if (!matches(await globsOf(context, "cmd_blacklist_glob")) && (allowed.length === 0 || matches(allowed))) return;
  throw new CommandExecutionError(`The shell command "${str(command)}" is not permitted`);
}
