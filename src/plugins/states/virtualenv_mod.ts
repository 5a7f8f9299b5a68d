import { joinPath } from "../../base/paths.ts";
import { CommandExecutionError, CommandNotFoundError } from "../../model/loader/family.ts";
import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { outcome, stateFunction } from "../../model/loader/states.ts";
import { dirname } from "../../language/python/posixpath.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import type { CommandOutcome } from "../commands.ts";
import { absolutePath, exists } from "../linux/paths.ts";
import { comparePep440 } from "../packages/pep440.ts";
import { fails, messageFor } from "./outcome.ts";

/** A file of requirements of the master's, in the cache; undefined if there is none. */
async function cached(context: StateContext, url: string): Promise<string | undefined> {
  const ask = async (fun: string, place: unknown) => await context.call(fun, [place, context.saltenv]);
  let path = await ask("cp.is_cached", url);
  if (!truthy(path)) path = await ask("cp.cache_file", url);
  if (truthy(path)) {
    const [now, then] = [await ask("cp.hash_file", url), await ask("cp.hash_file", path)];
    if (JSON.stringify(now) !== JSON.stringify(then)) path = await ask("cp.cache_file", url);
  }
  return truthy(path) ? str(path) : undefined;
}

/** What the Python of an environment says of its version on its standard error. */
const pythonSays = async (context: StateContext, python: string): Promise<string> =>
  str(await context.call("cmd.run_stderr", [`${python} -V`])).replace(/^\n+|\n+$/g, "");

function foreseen(name: unknown, there: boolean, clear: boolean, changes: Record<string, unknown>): StateReturn {
  const doing = `Virtualenv ${str(name)} is`;
  if (there && !clear) return outcome(name, true, `${doing} already created`);
  return outcome(name, null, `${doing} set to be ${there ? "cleared" : "created"}`, changes);
}

/** Options of pip that only some releases have. */
const LIMITS = [
  { option: "use_wheel", from: "1.4", to: "9.0.3" },
  { option: "no_use_wheel", from: "1.4", to: "9.0.3" },
  { option: "no_binary", from: "7.0.0" },
] as const;

/** What is wrong with the options for this pip. */
async function unsupported(context: StateContext, args: Args): Promise<string | undefined> {
  for (const limit of LIMITS.filter(({ option }) => truthy(args[option]))) {
    const version = str(await context.call("pip.version", [], { bin_env: args.name }));
    const high = "to" in limit && (comparePep440(version, limit.to) ?? 0) > 0;
    if ((comparePep440(version, limit.from) ?? 0) >= 0 && !high) continue;
    const range = "to" in limit ? `between ${limit.from} and ${limit.to}` : `${limit.from} and newer`;
    return `The '${limit.option}' option is only supported in pip ${range}. The version of pip detected was ${version}.`;
  }
  return undefined;
}

async function frozen(context: StateContext, options: Record<string, unknown>): Promise<string[]> {
  return [...new Set((await context.call("pip.freeze", [], options) as unknown[]).map(str))];
}

/** Installs what is asked for, into a return. */
async function installPackages(context: StateContext, args: Args, ret: StateReturn): Promise<void> {
  const { name, user, use_vt, requirements } = args;
  let before: string[];
  try {
    before = await frozen(context, { bin_env: name, user, use_vt });
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    Object.assign(ret, { result: false, comment: error.message });
    return;
  }
  const first = Array.isArray(requirements) ? str(requirements[0]) : str(requirements ?? "").split(",")[0]!;
  const whole = absolutePath(context.runtime, first);
  const cwd = truthy(requirements) && first !== whole ? dirname(whole) : args.cwd;
  const { index_url, extra_index_url, pre_releases, no_deps, proxy, env_vars, process_dependency_links } = args;
  const { use_wheel, no_use_wheel, no_binary } = args;
  const { retcode, stdout, stderr } = await context.call("pip.install", [], {
    ...{ pkgs: args.pip_pkgs, requirements, process_dependency_links, bin_env: name },
    ...{ use_wheel, no_use_wheel, no_binary, user, cwd, index_url, extra_index_url },
    ...{ download: args.pip_download, download_cache: args.pip_download_cache, pre_releases },
    ...{ exists_action: args.pip_exists_action, ignore_installed: args.pip_ignore_installed },
    ...{ upgrade: args.pip_upgrade, no_deps, proxy, use_vt, env_vars },
    ...{ no_cache_dir: args.pip_no_cache_dir, cache_dir: args.pip_cache_dir },
    ...args.kwargs as Record<string, unknown>,
  }) as CommandOutcome;
  if (retcode !== 0) ret.result = false;
  if (retcode > 0) ret.comment = `${str(ret.comment)}\n${stdout}\n${stderr}`;
  const after = await frozen(context, { bin_env: name });
  const added = after.filter((one) => !before.includes(one));
  const gone = before.filter((one) => !after.includes(one));
  if (added.length === 0 && gone.length === 0) return;
  ret.changes.packages = { new: added.length > 0 ? added : "", old: gone.length > 0 ? gone : "" };
}

async function managed(context: StateContext, args: Args): Promise<StateReturn> {
  const { name } = args;
  const python = joinPath(str(name), "bin/python");
  const there = exists(context.runtime.fs, python);
  const clear = truthy(args.clear);
  let { requirements } = args;
  if (typeof requirements === "string" && requirements.startsWith("salt://")) {
    const path = await cached(context, requirements);
    if (path === undefined) return outcome(name, false, `pip requirements file '${requirements}' not found`);
    requirements = path;
  }
  const ret = outcome(name, true, "virtualenv exists");
  if (there && clear) {
    ret.changes.cleared_packages = await context.call("pip.freeze", [], { bin_env: name });
    ret.changes.old = await pythonSays(context, python);
  }
  if (context.test) return foreseen(name, there, clear, ret.changes);
  if (!there || clear) {
    const { venv_bin, system_site_packages, distribute, extra_search_dir, never_download, prompt, user, use_vt } = args;
    const options = { venv_bin, system_site_packages, distribute, clear: args.clear, python: args.python };
    const made = await context.call("virtualenv.create", [name], {
      ...{ ...options, extra_search_dir, never_download, prompt, user, use_vt },
      ...args.kwargs as Record<string, unknown>,
    }).catch(fails("Failed to create virtualenv: ", messageFor(CommandNotFoundError), ret)) as CommandOutcome;
    if (made.retcode !== 0) return { ...ret, result: false, comment: made.stdout + made.stderr };
    ret.changes.new = await pythonSays(context, python);
    ret.comment = clear ? "Cleared existing virtualenv" : "Created new virtualenv";
  }
  const wrong = await unsupported(context, args);
  if (wrong !== undefined) return { ...ret, result: false, comment: wrong };
  if (truthy(requirements) || truthy(args.pip_pkgs)) await installPackages(context, { ...args, requirements }, ret);
  return ret;
}

const MANAGED = stateFunction({
  signature: `name, venv_bin=None, requirements=None, system_site_packages=False, distribute=False,
        use_wheel=False, clear=False, python=None, extra_search_dir=None, never_download=None, prompt=None,
        user=None, cwd=None, index_url=None, extra_index_url=None, pre_releases=False, no_deps=False,
        pip_download=None, pip_download_cache=None, pip_exists_action=None, pip_ignore_installed=False, proxy=None,
        use_vt=False, env_vars=None, no_use_wheel=False, pip_upgrade=False, pip_pkgs=None, pip_no_cache_dir=False,
        pip_cache_dir=None, process_dependency_links=False, no_binary=None, **kwargs`,
  doc: "The environment is there, with the packages that are asked for.",
  run: managed,
});

/** Environments of Python with packages of their own. */
export const states: StateModule = {
  virtual: () => "virtualenv",
  functions: { managed: MANAGED, manage: MANAGED },
};
