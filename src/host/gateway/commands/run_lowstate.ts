import { checkScope } from "../auth/api_keys.ts";
import type { Call } from "../requests/call.ts";
import type { GatewaySettings } from "../settings.ts";
import { HttpError } from "../wire/errors.ts";
import { type Client, clientOf } from "./clients.ts";
import { checkToken } from "./low_fields.ts";
import { type Low, lowContext } from "./lowstate.ts";

/**
 * Runs the chunks of a lowstate one after the other and returns their results. As in Salt, the first failure ends the
 * run.
 *
 * @param forced fields that the route sets, which override the request
 * @throws {HttpError} for a chunk that is malformed, not allowed here, or without credentials
 * @throws {RefusedError} if the master refuses
 */
export async function runLowstates(call: Call, lows: readonly Low[], forced: Low = {}): Promise<unknown[]> {
  const { identity } = call;
  const context = lowContext(call);
  const results: unknown[] = [];
  for (const given of lows) {
    const low: Low = { ...given, ...forced };
    // A caller with a session acts as that user, whatever credentials the chunk has.
    if (identity !== undefined) low.token = identity.record.token;
    checkScope(identity, low);
    const result = checkedClient(low, context.settings)(low, context);
    if (!(Symbol.asyncIterator in result)) results.push(await result);
    else for await (const one of result) results.push(one);
  }
  return results;
}

/** The client that a chunk may use. @throws {HttpError} 400, 401 */
function checkedClient(low: Low, { clients, allowRawShell }: GatewaySettings): Client {
  const { client: name } = low;
  checkToken(low);
  const client = clientOf(name);
  // `None` is Python's text for a missing value.
  if (client === undefined) throw new HttpError(400, `Invalid client specified: '${name ?? "None"}'`);
  if (!clients.has(String(name))) {
    throw new HttpError(
      400,
      `Client disabled: '${name}'. Add to 'netapi_enable_clients' master config option to enable.`,
    );
  }
  if (low.token === undefined && low.eauth === undefined) {
    throw new HttpError(401, "No authentication credentials given");
  }
  if (low.raw_shell && !allowRawShell) throw new HttpError(401, "Raw shell option not allowed.");
  return client;
}
