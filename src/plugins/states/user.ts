import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { outcome, stateFunction, stateFunctions } from "../../model/loader/states.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import { groupsOf } from "../../runtime/accounts.ts";
import { fails } from "./outcome.ts";
import { createUser, REDACTED, updateUser, upToDate } from "./user/apply.ts";
import { changesTo, GECOS, type ShadowInfo, type UserChanges } from "./user/changes.ts";

/** The name of a hash by its number in a password entry. */
const ALGORITHMS: Record<string, string> = { "1": "md5", "2a": "blowfish", "5": "sha256", "6": "sha512" };

/** The hash of a password in clear, with the salt of the one that is there, so that the same password is no change. */
async function hashed(context: StateContext, name: unknown, password: unknown): Promise<unknown> {
  const { passwd } = await context.call("shadow.info", [name]) as ShadowInfo;
  const [, kind = "", salt, hash] = str(passwd).split("$");
  const algorithm = ALGORITHMS[kind];
  if (hash === undefined || algorithm === undefined) return await context.call("shadow.gen_password", [password]);
  return await context.call("shadow.gen_password", [password], { crypt_salt: salt, algorithm });
}

async function missingOf(context: StateContext, groups: unknown): Promise<string[]> {
  const missing: string[] = [];
  for (const group of truthy(groups) ? (groups as unknown[]).map(str) : []) {
    if (!truthy(await context.call("group.info", [group]))) missing.push(group);
  }
  return missing;
}

/** The arguments with texts for the fields of the full name, and the password as a hash. */
async function prepared(context: StateContext, args: Args): Promise<Args> {
  const texts = Object.fromEntries(GECOS.map((field) => [field, args[field] === null ? null : str(args[field])]));
  const password = truthy(args.password) && truthy(args.hash_password)
    ? await hashed(context, args.name, args.password)
    : args.password;
  return { ...args, ...texts, password };
}

function predicted(args: Args, changes: UserChanges, missing: readonly string[]): StateReturn {
  const lines = [...changes].map(([key, value]) => `${key}: ${key === "passwd" ? REDACTED : str(value)}\n`);
  if (missing.length > 0) lines.push(`groups (pending creation): ${missing.join(",")}\n`);
  return outcome(args.name, null, `The following user attributes are set to be changed:\n${lines.join("")}`);
}

/** What useradd and usermod refuse on each host. */
function complaintOf({ uid, home, shell, password, ...args }: Args): string | undefined {
  const colon = GECOS.map((field) => args[field] as string | null).find((text) => /[:\n]/.test(text ?? ""));
  if (colon !== undefined) return `Unsupported char ':' in ${colon}`;
  if (truthy(password) && /[:\n]/.test(str(password))) return "The hash of a password has no colon and no line break";
  if (truthy(uid) && !/^\d+$/.test(str(uid))) return `The uid '${str(uid)}' is not valid: expected a number`;
  if (truthy(home) && !str(home).startsWith("/")) return `The home '${str(home)}' is not an absolute path`;
  return truthy(shell) && !/^[/*]/.test(str(shell)) ? `The shell '${str(shell)}' is not an absolute path` : undefined;
}

export const states: StateModule = {
  functions: stateFunctions({
    present: stateFunction({
      signature: `name, uid=None, gid=None, usergroup=None, groups=None, optional_groups=None, remove_groups=True,
        home=None, createhome=True, persist_home=False, password=None, hash_password=False, enforce_password=True,
        empty_password=False, shell=None, unique=True, system=False, fullname=None, roomnumber=None, workphone=None,
        homephone=None, other=None, loginclass=None, date=None, mindays=None, maxdays=None, inactdays=None,
        warndays=None, expire=None, win_homedrive=None, win_profile=None, win_logonscript=None,
        win_description=None, nologinit=False, allow_uid_change=False, allow_gid_change=False, password_lock=None`,
      doc: "The user is there, with these numbers, groups, home, shell, full name and password.",
      async run(context, given) {
        const args = await prepared(context, given);
        const { name } = args;
        const comma = [args.fullname, args.roomnumber, args.workphone].find((text) =>
          (text as string | null)?.includes(",")
        );
        if (comma !== undefined) return outcome(name, false, `Unsupported char ',' in ${comma}`);
        const complaint = complaintOf(args);
        if (complaint !== undefined) return outcome(name, false, complaint);
        const missing = await missingOf(context, args.groups);
        if (missing.length > 0) {
          if (!context.test) {
            return outcome(name, false, `The following group(s) are not present: ${missing.join(",")}`);
          }
          args.groups = (args.groups as unknown[]).map(str).filter((group) => !missing.includes(group));
        }
        const optional = new Set(await missingOf(context, args.optional_groups));
        args.optional_groups = truthy(args.optional_groups)
          ? (args.optional_groups as unknown[]).map(str).filter((group) => !optional.has(group))
          : null;
        const ownGroup = truthy(args.usergroup) && await context.call("file.group_to_gid", [name]) !== "";
        const changes = await changesTo(context, ownGroup ? { ...args, gid: name } : args).catch(fails());
        if (changes === undefined) {
          if (!context.test) return await createUser(context, args);
          const pending = missing.length > 0 ? ` (pending groups: ${missing.join(",")})` : "";
          return outcome(name, null, `User ${str(name)} set to be added${pending}`);
        }
        if (changes.size === 0) return outcome(name, true, upToDate(name));
        return context.test ? predicted(args, changes, missing) : await updateUser(context, args, changes);
      },
    }),
    "absent(name, purge=False, force=False)": {
      doc: "There is no such user; `purge` removes the home directory too, `force` also a user who is logged in.",
      async run(context, { name, purge, force }) {
        if (!truthy(await context.call("user.info", [name]))) {
          return outcome(name, true, `User ${str(name)} is not present`);
        }
        if (context.test) return outcome(name, null, `User ${str(name)} set for removal`);
        const before = groupsOf(context.runtime, str(name));
        if (!truthy(await context.call("user.delete", [name, purge, force]))) {
          return outcome(name, false, `Failed to remove user ${str(name)}`);
        }
        const gone = await missingOf(context, before);
        const changes = Object.fromEntries(gone.map((group) => [`${group} group`, "removed"]));
        return outcome(name, true, `Removed user ${str(name)}`, { ...changes, [str(name)]: "removed" });
      },
    },
  }),
};
