/**
 * The conditions of a state: whether it is called at all (`onlyif`, `unless`, `creates`), and whether it succeeded
 * (`check_cmd`).
 */
import { type AnyMap, entriesOf, isMap, listOf, lookup, repr, str, truthy } from "../../../language/python/values.ts";
import type { LowChunk, StateContext } from "../../../model/loader/states.ts";
import { CommandExecutionError } from "../../../model/loader/family.ts";
import { traverse } from "../../../language/python/traverse.ts";
import { identityOf } from "./chunk.ts";
import { fillSlots } from "./slots.ts";

interface Verdict {
  comment: string;
  /** True if the state must not be called. */
  skip: boolean;
}

/** Arguments of a chunk that its condition commands get, too. */
const COMMAND_ARGUMENTS = ["cwd", "root", "runas", "env", "prepend_path", "umask", "timeout", "success_retcodes"];

/** True for a chunk with conditions that decide whether it is called. */
export function hasConditions({ onlyif, unless, creates }: LowChunk): boolean {
  return onlyif !== undefined || unless !== undefined || creates !== undefined;
}

/** The return of a state that its conditions skip; undefined if the state is to be called. */
export async function skippedBy(context: StateContext): Promise<Record<string, unknown> | undefined> {
  const { low } = context;
  const verdicts: Verdict[] = [];
  if (present(low.onlyif)) verdicts.push(await onlyif(context, listOf(low.onlyif)));
  if (present(low.unless)) verdicts.push(await unless(context, listOf(low.unless)));
  if (low.creates !== undefined) verdicts.push(creates(context));
  if (!verdicts.some(({ skip }) => skip)) return undefined;
  const comment = verdicts.map((verdict) => verdict.comment);
  const { name, __sls__, __id__ } = identityOf(low);
  return { result: true, name, changes: {}, comment, __sls__, __id__, skip_watch: true };
}

/** True if a condition is given; an empty list is none. */
const present = (condition: unknown) =>
  condition !== undefined && !(Array.isArray(condition) && condition.length === 0);

function commandOptions({ low, grains }: StateContext): Record<string, unknown> {
  const excluded = new Set(low.cmd_opts_exclude === undefined ? [] : listOf(low.cmd_opts_exclude));
  const given = COMMAND_ARGUMENTS.filter((name) => !excluded.has(name)).map((name) => [name, low[name] ?? null]);
  const shell = low.shell !== undefined && !excluded.has("shell") ? low.shell : grains.shell;
  return { ...Object.fromEntries(given), ...(shell === undefined ? {} : { shell }) };
}

/** The return code of a command; `impossible` if the command cannot be run. */
async function retcodeOf(
  context: StateContext,
  command: string,
  options: Record<string, unknown>,
  impossible: number,
): Promise<unknown> {
  try {
    return await context.call("cmd.retcode", [command], { ignore_retcode: true, python_shell: true, ...options });
  } catch (error) {
    if (error instanceof CommandExecutionError) return impossible;
    throw error;
  }
}

/**
 * Calls the function of a condition; the other keys of the map are its arguments.
 *
 * @returns whether it succeeded, by its return code if it sets one
 */
async function holds(context: StateContext, condition: AnyMap): Promise<boolean> {
  const { fun, args, get_return, ...keyword } = Object.fromEntries(entriesOf(condition)) as Record<string, unknown>;
  const bound = { args: Array.isArray(args) ? [...args] : args === undefined ? [] : [args], keyword };
  await fillSlots(context, bound.keyword);
  const slots: Record<string, unknown> = Object.fromEntries(bound.args.entries());
  await fillSlots(context, slots);
  const job = context.with({ retcode: 0 });
  let value = await job.call(str(fun), bound.args.map((_, index) => slots[index]), bound.keyword);
  if (truthy(get_return)) value = traverse(value, str(get_return));
  return truthy(job.retcode) ? false : truthy(value ?? null);
}

/** All conditions have to hold, or the state is skipped. */
async function onlyif(context: StateContext, conditions: readonly unknown[]): Promise<Verdict> {
  const options = commandOptions(context);
  const failed = { comment: "onlyif condition is false", skip: true };
  for (const condition of conditions) {
    if (typeof condition === "string") {
      if (await retcodeOf(context, condition, options, 100) !== 0) return failed;
    } else if (!isMap(condition)) return { comment: "onlyif execution failed, bad type passed", skip: false };
    else if (lookup(condition, "fun") === undefined) return withoutFunction(context, "onlyif", condition);
    else if (!await holds(context, condition)) return failed;
  }
  return { comment: "onlyif condition is true", skip: false };
}

/** The state is skipped unless at least one condition fails. */
async function unless(context: StateContext, conditions: readonly unknown[]): Promise<Verdict> {
  const options = commandOptions(context);
  let verdict = { comment: "unless condition is true", skip: true };
  for (const condition of conditions) {
    if (typeof condition === "string") {
      verdict = { comment: "unless condition is true", skip: true };
      if (await retcodeOf(context, condition, options, 0) !== 0) return unlessFalse;
    } else if (!isMap(condition)) verdict = { comment: "unless condition is false, bad type passed", skip: false };
    else if (lookup(condition, "fun") === undefined) return withoutFunction(context, "unless", condition);
    else if (await holds(context, condition)) verdict = { comment: "unless condition is true", skip: true };
    else return unlessFalse;
  }
  return verdict;
}

const unlessFalse: Verdict = { comment: "unless condition is false", skip: false };

function withoutFunction({ log }: StateContext, kind: string, condition: AnyMap): Verdict {
  const comment = `no \`fun\` argument in ${kind}: ${repr(condition)}`;
  log.warning("condition ignored: it names no function (fun)", { kind, condition: repr(condition) });
  return { comment, skip: false };
}

function creates({ low, runtime: { fs } }: StateContext): Verdict {
  const exists = (path: unknown) => typeof path === "string" && fs.stat(path) !== undefined;
  if (typeof low.creates === "string" && exists(low.creates)) return { comment: `${low.creates} exists`, skip: true };
  if (Array.isArray(low.creates) && low.creates.every(exists)) {
    return { comment: "All files in creates exist", skip: true };
  }
  return { comment: "Creates files not found", skip: false };
}

/** The result and comment of a state with `check_cmd`, in place of its own: all commands have to succeed. */
export async function checkCommands(context: StateContext): Promise<Record<string, unknown>> {
  const { low, grains } = context;
  const options = {
    ignore_retcode: true,
    python_shell: true,
    ...(grains.shell === undefined ? {} : { shell: grains.shell }),
  };
  const { name, __sls__, __id__ } = identityOf(low);
  for (const command of listOf(low.check_cmd)) {
    if (await context.call("cmd.retcode", [command], options) !== 0) {
      return { result: false, __sls__, __id__, name, comment: "check_cmd determined the state failed" };
    }
  }
  return { result: true, __sls__, __id__, name, comment: "check_cmd determined the state succeeded" };
}
