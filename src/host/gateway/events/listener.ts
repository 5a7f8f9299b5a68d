import type { TokenRecord } from "../../../client/tokens.ts";
import { inScope } from "../auth/api_keys.ts";
import type { Identity } from "../auth/permissions.ts";
import type { Call } from "../requests/call.ts";
import { HttpError, NO_PERMISSION } from "../wire/errors.ts";
import type { Sight } from "./event_sight.ts";

/** A caller who may listen to events, with the token that the master has just confirmed. */
export interface EventListenerRights {
  identity: Identity;
  record: TokenRecord;
  sight: Sight;
}

/** A listener, with the events that the master's rules allow. @param record the master's current record of the token */
export async function listenerOf(
  { services: { open } }: Call,
  identity: Identity,
  record: TokenRecord,
): Promise<EventListenerRights> {
  // Another salt-api may not return the owner of a token; the login has the name.
  const owner = record.name === "" ? { ...record, name: identity.record.name } : record;
  return { identity, record: owner, sight: { user: owner.name, all: await open.mayReadAllEvents(owner) } };
}

/**
 * Authenticates a caller that wants to listen to events.
 *
 * @param presented a session id or token from the URL, for clients that can set neither header nor cookie
 * @throws {HttpError} 401
 */
export async function authenticateListener(call: Call, presented: string | undefined): Promise<EventListenerRights> {
  const { backend, services: { identities } } = call;
  let identity = call.identity;
  if (identity === undefined && presented) {
    identity = await identities.find(presented, call.peer.address);
    // Session ids and eauth tokens are both accepted here.
    if (identity === undefined && /^[0-9a-f]{32,128}$/.test(presented)) {
      const record = await backend.token(presented);
      if (record !== undefined) return await listenerOf(call, { record }, record);
    }
  }
  if (identity === undefined || !inScope(identity, "events")) throw new HttpError(401, NO_PERMISSION);
  call.proven.add(identity.record.token);
  const record = await backend.token(identity.record.token);
  if (record === undefined) throw new HttpError(401, NO_PERMISSION);
  return await listenerOf(call, identity, record);
}
