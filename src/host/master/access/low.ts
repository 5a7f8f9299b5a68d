import { SaltInvocationError } from "../../../model/loader/family.ts";
import type { Signature } from "../../../model/loader/signature.ts";
import { isRecord, type Load } from "../load.ts";

/** Arguments of a runner or wheel function. */
interface Arguments {
  args: readonly unknown[];
  kwargs: Record<string, unknown>;
}

/** Fields of a load that describe the call and are not arguments, unless a parameter has the same name. */
const INTERNAL = new Set([
  "client",
  "cmd",
  "eauth",
  "fun",
  "kwarg",
  "match",
  "token",
  "username",
  "password",
  "__jid__",
  "__tag__",
  "__user__",
  "full_return",
  "print_event",
]);

/**
 * The arguments of a load: `arg` and `kwarg` where it has both, otherwise the parameters among its fields.
 *
 * @throws {SaltInvocationError} in Salt's words, if an argument is missing or unknown
 * @see salt/client/mixins.py SyncClientMixin.low
 */
export function lowArguments(low: Load, fun: string, { params, keywords }: Signature): Arguments {
  const whole = wholeOf(low);
  if (whole !== undefined) return whole;
  const name = fun.slice(fun.lastIndexOf(".") + 1);
  const kwargs: Record<string, unknown> = {};
  let given = 0;
  let missing = 0;
  for (const param of params) {
    if (Object.hasOwn(low, param.name)) {
      define(kwargs, param.name, low[param.name]);
      if (!("default" in param)) given++;
    } else if (!("default" in param)) missing++;
  }
  if (missing > 0) {
    const wanted = given + missing;
    throw new SaltInvocationError(`${name} takes at least ${wanted} argument${wanted > 1 ? "s" : ""} (${given} given)`);
  }
  const known = new Set(params.map((param) => param.name));
  const extra = Object.entries(low).filter(([field]) => !known.has(field) && !INTERNAL.has(field));
  if (keywords === undefined && extra.length > 0) {
    const names = extra.map(([field]) => `'${field}'`);
    const last = names.pop()!;
    throw new SaltInvocationError(
      names.length === 0
        ? `${last} is an invalid keyword argument for '${fun}'`
        : `${names.join(", ")} and ${last} are invalid keyword arguments for '${fun}'`,
    );
  }
  for (const [field, value] of extra) define(kwargs, field, value);
  return { args: [], kwargs };
}

/** Assigns a field of any name, `__proto__` included. */
function define(record: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(record, name, { value, enumerable: true, writable: true, configurable: true });
}

/** Returns the arguments of a load that has `arg` and `kwarg`; its other fields are then ignored. Undefined if it lacks one. */
export function wholeOf({ arg, kwarg }: Load): Arguments | undefined {
  if (arg === undefined || kwarg === undefined) return undefined;
  return { args: Array.isArray(arg) ? arg : [arg], kwargs: isRecord(kwarg) ? kwarg : {} };
}

/** Returns the arguments that permissions are checked with before the function is known: every field that could become an argument. */
export function calledWith(low: Load): Arguments {
  return wholeOf(low) ?? { args: [], kwargs: low };
}
