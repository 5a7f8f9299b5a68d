import { hasFunction, outcome, type StateContext, type StateReturn } from "../../../model/loader/states.ts";
import { type Args, equal, mapOf, str, truthy } from "../../../language/python/values.ts";
import { isDirectory } from "../../linux/paths.ts";
import { AGES, changesTo, type ShadowInfo, type UserChanges, type UserInfo } from "./changes.ts";

/** What stands in the place of a hash. */
export const REDACTED = "XXX-REDACTED-XXX";

const HOME_MODE = 0o755;

async function setPassword(context: StateContext, { name, password }: Args, changes: UserChanges) {
  if (changes.delete("passwd")) await context.call("shadow.set_password", [name, password]);
  if (changes.delete("empty_password")) await context.call("shadow.del_password", [name]);
  if (changes.has("password_lock")) {
    const lock = truthy(changes.get("password_lock"));
    changes.delete("password_lock");
    await context.call(lock ? "shadow.lock_password" : "shadow.unlock_password", [name]);
  }
}

async function setHome(context: StateContext, args: Args, changes: UserChanges, before: UserInfo) {
  const missing = changes.get("homeDoesNotExist");
  const home = missing ?? changes.get("home");
  if (home === undefined) return;
  changes.delete("home");
  changes.delete("homeDoesNotExist");
  await context.call("user.chhome", [args.name, home], { persist: args.persist_home });
  if (missing !== undefined && !isDirectory(context.runtime.fs, str(missing))) {
    await context.call("file.mkdir", [missing, before.uid, before.gid, HOME_MODE]);
  }
}

/** What is other than before, by field. */
function difference(before: Record<string, unknown>, after: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(after).filter(([key, value]) => !equal(before[key], value))
      .map(([key, value]) => [key, key === "passwd" ? REDACTED : value]),
  );
}

/** Makes the changes of an existing user, and looks whether they are made. */
export async function updateUser(context: StateContext, args: Args, changes: UserChanges): Promise<StateReturn> {
  const { name } = args;
  const hasShadow = await hasFunction(context, "shadow.info");
  const shadow = hasShadow ? await context.call("shadow.info", [name]) as ShadowInfo : undefined;
  const before = await context.call("user.info", [name]) as UserInfo;
  await setPassword(context, args, changes);
  if (changes.delete("date")) await context.call("shadow.set_date", [name, args.date]);
  await setHome(context, args, changes, before);
  for (const age of [...Object.keys(AGES), "expire"]) {
    if (changes.delete(age)) await context.call(`shadow.set_${age}`, [name, args[age]]);
  }
  for (const [key, value] of changes) {
    if (key !== "groups") await context.call(`user.ch${key}`, [name, value]);
  }
  if (changes.has("groups")) {
    await context.call("user.chgroups", [name, changes.get("groups"), !truthy(args.remove_groups)]);
  }
  const made = difference(before, await context.call("user.info", [name]) as UserInfo);
  if (shadow !== undefined && shadow.passwd !== args.password) {
    Object.assign(made, difference(shadow, await context.call("shadow.info", [name]) as ShadowInfo));
  }
  const left = await changesTo(context, { ...args, allow_uid_change: true, allow_gid_change: true });
  if (left !== undefined && left.size > 0) {
    if (left.has("passwd")) left.set("passwd", REDACTED);
    return outcome(name, false, `These values could not be changed: ${str(mapOf(left))}`, made);
  }
  const comment = Object.keys(made).length > 0 ? `Updated user ${str(name)}` : upToDate(name);
  return outcome(name, true, comment, made);
}

export const upToDate = (name: unknown): string => `User ${str(name)} is present and up to date`;

/** The words for the ages of a password that could not be set. */
const AGE_WORDS: Record<string, string> = {
  date: "last change date",
  mindays: "minimum days",
  maxdays: "maximum days",
  inactdays: "inactive days",
  warndays: "warn days",
  expire: "expire days",
};

/** Sets password and its ages of a user that was just made; the failure of the last one is reported. */
async function setShadow(context: StateContext, args: Args, ret: StateReturn): Promise<void> {
  const { name, password, empty_password: empty } = args;
  const created = `User ${str(name)} created but failed to`;
  const check = async (field: string, wanted: unknown, failure: string) => {
    const shadow = await context.call("shadow.info", [name]) as ShadowInfo;
    if (equal(shadow[field], wanted)) return;
    ret.comment = `${created} ${failure}`;
    ret.result = false;
  };
  if (truthy(password) && !truthy(empty)) {
    await context.call("shadow.set_password", [name, password]);
    await check("passwd", password, `set password to ${REDACTED}`);
    ret.changes.password = REDACTED;
  }
  if (truthy(empty) && !truthy(password)) {
    await context.call("shadow.del_password", [name]);
    await check("passwd", "", "empty password");
    ret.changes.password = "";
  }
  for (const [age, field] of Object.entries({ ...AGES, expire: "expire" })) {
    const wanted = args[age];
    if (age === "date" ? wanted === null : !truthy(wanted)) continue;
    await context.call(`shadow.set_${age}`, [name, wanted]);
    await check(field, wanted, `set ${AGE_WORDS[age]} to ${str(wanted)}`);
    ret.changes[age] = wanted;
  }
}

export async function createUser(context: StateContext, args: Args): Promise<StateReturn> {
  const { name, groups, optional_groups: optional } = args;
  const all = truthy(optional) ? [...(groups ?? []) as unknown[], ...optional as unknown[]] : groups;
  const { uid, gid, home, shell, unique, system, createhome, nologinit, loginclass, usergroup } = args;
  const { fullname, roomnumber, workphone, homephone, other } = args;
  const result = await context.call("user.add", [], {
    name,
    uid,
    gid,
    groups: all,
    home,
    shell,
    unique,
    system,
    fullname,
    roomnumber,
    workphone,
    homephone,
    other,
    createhome,
    nologinit,
    loginclass,
    usergroup,
  });
  if (result !== true) {
    return outcome(name, false, typeof result === "string" ? result : `Failed to create new user ${str(name)}`);
  }
  const info = await context.call("user.info", [name]) as Record<string, unknown>;
  const ret = outcome(name, true, `New user ${str(name)} created`, { ...info });
  if (!truthy(createhome)) ret.changes.home = "";
  if (await hasFunction(context, "shadow.info")) await setShadow(context, args, ret);
  return ret;
}
