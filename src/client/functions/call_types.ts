/**
 * Calls of functions as types: from the tables of functions to what a request may hold, and to what comes back. Only types:
 * nothing of this is there at run time.
 */
import type { ExecutionFunctions } from "./execution_functions.ts";
import type { RunnerFunctions } from "./runner_functions.ts";
import type { WheelFunctions } from "./wheel_functions.ts";

/**
 * The return that a table has for a name; `unknown` for a name that is not in it.
 *
 * @internal
 */
type ReturnOf<Table, Name> = Name extends keyof Table ? Table[Name] extends { returns: infer Return } ? Return : unknown
  : unknown;

/** Arguments without one of them; those of any name stay. */
type Without<Args, Name> = { [Key in keyof Args as Key extends Name ? never : Key]: Args[Key] };

/** Arguments by name; of none, an object without any. */
type Named<Args> = keyof Args extends never ? Record<string, never> : Args;

/**
 * A call with exactly these values by position and these arguments by name.
 *
 * @internal
 */
type Form<Positional extends readonly unknown[], Args> =
  & ([] extends Positional ? { arg?: Positional } : { arg: Positional })
  & (Record<never, never> extends Args ? { kwarg?: Named<Args> } : { kwarg: Named<Args> });

/** The types of arguments that may be left out, in their order. */
type Optional<Args, Order, Done extends readonly unknown[] = []> = Order extends
  readonly [infer Name extends keyof Args, ...infer Others] ? Optional<Args, Others, [...Done, Args[Name]?]> : Done;

/**
 * The ways to give arguments: those that must be given by position as far as the caller likes, the others by name; once all
 * of them are there by position, more may follow.
 */
type Forms<Args, Order, Rest extends readonly unknown[], Done extends readonly unknown[] = []> = Order extends
  readonly [infer Name extends keyof Args, ...infer Others]
  ? Record<never, never> extends Pick<Args, Name> ? Form<[...Done, ...Optional<Args, Order>, ...Rest], Args>
  : Form<Done, Args> | Forms<Without<Args, Name>, Others, Rest, [...Done, Args[Name]]>
  : Form<[...Done, ...Rest], Args>;

/**
 * Arguments that nothing is known of.
 *
 * @internal
 */
interface AnyArguments {
  /** Positional values, then at most one map with `__kwarg__`; a list of such lists for several functions. */
  arg?: readonly unknown[];
  /** Arguments by name. */
  kwarg?: Record<string, unknown>;
}

/**
 * What the entry of a table says of a call.
 *
 * @internal
 */
type CallOf<Entry> = Entry extends { args: infer Args } ? Forms<
    Args,
    Entry extends { order: infer Order } ? Order : [],
    Entry extends { rest: infer Rest extends readonly unknown[] } ? Rest : []
  >
  : AnyArguments;

/** The name of a built-in execution function, or of one that was added to {@link ExecutionFunctions}. */
export type FunctionName = keyof ExecutionFunctions;
/** The name of a built-in runner, or of one that was added to {@link RunnerFunctions}. */
export type RunnerName = keyof RunnerFunctions;
/** The name of a built-in wheel function, or of one that was added to {@link WheelFunctions}. */
export type WheelName = keyof WheelFunctions;

// In a union with literals, plain text would take the place of the suggestions: hence the intersection.

/** One function or several, as a request names them: known names are suggested, others are allowed. */
export type Functions =
  | FunctionName
  | (string & Record<never, never>)
  | (FunctionName | (string & Record<never, never>))[];
/** The name of a runner: known names are suggested, others are allowed. */
export type AnyRunner = RunnerName | (string & Record<never, never>);
/** The name of a wheel function: known names are suggested, others are allowed. */
export type AnyWheel = WheelName | (string & Record<never, never>);

/**
 * What an execution function returns where it succeeds; `unknown` of a function that is not in {@link ExecutionFunctions}. Of
 * several functions an object of function → return; one that failed has the text of its error there.
 */
export type FunctionReturn<Fun> = Fun extends readonly (infer Name extends string)[]
  ? { [One in Name]: ReturnOf<ExecutionFunctions, One> | string }
  : ReturnOf<ExecutionFunctions, Fun>;

/**
 * The arguments of an execution function, as `arg`, by position, and `kwarg`, by name. Those of a function that is not in
 * {@link ExecutionFunctions} may be anything.
 */
export type FunctionArguments<Fun> = Fun extends FunctionName ? CallOf<ExecutionFunctions[Fun]> : AnyArguments;

/** What a runner returns; `unknown` of a runner that is not in {@link RunnerFunctions}. */
export type RunnerReturn<Fun> = ReturnOf<RunnerFunctions, Fun>;

/** The arguments of a runner, as {@link FunctionArguments} are those of an execution function. */
export type RunnerArguments<Fun> = Fun extends RunnerName ? CallOf<RunnerFunctions[Fun]> : AnyArguments;

/** What a wheel function returns; `unknown` of a function that is not in {@link WheelFunctions}. */
export type WheelReturn<Fun> = ReturnOf<WheelFunctions, Fun>;

/** The arguments of a wheel function, which are all given by name. */
export type WheelArguments<Fun> = Fun extends WheelName
  ? WheelFunctions[Fun] extends { args: infer Args } ? Pick<Form<[], Args>, "kwarg"> : Pick<AnyArguments, "kwarg">
  : Pick<AnyArguments, "kwarg">;
