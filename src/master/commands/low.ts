import { SaltInvocationError } from "../../loader/family.ts";
import type { Signature } from "../../loader/signature.ts";
import { isRecord, type Load } from "../services.ts";

/** What a function of the master is called with. */
export interface Arguments {
  args: readonly unknown[];
  kwargs: Record<string, unknown>;
}

/** Fields of a load that are about the call and are never its arguments; a parameter may have the name of one all the same. */
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
 * The arguments of a load: `arg` and `kwarg` where it has both, otherwise the parameters that stand among its own fields.
 *
 * @throws {SaltInvocationError} in Salt's words, if one is missing or there is one too many
 * @see salt/client/mixins.py SyncClientMixin.low
 */
export function argumentsOf(low: Load, fun: string, { params, keywords }: Signature): Arguments {
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

/** As an assignment, for any name: one called `__proto__` is a name like any other. */
function define(record: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(record, name, { value, enumerable: true, writable: true, configurable: true });
}

/** Positional and named arguments of a load that has both in fields of their own; its other fields are then never looked at. */
export function wholeOf({ arg, kwarg }: Load): Arguments | undefined {
  if (arg === undefined || kwarg === undefined) return undefined;
  return { args: Array.isArray(arg) ? arg : [arg], kwargs: isRecord(kwarg) ? kwarg : {} };
}

/** What permissions look at of a load, before its function is known: everything that could become an argument. */
export function calledWith(low: Load): Arguments {
  return wholeOf(low) ?? { args: [], kwargs: low };
}
