import { CommandExecutionError, CommandNotFoundError, type JobContext } from "../../../model/loader/family.ts";
import { joinPath } from "../../../base/paths.ts";
import { proxyAddress } from "../../../protocol/transport/proxy.ts";
import { proxyOf } from "../../../model/loader/proxies.ts";
import { type Args, entriesOf, isMap, str, truthy } from "../../../language/python/values.ts";
import { type CommandOutcome, programPath, runAll } from "../../commands.ts";
import { isDirectory, isFile, lookAt } from "../../linux/paths.ts";

const executable = (context: JobContext, path: string): boolean =>
  isFile(context.runtime.fs, path) && (lookAt(context.runtime.fs, path)!.mode & 0o111) !== 0;

/** The words that start pip: of a virtual environment, of a program, or of the host's Python. */
export function pipWords(context: JobContext, env: unknown): string[] {
  const { fs } = context.runtime;
  if (!truthy(env)) {
    const python = ["python3", "python"].find((name) => programPath(context, name) !== undefined);
    if (python === undefined) throw new CommandNotFoundError("Could not find a `pip` binary");
    return [python, "-m", "pip"];
  }
  const path = str(env);
  if (isDirectory(fs, path)) {
    const python = ["python", "bin/python"].map((name) => joinPath(path, name)).find((one) => executable(context, one));
    if (python === undefined) throw new CommandNotFoundError(`Could not find a pip binary in virtualenv ${path}`);
    return [python, "-m", "pip"];
  }
  if (!executable(context, path)) {
    throw new CommandNotFoundError(`Access denied to ${path}, could not find a pip binary`);
  }
  return path.slice(path.lastIndexOf("/") + 1).includes("python") ? [path, "-m", "pip"] : [path];
}

/**
 * The minion's proxy, unless the call has its own (`--proxy`) or says that it wants none (False). A variable, since other users of the
 * host can read the words of a program, and the address may hold a password.
 */
function proxyVariable(context: JobContext, { proxy }: Args): Record<string, string> {
  const own = truthy(proxy) || proxy === false ? undefined : proxyOf(context.opts);
  return own === undefined ? {} : { PIP_PROXY: proxyAddress(own) };
}

/** Variables as a command takes them. */
function variables(context: JobContext, args: Args): Record<string, string> {
  const { bin_env: env, env_vars: given } = args;
  if (truthy(given) && !isMap(given)) throw new CommandExecutionError(`env_vars ${str(given)} is not a dictionary`);
  const own = isMap(given) ? entriesOf(given).map(([name, value]) => [str(name), str(value)]) : [];
  const virtual = truthy(env) && isDirectory(context.runtime.fs, str(env)) ? { VIRTUAL_ENV: str(env) } : {};
  return { ...proxyVariable(context, args), ...virtual, ...Object.fromEntries(own) };
}

/** Runs pip. @param args `{bin_env, user, cwd, env_vars}` */
export async function callPip(
  context: JobContext,
  words: string[],
  args: Args,
  more: Args = {},
): Promise<CommandOutcome> {
  return await runAll(context, [...pipWords(context, args.bin_env), ...words], {
    runas: args.user ?? null,
    cwd: args.cwd ?? null,
    env: variables(context, args),
    ...more,
  });
}

/** What pip prints, or an error with what it says. */
export async function askPip(context: JobContext, words: string[], args: Args): Promise<string> {
  const result = await callPip(context, words, args);
  if (result.retcode !== 0) throw new CommandExecutionError(result.stderr, { info: result });
  return result.stdout;
}
