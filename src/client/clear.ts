import type { LocalClient } from "./local.ts";
import { ClientError } from "./local.ts";

/**
 * Sends a clear command whose refusal is `{error: {name, message}}`.
 *
 * @throws {ClientError} `REFUSED` with the master's words, and `kind`, its name for them
 */
export async function askClear(
  client: LocalClient,
  load: Record<string, unknown>,
  options: { timeoutMs?: number } = {},
): Promise<unknown> {
  const reply = await client.send(load, options);
  const error = (reply as { error?: { name?: unknown; message?: unknown } | string } | null)?.error;
  if (error === undefined) return reply;
  if (typeof error === "string") throw new ClientError("REFUSED", error, { kind: "" });
  throw new ClientError("REFUSED", String(error.message ?? "The master refused"), { kind: String(error.name ?? "") });
}
