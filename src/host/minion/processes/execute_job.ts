import { abortable } from "../../../base/async/within.ts";
import { messageOf, SaltError } from "../../../base/errors.ts";
import { argumentsShown, InvocationError, loadArgsAndKwargs } from "../../../model/job/args.ts";
import type { Context, ExecutionFunction, JobContext } from "../../../model/loader/family.ts";
import {
  CommandExecutionError,
  CommandNotFoundError,
  InvalidArgumentsError,
  SaltInvocationError,
} from "../../../model/loader/family.ts";
import { jobContext, shortName } from "../../../model/loader/job_context.ts";
import type { FunctionTable, LoadedFunction } from "../../../model/loader/loader.ts";
import { ArgumentMismatchError, bindArguments } from "../../../model/loader/signature.ts";
import { isMap, lookup, repr, truthy } from "../../../language/python/values.ts";
import { pack, type Packed } from "../../../protocol/wire/msgpack.ts";
import { executeBy } from "./executors.ts";
import { traceback } from "../../../model/loader/traceback.ts";

/** The outcome of a job; of several functions, maps by name, or lists with `multifunc_ordered`. */
export interface JobOutcome {
  return: unknown;
  retcode: unknown;
  success: unknown;
  /** The outputter that the function asks for; `nested` for failures. */
  out?: string;
  /** Why the job was ended. */
  ended?: "timed out";
}

export interface ExecuteOptions {
  functions: FunctionTable;
  /** The state of the minion as the job begins; called once for each job. */
  context(): Context;
  /** The publication: `fun` and `arg`. */
  load: Record<string, unknown>;
  /** The fields that functions with arbitrary keywords receive as `__pub_<field>`. @default every field of the publication */
  published?: Record<string, unknown>;
  /** Aborts when the job is killed. */
  signal?: AbortSignal;
  /** True waits for a job that is killed, whose function may have to clean up. @default false */
  cleansUp?: boolean;
  /** Called with the pid of each process that works for the job. */
  ownProcess?(pid: number): void;
  /** Receives output while the job runs, if its caller asked for it. */
  output?: JobContext["output"] | undefined;
  /** Formats the information of a CommandExecutionError: the nested outputter. @default Python's repr */
  formatInfo?: ((info: unknown) => string) | undefined;
}

/** Thrown when a function does not exist. */
export class MissingFunctionError extends SaltError {
  constructor(fun: string, message: string) {
    super("MISSING_FUNCTION", message, { fun });
  }
}

/** The function that a minion in blackout runs, beside those of its whitelist and no other. */
const ALLOWED_IN_BLACKOUT = "saltutil.refresh_pillar";

/**
 * Runs the function, or the functions, of a job. An error becomes an outcome: a failure is data.
 *
 * @returns rejects with the signal's reason when the job is killed, for then it has no outcome
 * @see salt/minion.py Minion._thread_return, Minion._thread_multi_return
 */
export async function executeJob(options: ExecuteOptions): Promise<JobOutcome> {
  const { load: { fun }, signal = new AbortController().signal, cleansUp = false } = options;
  signal.throwIfAborted();
  const work = Array.isArray(fun) ? runSeveral(options, fun, signal) : runOne(options, fun, signal);
  // The function may never notice that it was killed; its late failure is ignored.
  return await (cleansUp ? work : abortable(work, signal));
}

export function failure(text: unknown): JobOutcome {
  return { return: text, retcode: 1, success: false, out: "nested" };
}

/** Packs a return, once for all its receivers; a value that cannot be packed is a failure of its function. */
export function packReturn(outcome: JobOutcome): JobOutcome & { return: Packed } {
  try {
    return { ...outcome, return: pack(outcome.return, "wire") };
  } catch (error) {
    const text = `The return of the function cannot be sent: ${messageOf(error)}`;
    return { ...failure(text), return: pack(text, "wire") };
  }
}

function contextOf(options: ExecuteOptions, signal: AbortSignal): JobContext {
  const { functions, load } = options;
  return jobContext(
    functions,
    {
      ...options.context(),
      retcode: 0,
      load,
      jid: typeof load.jid === "string" ? load.jid : "",
      signal,
      ownProcess: (pid) => options.ownProcess?.(pid),
      output: options.output,
    },
    (fun, message) => new MissingFunctionError(fun, message),
  );
}

async function callLoaded(
  context: JobContext,
  found: LoadedFunction,
  { arg, published, asJob = true }: { arg: unknown; published: Record<string, unknown>; asJob?: boolean },
): Promise<Pick<JobOutcome, "return" | "retcode" | "success">> {
  // As in Salt, who calls a function on the host itself is not refused.
  if (asJob) checkBlackout(context, found.name);
  const names = {
    args: found.signature.params.map(({ name }) => name),
    keywords: found.signature.keywords !== undefined,
  };
  const given = Array.isArray(arg) ? arg : [];
  const { positional, keyword } = loadArgsAndKwargs(names, given, published);
  const value = await executeBy(context.load.module_executors, {
    context,
    fun: found.name,
    published: asJob,
    // Leave out the fields of the publication that the minion adds.
    ...loadArgsAndKwargs(names, given, {}),
    // As in Salt, an executor may leave out the call whatever its arguments are.
    direct: () =>
      found.function.run(context, bindArguments(shortName(found.name), found.signature, positional, keyword)),
  });
  const retcode = context.retcode === 0 ? codeOfReturn(value) : context.retcode;
  return { return: value, retcode, success: retcode === 0 };
}

function checkBlackout(context: JobContext, fun: string): void {
  for (const [source, values] of [["pillar", context.pillar], ["grains", context.grains]] as const) {
    if (!truthy(values.minion_blackout) || fun === ALLOWED_IN_BLACKOUT) continue;
    const whitelist = values.minion_blackout_whitelist;
    if (Array.isArray(whitelist) && whitelist.includes(fun)) continue;
    throw new SaltInvocationError(
      `Minion in blackout mode. Configure \`minion_blackout\` to False in ${source} to resume operations. ` +
        `Only ${ALLOWED_IN_BLACKOUT} allowed in blackout mode.`,
    );
  }
}

/** The `__pub_*` values of a function: the publication, or the fields of Salt's scheduler. */
function publishedOf(load: Record<string, unknown>): Record<string, unknown> {
  const { fun, arg, jid, tgt, schedule, metadata } = load;
  if (schedule === undefined) return load;
  const said = { id: tgt, fun, fun_args: argumentsShown(arg), schedule, jid };
  return metadata === undefined ? said : { ...said, metadata };
}

/** The code of a function that failed without saying so: a map whose `result` or `success` is false. */
function codeOfReturn(value: unknown): number {
  if (!isMap(value)) return 0;
  return ["result", "success"].some((key) => {
      const verdict = lookup(value, key);
      return verdict !== undefined && !truthy(verdict);
    })
    ? 1
    : 0;
}

async function runOne(options: ExecuteOptions, fun: unknown, signal: AbortSignal): Promise<JobOutcome> {
  if (typeof fun !== "string") return failure(`${repr(fun)} is not available.`);
  const found = await options.functions.find(fun);
  if ("message" in found) {
    return failure(await similarDocumentation(options.functions, fun, found.message) ?? found.message);
  }
  try {
    return await callAlone(options, found, signal);
  } catch (error) {
    signal.throwIfAborted();
    options.context().log.warning("function failed", { fun, error: messageOf(error) });
    return failure(failureText(fun, found.function, error, options.formatInfo ?? repr));
  }
}

/** Calls the only function of a job. */
async function callAlone(
  options: ExecuteOptions,
  found: LoadedFunction,
  signal: AbortSignal,
  asJob = true,
): Promise<JobOutcome> {
  const { load, published = publishedOf(load) } = options;
  const called = await callLoaded(contextOf(options, signal), found, { arg: load.arg, published, asJob });
  const { out } = found.function;
  return { ...called, ...(out === undefined ? {} : { out }) };
}

/**
 * Runs the one function of a job for a caller that handles failures itself, as `salt-call` does: rejects with the error of
 * the function.
 *
 * @throws {MissingFunctionError} if the function does not exist
 */
export async function callFunction(options: ExecuteOptions): Promise<JobOutcome> {
  const fun = String(options.load.fun);
  const found = await options.functions.find(fun);
  if ("message" in found) throw new MissingFunctionError(fun, found.message);
  return await callAlone(options, found, options.signal ?? new AbortController().signal, false);
}

/**
 * The documentation of functions whose names begin like an unknown one, with the message behind it.
 *
 * @returns undefined if there are none
 */
export async function similarDocumentation(
  functions: FunctionTable,
  fun: string,
  message: string,
): Promise<Record<string, string | null> | undefined> {
  if (!/^[A-Za-z0-9_.]+$/.test(fun)) return undefined;
  const similar = (await functions.list()).filter(({ name }) => name.startsWith(fun));
  if (similar.length === 0) return undefined;
  return Object.fromEntries([...similar.map(({ name, function: body }) => [name, body.doc || null]), [fun, message]]);
}

function failureText(
  fun: string,
  body: ExecutionFunction,
  error: unknown,
  formatInfo: (info: unknown) => string,
): string {
  if (error instanceof CommandNotFoundError) return `Command required for '${fun}' not found: ${error.message}`;
  if (error instanceof CommandExecutionError) {
    if (error.info === undefined || error.info === null) return `ERROR: ${error.message}`;
    return `ERROR: ${sentence(error.message)} Additional info follows:\n\n${formatInfo(error.info)}`;
  }
  if (error instanceof SaltInvocationError || error instanceof InvocationError) {
    return `ERROR executing '${fun}': ${error.message}`;
  }
  if (error instanceof ArgumentMismatchError || error instanceof InvalidArgumentsError) {
    return `Passed invalid arguments to ${fun}: ${error.message}\n${body.doc}`;
  }
  return `The minion function caused an exception: ${traceback(error)}`;
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Runs one function after the other; one that fails leaves its traceback, no code, and the others run. */
async function runSeveral(options: ExecuteOptions, funs: unknown[], signal: AbortSignal): Promise<JobOutcome> {
  const { load } = options;
  const ordered = truthy(load.multifunc_ordered);
  const results: ({ key: string } & Pick<JobOutcome, "return" | "retcode" | "success">)[] = [];
  for (const [index, name] of funs.entries()) {
    const fun = typeof name === "string" ? name : repr(name);
    const context = contextOf(options, signal);
    try {
      const found = await options.functions.find(fun);
      if ("message" in found) throw Object.assign(new Error(repr(fun)), { name: "KeyError" });
      const arg: unknown = Array.isArray(load.arg) ? load.arg[index] : [];
      results.push({ key: fun, ...await callLoaded(context, found, { arg, published: options.published ?? load }) });
    } catch (error) {
      signal.throwIfAborted();
      context.log.warning("function failed", { fun, error: messageOf(error) });
      results.push({ key: fun, return: traceback(error), retcode: undefined, success: false });
    }
  }
  if (ordered) {
    return {
      return: results.map((result) => result.return),
      retcode: results.map(({ retcode }) => retcode ?? null),
      success: results.map(({ success }) => success),
    };
  }
  // A name that comes twice keeps its last result, as a map in Python would.
  const byName = (pick: (result: typeof results[number]) => unknown) =>
    Object.fromEntries(results.map((result) => [result.key, pick(result)]).filter(([, value]) => value !== undefined));
  return {
    return: byName((result) => result.return),
    retcode: byName(({ retcode }) => retcode),
    success: byName(({ success }) => success),
  };
}
