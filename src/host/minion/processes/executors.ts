import { type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { asNumber } from "../../../language/python/arithmetic.ts";
import { isMap, lookup, repr, str } from "../../../language/python/values.ts";
import { typeError, valueError } from "../../../language/python/python_error.ts";
import { bindArguments, parseSignature } from "../../../model/loader/signature.ts";

interface ExecutorCall {
  context: JobContext;
  fun: string;
  /** The arguments in the form of the publication: positional values, then those with names. */
  positional: readonly unknown[];
  keyword: ReadonlyMap<string, unknown>;
  /** True for a job of the master's, false under `salt-call`. */
  published: boolean;
  direct(): unknown;
}

/** One way to run a function; if it returns null or undefined, the next executor runs the function. */
interface Executor {
  available(context: JobContext): boolean;
  execute(call: ExecutorCall): unknown;
}

/** State runs of a minion with `sudo_user`: the job that calls `salt-call` is itself in the list of running jobs. */
const CONCURRENT = new Set(["state.sls", "state.highstate", "state.apply"]);

/** The option `sudo_user`; empty where functions run as the minion's own user. */
function sudoUser({ opts }: JobContext): string {
  return typeof opts.sudo_user === "string" ? opts.sudo_user : "";
}

/** Salt's executors by name. */
const EXECUTORS: Record<string, Executor> = {
  direct_call: { available: () => true, execute: ({ direct }) => direct() },
  splay: { available: () => true, execute: splay },
  sudo: { available: (context) => sudoUser(context) !== "", execute: executeBySudo },
};

/** Their names, which `module_executors` may have. */
export const EXECUTOR_NAMES: readonly string[] = Object.keys(EXECUTORS);

/**
 * Runs a function by executors, one after the other until one returns a value: those of the publication, else those of the
 * option `module_executors`. A minion with `sudo_user` has `sudo` for the last.
 *
 * @throws {SaltInvocationError} for an unknown executor
 * @see salt/minion.py Minion._execute_job_function
 */
export async function executeBy(wanted: unknown, call: ExecutorCall): Promise<unknown> {
  const { context, published } = call;
  const given = isGiven(wanted) ? wanted : isGiven(context.opts.module_executors) ? context.opts.module_executors : [
    "direct_call",
  ];
  if (typeof given !== "string" && !Array.isArray(given)) {
    throw new SaltInvocationError(
      `Wrong executors specification: ${repr(given)}. String or non-empty list expected`,
    );
  }
  // The caller chooses the executors: with sudo_user, none of them may bypass it, even if it is not the last.
  const bySudo = published && sudoUser(context) !== "";
  const names = [given].flat().map((name) => bySudo && str(name) === "direct_call" ? "sudo" : str(name));
  if (bySudo) names[names.length - 1] = "sudo";
  for (const name of names) {
    const executor = Object.hasOwn(EXECUTORS, name) ? EXECUTORS[name]! : await customExecutor(context, name);
    if (executor === undefined || !executor.available(context)) {
      throw new SaltInvocationError(`Executor '${name}' is not available`);
    }
    const value = await executor.execute(call);
    if (value !== null && value !== undefined) return value;
  }
  return null;
}

/** A custom executor: `execute(opts, data, func, args, kwargs)`, whose return counts unless it is None. */
async function customExecutor(context: JobContext, name: string): Promise<Executor | undefined> {
  const { byName } = await import("../../../model/loader/with_custom_files.ts");
  const { loadCustomFile } = await import("../../../model/loader/custom_file.ts");
  const registry = byName({}, context, "executors", (file) => loadCustomFile(context, "executors", file));
  if (!Object.hasOwn(registry, name)) return undefined;
  const { functions, virtual } = await registry[name]!();
  const found = functions.get("execute");
  if (found === undefined || typeof virtual(context) === "object") return undefined;
  return {
    available: () => true,
    execute({ fun, positional, keyword }) {
      const given = [context.opts, { ...context.load, fun }, fun, [...positional], Object.fromEntries(keyword)];
      return found.run(context, bindArguments("execute", parseSignature(found.signature), given, new Map()));
    },
  };
}

const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== "" && value !== false &&
  !(Array.isArray(value) && value.length === 0);

/** The time over which `splay` spreads minions by default, in seconds. */
const SPLAY_SECONDS = 300;
const SPLAY_PLACES = 8192;

/**
 * Waits: minions of different ids run a job one after the other within `splaytime` seconds. Then the next executor runs it.
 *
 * @see salt/executors/splay.py
 */
async function splay({ context }: ExecutorCall): Promise<null> {
  const { runtime, opts, grains, load, signal } = context;
  const options = load?.executor_opts;
  const given = isMap(options) ? lookup(options, "splaytime") : undefined;
  const said = given === undefined ? opts.splaytime ?? SPLAY_SECONDS : given;
  const seconds = asNumber(said);
  if (seconds === undefined) throw typeError(`splaytime must be a number, not ${repr(said)}`);
  if (seconds <= 0) throw valueError("splaytime must be a positive integer");
  const delay = Math.trunc(Number(seconds) * jenkinsHash(str(grains.id ?? opts.id)) / SPLAY_PLACES);
  await runtime.clock.sleep(delay * 1000, signal);
  return null;
}

/** The place of an id among {@link SPLAY_PLACES}: Jenkins' one-at-a-time hash. */
function jenkinsHash(text: string): number {
  let hash = 0;
  for (const byte of new TextEncoder().encode(text)) {
    hash = (hash + byte) | 0;
    hash = (hash + (hash << 10)) | 0;
    hash ^= hash >>> 6;
  }
  hash = (hash + (hash << 3)) | 0;
  hash ^= hash >>> 11;
  hash = (hash + (hash << 15)) | 0;
  return hash & (SPLAY_PLACES - 1);
}

/** `sudo -u <sudo_user> salt-call …`: the function in a process of that user. @see salt/executors/sudo.py */
async function executeBySudo({ context, fun, positional, keyword, direct }: ExecutorCall): Promise<unknown> {
  const user = sudoUser(context);
  const { runtime, opts } = context;
  // A program that runs by sudo reads the same configuration anyway.
  if (runtime.host.user().name === user) return await direct();
  const file = str(opts.conf_file);
  // Arguments are written as JSON, which is YAML as well: no text is taken for a number, or for a named argument.
  const words = positional.map((value) => JSON.stringify(value));
  const named = CONCURRENT.has(fun) ? new Map([...keyword, ["concurrent", true]]) : keyword;
  for (const [name, value] of named) words.push(`${name}=${JSON.stringify(value)}`);
  const configDir = file.slice(0, file.lastIndexOf("/")) || "/etc/salt";
  const command = [
    "sudo",
    "-n",
    "-u",
    user,
    "salt-call",
    "--out",
    "json",
    "--metadata",
    "-c",
    configDir,
  ];
  const ended = await context.call("cmd.run_all", [[...command, "--", fun, ...words]], {
    python_shell: false,
  }) as Record<
    string,
    unknown
  >;
  if (ended.retcode !== 0) {
    context.retcode = Number(ended.retcode);
    return ended.stderr;
  }
  const answer = JSON.parse(str(ended.stdout)).local as { return?: unknown; retcode?: unknown };
  context.retcode = Number(answer.retcode ?? 0);
  return answer.return ?? null;
}
