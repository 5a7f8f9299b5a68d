import { hasFunction, type StateContext } from "../../../model/loader/states.ts";
import { CommandExecutionError } from "../../../model/loader/family.ts";
import { type Args, equal, str, truthy } from "../../../language/python/values.ts";
import { isDirectory } from "../../linux/paths.ts";

/** What of a user is not as it shall be: attribute → wanted value. */
export type UserChanges = Map<string, unknown>;

export interface UserInfo {
  uid: number;
  gid: number;
  groups: string[];
  home: string;
  shell: string;
  [field: string]: unknown;
}

export interface ShadowInfo {
  passwd: string;
  [field: string]: unknown;
}

/** The fields of the full name that are compared, each with the function that it needs. */
export const GECOS = ["fullname", "roomnumber", "workphone", "homephone", "other"] as const;

/** Numbers of the password's age: parameter → field of `shadow.info`. */
export const AGES = { date: "lstchg", mindays: "min", maxdays: "max", inactdays: "inact", warndays: "warn" } as const;

/** True if a group that is missing or too much differs by more than its name: two names may stand for one number. */
async function groupsDiffer(context: StateContext, now: string[], wanted: string[], remove: boolean): Promise<boolean> {
  const missing = wanted.filter((group) => !now.includes(group));
  const surplus = now.filter((group) => !wanted.includes(group));
  if (missing.length === 0 && (surplus.length === 0 || !remove)) return false;
  const gids = new Map<string, unknown>();
  for (const group of new Set([...now, ...wanted])) {
    gids.set(group, (await context.call("group.info", [group]) as { gid?: number }).gid);
  }
  const differing = remove ? [...missing, ...surplus] : missing;
  return differing.some((group) => ![...gids].some(([other, gid]) => other !== group && gid === gids.get(group)));
}

/** Takes a group and all others of its number from a list. */
function without(groups: string[], group: string, gids: ReadonlyMap<string, unknown>): string[] {
  const gid = gids.get(group);
  return groups.filter((other) => other !== group && (gid === undefined || gids.get(other) !== gid));
}

async function groupChange(
  context: StateContext,
  args: Args,
  user: UserInfo,
): Promise<string[] | undefined> {
  const { name, gid, groups, optional_groups: optional, remove_groups: removeGroups } = args;
  const remove = truthy(removeGroups);
  const gids = new Map<string, unknown>();
  for (const group of user.groups) gids.set(group, await context.call("file.group_to_gid", [group]));
  let wanted: string[] = [...(groups as string[] | null ?? []), ...(optional as string[] | null ?? [])].map(str);
  let now = [...user.groups];
  if (!remove || (groups === null && !truthy(optional))) wanted.push(...now);
  wanted = [...new Set(wanted)].sort();
  // Whose number is the user's own group is in no list of groups.
  const own = str(await context.call("file.gid_to_group", [gid ?? user.gid]));
  const before = str(await context.call("file.gid_to_group", [user.gid]));
  now = without(now, own, gids);
  wanted = without(wanted, own, gids);
  if (before !== own) now = without(now, before, gids);
  if (!wanted.includes(str(name))) now = without(now, str(name), gids);
  if (!await groupsDiffer(context, now, wanted, remove)) return undefined;
  return wanted.length > 0 || remove ? wanted : undefined;
}

async function shadowChanges(context: StateContext, args: Args, shadow: ShadowInfo): Promise<UserChanges> {
  const changes: UserChanges = new Map();
  const { password, enforce_password: enforce, empty_password: empty, expire, password_lock: lock } = args;
  if (truthy(password) && !truthy(empty) && shadow.passwd !== password) {
    const unset = shadow.passwd === await context.call("shadow.default_hash");
    if (unset || truthy(enforce)) changes.set("passwd", password);
  }
  if (truthy(empty) && shadow.passwd !== "") changes.set("empty_password", true);
  for (const [parameter, field] of Object.entries(AGES)) {
    if (args[parameter] !== null && !equal(shadow[field], args[parameter])) changes.set(parameter, args[parameter]);
  }
  if (truthy(expire) && !equal(shadow.expire, expire)) changes.set("expire", expire);
  const locked = shadow.passwd.startsWith("!");
  if (truthy(lock) ? !locked : lock === false && locked) changes.set("password_lock", lock);
  return changes;
}

/** @throws {CommandExecutionError} naming numbers that may not be changed */
function refuseNumbers(args: Args, user: UserInfo, changes: UserChanges): void {
  const errors = (["uid", "gid"] as const).filter((id) => changes.has(id) && !truthy(args[`allow_${id}_change`]))
    .map((id) =>
      `Changing ${id} (${user[id]} -> ${str(args[id])}) not permitted, set allow_${id}_change to True to force this ` +
      "change. Note that this will not change file ownership."
    );
  if (errors.length > 0) {
    throw new CommandExecutionError("Encountered error checking for needed changes", { info: errors });
  }
}

/** Undefined if there is no such user. @throws {CommandExecutionError} if a number would change and may not */
export async function changesTo(context: StateContext, args: Args): Promise<UserChanges | undefined> {
  const { name, uid, gid, home, createhome, shell } = args;
  const hasShadow = await hasFunction(context, "shadow.info");
  const shadow = hasShadow ? await context.call("shadow.info", [name]) as ShadowInfo : undefined;
  const user = await context.call("user.info", [name]) as UserInfo;
  if (!truthy(user)) return undefined;
  const changes: UserChanges = new Map();
  if (truthy(uid) && !equal(user.uid, uid)) changes.set("uid", uid);
  if (gid !== null && !equal(user.gid, gid) && !equal(user.gid, await context.call("file.group_to_gid", [gid]))) {
    changes.set("gid", gid);
  }
  const groups = await groupChange(context, args, user);
  if (groups !== undefined) changes.set("groups", groups);
  if (truthy(home) && user.home !== home) changes.set("home", home);
  const newHome = truthy(home) ? home : user.home;
  if (truthy(createhome) && newHome !== null && !isDirectory(context.runtime.fs, str(newHome))) {
    changes.set("homeDoesNotExist", newHome);
  }
  if (truthy(shell) && user.shell !== shell) changes.set("shell", shell);
  if (shadow !== undefined && await hasFunction(context, "shadow.default_hash")) {
    for (const [key, value] of await shadowChanges(context, args, shadow)) changes.set(key, value);
  }
  for (const field of GECOS) if (args[field] !== null && user[field] !== args[field]) changes.set(field, args[field]);
  refuseNumbers(args, user, changes);
  return changes;
}
