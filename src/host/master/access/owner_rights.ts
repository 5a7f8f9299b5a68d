import type { JobOwner } from "../../../model/job/job_cache.ts";
import { isRecord, type Load } from "../load.ts";
import type { AccessServices } from "./access_services.ts";
import { blacklisted, callsOf, scopeOf } from "./authorize_publication.ts";
import type { Permissions } from "./acl.ts";
import type { Caller } from "./callers.ts";
import { carriedBy } from "./carried.ts";

/** Returns a caller as the owner in a job's record; undefined for a caller that may do everything. */
export function ownerOf({ user, proof, permissions, login }: Caller): JobOwner | undefined {
  return permissions === undefined ? undefined : { user, proof, ...login };
}

/** Returns what the owner of a job may do now, or a text that says why nothing is permitted any more. */
async function permissionsNow(
  { callers, externalAuth, tokens, runtime: { clock } }: AccessServices,
  { user, proof, eauth = "", groups = [], granted, token }: JobOwner,
): Promise<{ permissions: Permissions | undefined } | string> {
  if (proof === "user") return callers.ofLocalUser(user) ?? "its owner no longer has permission to publish";
  // A token that has expired by itself takes no right away; one that was revoked does.
  if (token !== undefined && token.expire > clock.now() / 1000 && !tokens.hasHash(token.sha256)) {
    return "the token of its owner was revoked";
  }
  const now = await externalAuth.permissionsOf({ name: user, eauth, groups });
  if (now === undefined) return "its owner can no longer log in";
  return { permissions: granted ?? now };
}

/**
 * Returns why the owner of a job may no longer run it on a minion; undefined if the owner may.
 *
 * @param load the job as minions get it
 * @param minion undefined for minions below syndics
 * @throws any error that prevents an answer
 */
export async function ownerFault(
  services: AccessServices,
  owner: JobOwner,
  load: Load,
  minion: string | undefined,
): Promise<string | undefined> {
  const { rules, opts } = services;
  const now = await permissionsNow(services, owner);
  if (typeof now === "string") return now;
  const { permissions } = now;
  const fault = "its owner no longer has permission to run it";
  if (blacklisted(services, [owner.user], [load.fun].flat().map(String))) return fault;
  if (permissions === undefined) return undefined;
  const calls = callsOf(load);
  const below = { minions: ["*"], expand: (rule: string) => rule === "*" ? ["*"] : [] };
  const scope = minion === undefined ? below : scopeOf(services, [minion]);
  const may = opts["auth.enable_expanded_auth_matching"] === true && minion !== undefined
    ? rules.mayPublishExpanded(permissions, calls, scope)
    : rules.mayPublish(permissions, calls, scope);
  if (!may) return fault;
  const caller: Caller = { user: owner.user, proof: owner.proof, permissions };
  const { timeout } = isRecord(load.delivery) ? load.delivery : {};
  const carried = await carriedBy(services, caller, { ...load, jid: "" }, {
    ...load,
    queue: true,
    job_timeout: timeout,
  });
  return "denied" in carried ? fault : undefined;
}
