import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { pillarInUse } from "../../../model/loader/pillar_link.ts";
import { hostStates, type StateTable } from "../../../model/loader/state_table.ts";
import { stateOptions } from "../../../model/loader/state_options.ts";
import { PythonError } from "../../../language/python/python_error.ts";
import { type AnyMap, type Args, isMap, lookup, str, truthy } from "../../../language/python/values.ts";
import { copyAsDicts } from "../../../language/python/copy.ts";
import { merge, mergeRulesOf } from "../../../language/python/merge_strategy.ts";
import { openStateCompiler } from "../../../content/state/compile/open_compiler.ts";
import type { StateCompiler } from "../../../content/state/compile/state_compiler.ts";
import { decryptedOverride } from "../../decrypted_override.ts";
import { STATES } from "../../states/mod.ts";
import { localOptions, withLocalOptions } from "./local_config.ts";

export interface StateCall {
  /** The job, with the options and the pillar of the call. */
  context: JobContext;
  compiler: StateCompiler;
  states: StateTable;
  test: boolean;
  /** What the call gave beside the named arguments. */
  kwargs: Args;
  /** The environment of the call, `base` where it names none. */
  saltenv: string;
  /** Compiles the pillar of the call once more, for a state with `reload_pillar`. */
  reloadPillar(): Promise<Args>;
}

/** Pillar that did not render: what a call returns, or throws. */
export class PillarFailure extends Error {
  override name = "PillarFailure";
  readonly errors: unknown[];

  constructor(errors: unknown[]) {
    super("Pillar failed to render");
    this.errors = errors;
  }
}

/** Codes of a job, as Salt's `exitcodes` has them. */
export const CODES = { compiler: 1, failure: 2, pillar: 5 } as const;

const isNone = (value: unknown) => value === null || value === undefined;

/**
 * The options of the minion as a call changes them.
 *
 * @throws {CommandExecutionError} with `lock_saltenv` for another environment
 * @see salt/utils/state.py get_sls_opts
 */
function callOptions(opts: Args, kwargs: Args): Args {
  const changed: Args = { ...opts };
  if (!isNone(kwargs.saltenv)) {
    const saltenv = str(kwargs.saltenv);
    if (truthy(opts.lock_saltenv ?? false) && saltenv !== opts.saltenv) {
      throw new CommandExecutionError("lock_saltenv is enabled, saltenv cannot be changed");
    }
    changed.saltenv = saltenv;
  }
  if (Object.hasOwn(kwargs, "pillarenv")) changed.pillarenv = isNone(kwargs.pillarenv) ? null : str(kwargs.pillarenv);
  else if (truthy(opts.pillarenv_from_saltenv ?? false) && !isNone(kwargs.saltenv)) {
    changed.pillarenv = str(kwargs.saltenv);
  }
  return changed;
}

/** Whether a call is a dry run: the argument, else `test` of the pillar or the grains, else the option. */
async function isTest(context: JobContext, test: unknown): Promise<boolean> {
  if (test !== null && test !== undefined) return test !== false;
  if (await context.call("config.get", ["test"], { omit_opts: true }) === true) return true;
  return truthy(context.opts.test ?? false);
}

/**
 * The pillar that a call gives, decrypted if it says how. Salt runs without it where that fails.
 *
 * @throws {SaltInvocationError} if it is no map
 * @throws {CommandExecutionError} if it cannot be decrypted
 */
async function overrideOf(context: JobContext, { pillar, pillar_enc }: Args): Promise<AnyMap | undefined> {
  if (isNone(pillar)) return undefined;
  const override = isNone(pillar_enc)
    ? pillar
    : await decryptedOverride(context, pillar, str(pillar_enc).toLowerCase());
  if (isMap(override)) return override;
  throw new SaltInvocationError(
    isNone(pillar_enc)
      ? "Pillar data must be formatted as a dictionary, unless pillar_enc is specified."
      : "Pillar data must be a dictionary once it is decrypted.",
  );
}

/** True under `salt-call`: nothing has changed the pillar since the program has compiled it, and nothing takes up what it leaves. */
export const isSaltCall = ({ opts }: JobContext): boolean => opts.__cli === "salt-call";

/** The pillar of a call: the one in use for a plain `salt-call`, else a fresh one. */
async function pillarOf(
  context: JobContext,
  opts: Args,
  override: AnyMap | undefined,
  fresh = false,
): Promise<Args> {
  const { compilePillar, pillar } = context;
  const isOwn = !fresh && isSaltCall(context) && (opts.pillarenv ?? null) === (context.opts.pillarenv ?? null);
  const base = compilePillar === undefined || isOwn && override === undefined ? pillar : await compilePillar({
    pillarenv: isNone(opts.pillarenv) ? null : str(opts.pillarenv),
    saltenv: isNone(opts.saltenv) ? null : str(opts.saltenv),
    override: override ?? {},
    ...pillarInUse(context),
  });
  const whole = override === undefined ? base : merge(base, override, mergeRulesOf(opts));
  // A copy: templates change what pillar.get returns, for all that comes after them in this run.
  return Object.fromEntries(copyAsDicts(whole) as Map<string, unknown>);
}

/** Calls within calls: `{{ salt['state.sls_exists']('a') }}` in the SLS `a` has no end. Python's stack takes about as many. */
const MAX_NESTED = 20;

/**
 * Opens a call: its options, with those of the master, and its pillar.
 *
 * @param anyPillar true for functions that run also if the pillar has errors
 * @throws {PillarFailure} if the pillar, or an empty one's minion, has errors, and `force` is not set
 */
export async function openCall(
  given: JobContext,
  kwargs: Args,
  { test, ...more }: Args = {},
  anyPillar = false,
): Promise<StateCall> {
  const nested = (given.nested ?? 0) + 1;
  if (nested > MAX_NESTED) throw new PythonError("RecursionError", "maximum recursion depth exceeded");
  const override = await overrideOf(given, kwargs);
  const local = isNone(kwargs.localconfig) ? undefined : await localOptions(given, str(kwargs.localconfig));
  const context = local === undefined ? given : withLocalOptions(given, local);
  // The file says the environment, whatever the call does.
  const changed = local ?? callOptions(given.opts, kwargs);
  const opts = { ...await stateOptions({ ...context, opts: changed }), ...more };
  const pillar = await pillarOf(context, opts, override, local !== undefined);
  const errors = lookup(Object.keys(pillar).length === 0 ? given.pillar : pillar, "_errors");
  if (truthy(errors ?? null) && !anyPillar && !truthy(kwargs.force ?? false)) {
    given.retcode = CODES.pillar;
    throw new PillarFailure(Array.isArray(errors) ? errors : [errors]);
  }
  const dry = await isTest(context, test);
  const own = context.with({ opts: { ...opts, test: dry }, pillar, retcode: 0, nested });
  return {
    context: own,
    // Return codes of what templates call are not those of the function, as in Salt.
    compiler: openStateCompiler(own.with({ retcode: 0 })),
    states: hostStates(STATES, opts, () => own),
    test: dry,
    kwargs,
    saltenv: isNone(opts.saltenv) || opts.saltenv === "" ? "base" : str(opts.saltenv),
    reloadPillar: () => pillarOf(context, opts, override, true),
  };
}

/** The parts of a comma list, as Salt splits arguments. */
export function splitSls(value: unknown): unknown[] {
  return Array.isArray(value) ? value : str(value).split(",").map((part) => part.trim());
}
