/**
 * Types of calls: from the tables of functions to the arguments of a request and the type of the return. This file has only types,
 * and no code at run time.
 */
import type { ExecutionFunctions } from "./execution_functions.ts";
import type { RunnerFunctions } from "./runner_functions.ts";
import type { WheelFunctions } from "./wheel_functions.ts";

/**
 * The return type of a name in a table; `unknown` for a name that is not in the table.
 *
 * @internal
 */
type ReturnOf<Table, Name> = Name extends keyof Table ? Table[Name] extends { returns: infer Return } ? Return : unknown
  : unknown;

/** Arguments without one of them; an index signature stays. */
type Without<Args, Name> = { [Key in keyof Args as Key extends Name ? never : Key]: Args[Key] };

/** Arguments by name; an empty object type if there are none. */
type Named<Args> = keyof Args extends never ? Record<string, never> : Args;

/**
 * A call with exactly these values by position and these arguments by name.
 *
 * @internal
 */
type Form<Positional extends readonly unknown[], Args> =
  & ([] extends Positional ? { arg?: Positional } : { arg: Positional })
  & (Record<never, never> extends Args ? { kwarg?: Named<Args> } : { kwarg: Named<Args> });

/** The types of optional arguments, in their order. */
type Optional<Args, Order, Done extends readonly unknown[] = []> = Order extends
  readonly [infer Name extends keyof Args, ...infer Others] ? Optional<Args, Others, [...Done, Args[Name]?]> : Done;

/**
 * The ways to give arguments: the first ones by position, as many as the caller likes, the others by name; once all
 * arguments are given by position, more may follow.
 */
type Forms<Args, Order, Rest extends readonly unknown[], Done extends readonly unknown[] = []> = Order extends
  readonly [infer Name extends keyof Args, ...infer Others]
  ? Record<never, never> extends Pick<Args, Name> ? Form<[...Done, ...Optional<Args, Order>, ...Rest], Args>
  : Form<Done, Args> | Forms<Without<Args, Name>, Others, Rest, [...Done, Args[Name]]>
  : Form<[...Done, ...Rest], Args>;

/**
 * The arguments of an unknown function.
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
 * The arguments of a call, from the entry of a table.
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

// `string & Record<never, never>` keeps the suggestions: plain `string` in a union with literals would absorb the literals.

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
 * The return type of a successful execution function; `unknown` for a function that is not in {@link ExecutionFunctions}. For
 * several functions, an object of function → return; the return of a failed function is the text of its error.
 */
export type FunctionReturn<Fun> = Fun extends readonly (infer Name extends string)[]
  ? { [One in Name]: ReturnOf<ExecutionFunctions, One> | string }
  : ReturnOf<ExecutionFunctions, Fun>;

/**
 * The arguments of an execution function, as `arg`, by position, and `kwarg`, by name. A function that is not in
 * {@link ExecutionFunctions} takes any arguments.
 */
export type FunctionArguments<Fun> = Fun extends FunctionName ? CallOf<ExecutionFunctions[Fun]> : AnyArguments;

/** The return type of a runner; `unknown` for a runner that is not in {@link RunnerFunctions}. */
export type RunnerReturn<Fun> = ReturnOf<RunnerFunctions, Fun>;

/** The arguments of a runner, in the form of {@link FunctionArguments}. */
export type RunnerArguments<Fun> = Fun extends RunnerName ? CallOf<RunnerFunctions[Fun]> : AnyArguments;

/** The return type of a wheel function; `unknown` for a function that is not in {@link WheelFunctions}. */
export type WheelReturn<Fun> = ReturnOf<WheelFunctions, Fun>;

/** The arguments of a wheel function, which are all given by name. */
export type WheelArguments<Fun> = Fun extends WheelName
  ? WheelFunctions[Fun] extends { args: infer Args } ? Pick<Form<[], Args>, "kwarg"> : Pick<AnyArguments, "kwarg">
  : Pick<AnyArguments, "kwarg">;
