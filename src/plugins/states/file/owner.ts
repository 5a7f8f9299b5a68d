import type { JobContext } from "../../../model/loader/family.ts";
import { type Args, isInteger, str, truthy } from "../../../language/python/values.ts";
import { findAccount } from "../../../runtime/accounts.ts";
import { gidToGroup, groupToGid, lchown, stats, userToUid } from "../../modules/file/stats.ts";

/** The user of a state; `owner` is an old word for it. */
export function userOf(kwargs: unknown, user: unknown): unknown {
  if (truthy(user)) return user;
  const { owner } = kwargs as Args;
  return owner === undefined ? user : owner;
}

/** Says which of user and group this host does not know; empty in a dry run, where an earlier state may be to create them. */
export function unknownOwner(context: JobContext, user: unknown, group: unknown): string {
  let text = "";
  if (truthy(user) && userToUid(context, user) === "") text += `User ${str(user)} is not available `;
  if (truthy(group) && groupToGid(context, group) === "") text += `Group ${str(group)} is not available`;
  if (text !== "" && truthy(context.opts.test)) {
    context.log.warning("owner of a state is not available", { text });
    return "";
  }
  return text;
}

/** The owner of what is made: the minion's user, and that user's first group, where a state names none. */
export function ownerOr(context: JobContext, user: unknown, group: unknown): { user: unknown; group: unknown } {
  const owner = user ?? context.opts.user ?? context.runtime.host.user().name;
  if (group !== null && group !== undefined) return { user: owner, group };
  const account = findAccount(context.runtime, isInteger(owner) ? Number(owner) : str(owner));
  return { user: owner, group: gidToGroup(context, account?.gid ?? 0) };
}

/** Complaints about a user and a group that do not exist. */
export function missingOwners(context: JobContext, user: unknown, group: unknown): string[] {
  const errors: string[] = [];
  if (userToUid(context, user) === "") errors.push(`User ${str(user)} does not exist`);
  if (groupToGid(context, group) === "") errors.push(`Group ${str(group)} does not exist`);
  return errors;
}

/** Complaints as one comment. */
export const joinedErrors = (errors: readonly string[]): string => errors.join(". ") + (errors.length > 1 ? "." : "");

export function linkOwner(context: JobContext, path: string): { user: unknown; group: unknown } {
  const { user, group } = stats(context, path, null, false);
  return { user, group };
}

export function ownsLink(context: JobContext, path: string, user: unknown, group: unknown): boolean {
  const owner = linkOwner(context, path);
  return owner.user === user && owner.group === group;
}

/** @returns false if the link has another owner afterwards */
export function takeLink(context: JobContext, path: string, user: unknown, group: unknown): boolean {
  try {
    lchown(context, path, user, group);
  } catch (error) {
    context.log.debug("cannot change the owner of a link", { path, error: String(error) });
  }
  return ownsLink(context, path, user, group);
}
