import { SaltError } from "../errors.ts";

/** A request to the master that could not be made, or that the master refused. */
export class ClientError extends SaltError {}

/**
 * The refusal in a master's reply, `{error: {name, message}}` or `{error: "…"}`; undefined if the reply is none.
 *
 * @param fallback the message for a refusal without words
 */
export function refusalOf(reply: unknown, fallback: string): ClientError | undefined {
  const error = (reply as { error?: { name?: unknown; message?: unknown } | string } | null)?.error;
  if (error === undefined) return undefined;
  if (typeof error === "string") return new ClientError("REFUSED", error, { kind: "" });
  return new ClientError("REFUSED", String(error.message ?? fallback), { kind: String(error.name ?? "") });
}
