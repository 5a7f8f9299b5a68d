import type { TokenRecord } from "../../client/tokens.ts";
import { inScope } from "../auth/api_keys.ts";
import type { Identity } from "../auth/identity.ts";
import type { Call } from "../requests/call.ts";
import { HttpError, NO_PERMISSION } from "../wire/errors.ts";

/** A caller who may listen to events, with the token that the master has just confirmed. */
export interface Listener {
  identity: Identity;
  record: TokenRecord;
}

/**
 * Authenticates a caller who wants to listen to events.
 *
 * @param presented a session id or token from the URL, for clients that can set neither header nor cookie
 * @throws {HttpError} 401
 */
export async function authenticateListener(call: Call, presented: string | undefined): Promise<Listener> {
  const { backend, services: { identities } } = call;
  let identity = call.identity;
  if (identity === undefined && presented) {
    identity = await identities.find(presented, call.peer.address);
    // Session ids and eauth tokens are both accepted here.
    if (identity === undefined && /^[0-9a-f]{32,128}$/.test(presented)) {
      const record = await backend.token(presented);
      if (record !== undefined) return { identity: { record }, record };
    }
  }
  if (identity === undefined || !inScope(identity, "events")) throw new HttpError(401, NO_PERMISSION);
  call.proven.add(identity.record.token);
  const record = await backend.token(identity.record.token);
  if (record === undefined) throw new HttpError(401, NO_PERMISSION);
  return { identity, record };
}
