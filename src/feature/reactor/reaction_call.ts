import { SaltError } from "../../base/errors.ts";
import type { LowChunk } from "../../model/loader/states.ts";
import type { Signature } from "../../model/loader/signature.ts";
import { entriesOf, isFloat, isInteger, isMap, repr, str } from "../../language/python/values.ts";
import { isRecord } from "../../base/record.ts";

/** The types of reactions; `cmd` is Salt's older name of `local`. */
const REACTION_TYPES = ["local", "runner", "wheel", "caller"] as const;
type ReactionType = (typeof REACTION_TYPES)[number];

const ALIASES: Readonly<Record<string, ReactionType>> = { cmd: "local" };

export interface ReactionCall {
  type: ReactionType;
  fun: string;
  arg: unknown[];
  kwarg: Record<string, unknown>;
  /** For `local`: the target and the fields of the publication. */
  job?: {
    tgt: string | string[];
    tgt_type?: string;
    ret?: string;
    jid?: string;
    kwargs: Record<string, unknown>;
  };
  /** The names of arguments that are not used, because both styles were given. */
  ignored: string[];
}

/** A reaction that cannot be called; the message has the reason, without file and line. */
export class ReactionError extends SaltError {
  constructor(message: string) {
    super("REACTION", message);
  }
}

/** The fields of a publication that a reaction may set. */
const JOB_FIELDS = ["delimiter", "metadata", "module_executors", "executor_opts", "ret_config", "ret_kwargs", "queue"];

/** Fields of a chunk that are no arguments of a runner or wheel function. */
const INTERNAL: ReadonlySet<string> = new Set(["__id__", "__sls__", "name", "order", "fun", "key", "state"]);

/** The type of a reaction by the name in its SLS. @throws {ReactionError} */
function reactionType(name: string): ReactionType {
  const type = Object.hasOwn(ALIASES, name) ? ALIASES[name] : REACTION_TYPES.find((one) => one === name);
  if (type !== undefined) return type;
  throw new ReactionError(`unknown type of reaction "${name}": expected one of ${REACTION_TYPES.join(", ")}, cmd`);
}

/**
 * The call of a low chunk. In the newer style its arguments are in `args`, in the older one in `arg` and `kwarg`, or, for runners
 * and wheel functions, among its other fields.
 *
 * @param signatureOf returns the signature of a runner or wheel function; undefined for an unknown one
 * @throws {ReactionError}
 * @see salt/utils/reactor.py ReactWrap.run
 */
export async function reactionCall(
  chunk: LowChunk,
  signatureOf: (type: "runner" | "wheel", fun: string) => Promise<Signature | undefined>,
): Promise<ReactionCall> {
  const type = reactionType(str(chunk.state));
  const fun = str(chunk.fun);
  const job = type === "local" ? jobOf(chunk) : undefined;
  const common = { type, fun, ignored: [], ...job === undefined ? {} : { job } };
  if (Object.hasOwn(chunk, "args")) {
    const ignored = ["arg", "kwarg"].filter((name) => Object.hasOwn(chunk, name));
    const { args } = chunk;
    if (type === "caller" && Array.isArray(args) && !isListOfMaps(args)) {
      return { ...common, ignored, arg: args, kwarg: {} };
    }
    return { ...common, ignored, arg: [], kwarg: isMap(args) ? recordOf(entriesOf(args)) : repacked(args) };
  }
  const whole = Object.hasOwn(chunk, "arg") && Object.hasOwn(chunk, "kwarg");
  const bound = (type === "runner" || type === "wheel") && !whole
    ? boundArguments(chunk, type, fun, await signatureOf(type, fun))
    : { arg: [], kwarg: {} };
  return {
    ...common,
    arg: Object.hasOwn(chunk, "arg") ? listed(chunk.arg) : bound.arg,
    kwarg: Object.hasOwn(chunk, "kwarg") ? mapped(chunk.kwarg) : bound.kwarg,
  };
}

function jobOf(chunk: LowChunk): NonNullable<ReactionCall["job"]> {
  const { tgt, tgt_type, ret, jid } = chunk;
  if (tgt === undefined || tgt === null || tgt === "") {
    throw new ReactionError("tgt is missing: set it to a target of minions");
  }
  const kwargs = JOB_FIELDS.filter((name) => Object.hasOwn(chunk, name)).map((name) => [name, chunk[name]] as const);
  return {
    tgt: Array.isArray(tgt) ? tgt.map(str) : str(tgt),
    ...typeof tgt_type === "string" ? { tgt_type } : {},
    ...typeof ret === "string" ? { ret } : {},
    ...typeof jid === "string" ? { jid } : {},
    kwargs: Object.fromEntries(kwargs),
  };
}

const isListOfMaps = (list: readonly unknown[]) => list.length > 0 && list.every((one) => isMap(one) || isRecord(one));

function listed(value: unknown): unknown[] {
  if (value === null) throw new ReactionError("arg is empty: remove it, or write a list");
  return Array.isArray(value) ? value : [value];
}

function mapped(value: unknown): Record<string, unknown> {
  if (isMap(value)) return recordOf(entriesOf(value));
  if (value === null) return {};
  throw new ReactionError(`kwarg must be a map of names and values, not ${repr(value)}`);
}

function recordOf(entries: Iterable<readonly [unknown, unknown]>): Record<string, unknown> {
  return Object.fromEntries(Array.from(entries, ([key, value]) => [str(key), value]));
}

/** Merges a list of maps with one entry each; for a repeated name, the last entry wins. @throws {ReactionError} in Salt's words */
function repacked(list: unknown): Record<string, unknown> {
  const entries = Array.isArray(list) ? list.map(entryOf) : [];
  if (entries.length === 0 || entries.includes(undefined)) {
    throw new ReactionError(
      "Incorrect argument format, check the Reactor System documentation for the correct format: args must be a list of " +
        `maps of one argument each, not ${repr(list)}`,
    );
  }
  return recordOf(entries as [unknown, unknown][]);
}

/** The entry of a map with one entry; undefined for any other value. @see salt/utils/data.py repack_dictlist */
function entryOf(one: unknown): readonly [unknown, unknown] | undefined {
  if (isMap(one)) {
    const entries = entriesOf(one);
    return entries.length === 1 ? entries[0] : undefined;
  }
  return typeof one === "string" || isInteger(one) || isFloat(one) ? [one, null] : undefined;
}

/** The arguments among the other fields of a chunk. @see salt/utils/args.py format_call */
function boundArguments(
  chunk: LowChunk,
  type: string,
  fun: string,
  signature: Signature | undefined,
): { arg: unknown[]; kwarg: Record<string, unknown> } {
  if (signature === undefined) throw new ReactionError(`${type} function ${fun} is not available`);
  const { params, keywords } = signature;
  const needed = params.filter((param) => !("default" in param));
  const missing = needed.filter(({ name }) => !Object.hasOwn(chunk, name));
  if (missing.length > 0) throw new ReactionError(`${fun} lacks ${missing.map(({ name }) => name).join(", ")}`);
  const known = new Set(params.map(({ name }) => name));
  const extra = Object.entries(chunk).filter(([name]) => !known.has(name) && !INTERNAL.has(name));
  if (keywords === undefined && extra.length > 0) {
    throw new ReactionError(`${extra.map(([name]) => `'${name}'`).join(", ")} is not an argument of ${fun}`);
  }
  const defaults = params.filter((param) => "default" in param)
    .map((param) => [param.name, Object.hasOwn(chunk, param.name) ? chunk[param.name] : param.default] as const);
  return {
    arg: needed.map(({ name }) => chunk[name]),
    kwarg: Object.fromEntries([...defaults, ...keywords === undefined ? [] : extra]),
  };
}
