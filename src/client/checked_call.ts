import { refuseUnknownKeys } from "../base/nearest_name.ts";
import { isRecord } from "../base/record.ts";
import type { RunnerCall, WheelCall } from "./salt.ts";

const CREDENTIALS = "the client uses the credentials of connect(): connect with other credentials";
const REMEDIES = { args: 'did you mean "arg"?', kwargs: 'did you mean "kwarg"?', credentials: CREDENTIALS };

/**
 * A call of a runner with its defaults.
 *
 * @throws {TypeError} naming the key or value that no master would understand
 */
export function checkedRunner(call: RunnerCall): Required<RunnerCall> {
  refuseUnknownKeys("a runner's call", call, ["fun", "arg", "kwarg"], REMEDIES);
  const { arg = [] } = call;
  if (!Array.isArray(arg)) {
    throw new TypeError(`Cannot read arg ${JSON.stringify(arg)}: expected a list, [${JSON.stringify(arg)}]`);
  }
  return { ...checkedWheel({ fun: call.fun, ...(call.kwarg && { kwarg: call.kwarg }) }, "manage.up"), arg };
}

/** As {@link checkedRunner}, for a wheel function, whose arguments are all named. */
export function checkedWheel(call: WheelCall, example = "key.list_all"): Required<WheelCall> {
  const remedies = { ...REMEDIES, arg: "wheel functions have only named arguments: use kwarg" };
  refuseUnknownKeys("a wheel function's call", call, ["fun", "kwarg"], remedies);
  const { fun, kwarg = {} } = call;
  if (typeof fun !== "string" || !fun.includes(".")) {
    throw new TypeError(`Cannot call ${JSON.stringify(fun) ?? fun}: fun is a function such as "${example}"`);
  }
  if (!isRecord(kwarg)) {
    throw new TypeError(`Cannot read kwarg ${JSON.stringify(kwarg)}: expected an object of names and values`);
  }
  return { fun, kwarg };
}
