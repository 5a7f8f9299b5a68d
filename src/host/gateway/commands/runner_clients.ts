/** The clients `runner` and `runner_async`: functions of the master. */
import type { RunnerRequest } from "../../../client/runner.ts";
import { parseArguments } from "../../../model/job/args.ts";
import { entriesOf, isMap } from "../../../language/python/values.ts";
import { HttpError, RefusedError } from "../wire/errors.ts";
import { fieldOf } from "../wire/json.ts";
import { argList, checkFunctionNames, flag, lowCredentials, milliseconds, topLevelArguments } from "./low_fields.ts";
import type { Low, LowContext } from "./lowstate.ts";

/** Fields of a chunk that are never arguments of the runner. */
const RESERVED = ["client", "fun", "arg", "kwarg", "timeout", "full_return", "user", "key"];
/** Matches the error of a runner that was called with an unknown argument. */
const UNEXPECTED_ARGUMENT = /got an unexpected keyword argument '([^']*)'/;
const MAX_RETRIES = 20;

/**
 * `runner`: runs a function of the master and waits for its return.
 *
 * Clients send top-level fields that are not meant for the runner, and only the runner knows its arguments. It
 * refuses unknown ones before it does anything, so the call is repeated without them.
 */
export async function runRunnerCall(low: Low, { backend, settings, signal }: LowContext): Promise<unknown> {
  const request = runnerRequest(low);
  const timeoutMs = milliseconds(low, "timeout") ?? settings.runnerTimeoutMs;
  for (let attempt = 0;; attempt++) {
    const { tag, data } = await backend.runner(request, { timeoutMs, signal });
    if (isMissing(request.fun, data)) throw new RefusedError("unknown", `'${request.fun}' is not available.`);
    const name = unexpectedArgument(data);
    const removable = name !== undefined && Object.hasOwn(request.kwarg, name) &&
      fieldOf(low.kwarg, name) === undefined;
    if (!removable || attempt >= MAX_RETRIES) return flag(low.full_return) ? { data, tag } : data.return;
    delete request.kwarg[name];
  }
}

/** `runner_async`: starts a function of the master and does not wait. */
export async function startRunnerCall(low: Low, { backend }: LowContext): Promise<unknown> {
  const { tag, jid } = await backend.startRunner(runnerRequest(low));
  return { tag, jid };
}

function runnerRequest(low: Low): RunnerRequest & { kwarg: Low } {
  const { fun, kwarg: given } = low;
  if (typeof fun !== "string" || fun === "") throw new HttpError(400, "runner takes at least 1 argument (0 given)");
  checkFunctionNames(fun);
  const { positional, keyword } = parseArguments(argList(low));
  const named = isMap(given) ? entriesOf(given) : [];
  const kwarg = Object.fromEntries([
    ...keyword,
    ...named.filter(([name]) => !String(name).startsWith("__")),
    ...Object.entries(topLevelArguments(low, RESERVED)),
  ]);
  return { fun, arg: positional, kwarg, credentials: lowCredentials(low) };
}

/** True if the runner does not exist. Salt's servers check that first, and answer with a separate error. */
function isMissing(fun: string, { success, return: text }: Record<string, unknown>): boolean {
  const sentence = `'${fun}' is not available.`;
  if (success !== false || typeof text !== "string") return false;
  // The second text is that of a Salt master, which notices only when it runs the function.
  return text === sentence ||
    (text.startsWith(`Exception occurred in runner ${fun}:`) && text.trimEnd().endsWith(sentence));
}

/** The name of the unknown argument because of which a runner did not run; undefined for any other return. */
function unexpectedArgument({ return: text }: Record<string, unknown>): string | undefined {
  if (typeof text !== "string" || !text.startsWith("\nPassed invalid arguments")) return undefined;
  return UNEXPECTED_ARGUMENT.exec(text)?.[1];
}
