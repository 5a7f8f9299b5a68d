/** Commands as clients send them: chunks of a lowstate. */
import { isFloat, isInteger, isMap, repr } from "../../../language/python/values.ts";
import type { Identity } from "../auth/permissions.ts";
import type { GuardedBackend } from "../backend/guarded_backend.ts";
import type { Call } from "../requests/call.ts";
import type { GatewaySettings } from "../settings.ts";
import { HttpError } from "../wire/errors.ts";

/** One chunk: the client that runs it, the function, and fields for either. */
export type Low = Record<string, unknown>;

export interface LowContext {
  backend: GuardedBackend;
  settings: GatewaySettings;
  /** The caller; undefined if the credentials are in the chunk. */
  identity: Identity | undefined;
  /** Aborted when the caller disconnects. */
  signal: AbortSignal;
}

export function lowContext({ services: { settings }, backend, identity, request }: Call): LowContext {
  return { backend, settings, identity, signal: request.signal };
}

/** The chunks of a body: one mapping or a list of them, each with its `arg` as a list. @throws {HttpError} 400 */
export function lowstates(data: unknown): Low[] {
  const list = isMap(data) ? [data] : data;
  if (!Array.isArray(list)) throw new HttpError(400, "Lowstates must be a list");
  return list.map((low, at) => {
    if (!isMap(low) || low instanceof Map) {
      throw new HttpError(400, `Lowstate ${at} is ${describe(low)}: expected a mapping of text keys`);
    }
    const copy: Low = { ...low };
    if (copy.arg !== undefined && !Array.isArray(copy.arg)) copy.arg = [copy.arg];
    return copy;
  });
}

function describe(value: unknown): string {
  if (isInteger(value) || isFloat(value) || typeof value === "string") return repr(value);
  return value === null ? "null" : Array.isArray(value) ? "a list" : `a ${value instanceof Map ? "map" : typeof value}`;
}
