/** The clients `wheel` and `wheel_async`: functions that manage the master. */
import type { WheelRequest } from "../../../client/wheel.ts";
import { HttpError } from "../wire/errors.ts";
import { checkFunctionNames, lowCredentials, topLevelArguments } from "./low_fields.ts";
import type { Low, LowContext } from "./lowstate.ts";

/** Fields of a chunk that are never arguments of the function. */
const RESERVED = ["client", "fun", "cmd", "user", "key"];

/** `wheel`: runs a function and waits for its return. */
export async function runWheelCall(low: Low, { backend }: LowContext): Promise<unknown> {
  return await backend.wheel(wheelRequest(low));
}

/**
 * `wheel_async`: answers once the function has ended. The master offers no other way, and it checks the credentials only with the
 * call: an earlier answer would go to any caller.
 */
export async function startWheel(low: Low, { backend }: LowContext): Promise<unknown> {
  const { tag, data } = await backend.wheel(wheelRequest(low));
  return { tag, jid: data.jid };
}

function wheelRequest(low: Low): WheelRequest {
  const { fun, client } = low;
  if (typeof fun !== "string" || fun === "") {
    throw new HttpError(400, `${client} takes at least 1 argument (0 given)`);
  }
  checkFunctionNames(fun);
  return { fun, kwarg: topLevelArguments(low, RESERVED), credentials: lowCredentials(low) };
}
