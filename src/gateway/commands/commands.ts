/** What several routes do alike: carrying out commands in the name of who asks. */
import { inScope } from "../auth/identities.ts";
import type { Call, Identity } from "../requests/call.ts";
import { HttpError } from "../wire/errors.ts";
import { execute, type Low, type LowContext } from "./lowstate.ts";

/** With what commands of this request are carried out. */
export function lowContext({ services: { settings }, backend, request }: Call): LowContext {
  return { backend, settings, signal: request.signal };
}

/** An API key may do less than the one it acts for. */
export function checkScope(identity: Identity | undefined, low: Low): void {
  if (identity?.scopes === undefined) return;
  for (const fun of [low.fun].flat()) {
    if (!inScope(identity, `${low.client}:${fun}`)) throw new HttpError(401, `The API key does not cover ${fun}`);
  }
}

/**
 * Carries out commands one after the other; the first that fails ends it, as in the original.
 *
 * @param forced fields that the route sets, whatever the request says
 */
export async function runAll(call: Call, lows: readonly Low[], forced: Low = {}): Promise<unknown[]> {
  const { identity } = call;
  const context = lowContext(call);
  const results: unknown[] = [];
  for (const low of lows) {
    const whole: Low = { ...low, ...forced };
    // Who has signed in speaks for themselves, whatever else the command says.
    if (identity !== undefined) whole.token = identity.record.token;
    checkScope(identity, whole);
    for await (const result of execute(whole, context)) results.push(result);
  }
  return results;
}
