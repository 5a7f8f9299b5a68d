import { refusalOf } from "./client_error.ts";
import type { MasterLink } from "./bus_feed.ts";

/**
 * Sends a clear command and returns the master's reply.
 *
 * @throws {ClientError} `REFUSED` with the master's message, and in `kind` the master's name for the error
 */
export async function askClear(
  client: MasterLink,
  load: Record<string, unknown>,
  options: { timeoutMs?: number } = {},
): Promise<unknown> {
  const reply = await client.send(load, options);
  const refusal = refusalOf(reply, "The master refused");
  if (refusal !== undefined) throw refusal;
  return reply;
}
