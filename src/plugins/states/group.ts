import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { outcome, stateFunctions } from "../../model/loader/states.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";

interface GroupInfo {
  gid: number;
  members: string[];
}

/** What of a group is not as it shall be. A gid that is no number stands as `result` and `comment`, as Salt shows it. */
type Changes = Record<string, unknown>;

const namesIn = (value: unknown): string[] => (value as unknown[]).map(str);

/** A gid as a number; undefined if it is none. */
function gidOf(gid: unknown): number | undefined {
  const text = str(gid).trim();
  return /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}

function memberChanges(now: readonly string[], { addusers, delusers, members }: Args): Changes {
  const changes: Changes = {};
  if (members !== null) {
    const wanted = namesIn(members);
    const same = wanted.every((user) => now.includes(user)) && now.every((user) => wanted.includes(user));
    if (!same && wanted.length === 0) changes.delusers = new Set(now);
    else if (!same) changes.members = wanted;
  }
  if (truthy(addusers)) {
    const missing = namesIn(addusers).filter((user) => !now.includes(user));
    if (missing.length > 0) changes.addusers = missing;
  }
  if (truthy(delusers)) {
    const surplus = namesIn(delusers).filter((user) => now.includes(user));
    if (surplus.length > 0) changes.delusers = surplus;
  }
  return changes;
}

/** Undefined if there is no such group. */
async function changesTo(context: StateContext, args: Args): Promise<Changes | undefined> {
  const info = await context.call("group.info", [args.name]) as Partial<GroupInfo> | false;
  if (!truthy(info)) return undefined;
  const { gid, members = [] } = info as GroupInfo;
  const changes: Changes = {};
  if (truthy(args.gid)) {
    const wanted = gidOf(args.gid);
    if (wanted === undefined) return { result: false, comment: "Invalid gid" };
    if (wanted !== gid) changes.gid = wanted;
  }
  return { ...changes, ...memberChanges(members, args) };
}

/** A return holds lists. */
const shown = (changes: Changes): Changes =>
  Object.fromEntries(Object.entries(changes).map(([key, value]) => [key, value instanceof Set ? [...value] : value]));

const APPLY: Record<string, (context: StateContext, args: Args, value: unknown) => Promise<unknown>> = {
  gid: (context, { name, non_unique }, gid) => context.call("group.chgid", [name, gid], { non_unique }),
  members: (context, { name }, members) => context.call("group.members", [name, namesIn(members).join(",")]),
  async addusers(context, { name }, users) {
    for (const user of users as Iterable<string>) await context.call("group.adduser", [name, user]);
  },
  async delusers(context, { name }, users) {
    for (const user of users as Iterable<string>) await context.call("group.deluser", [name, user]);
  },
};

async function change(context: StateContext, args: Args, changes: Changes): Promise<StateReturn> {
  const lines = Object.entries(changes).map(([key, value]) => `${key}: ${str(value)}\n`).join("");
  const comment = `The following group attributes are set to be changed:\n${lines}`;
  if (context.test) return outcome(args.name, null, comment);
  for (const [key, value] of Object.entries(changes)) await APPLY[key]?.(context, args, value);
  const left = await changesTo(context, args);
  return left !== undefined && Object.keys(left).length > 0
    ? outcome(args.name, false, `${comment}Some changes could not be applied`, { Failed: shown(left) })
    : outcome(args.name, true, comment, { Final: "All changes applied successfully" });
}

async function create(context: StateContext, args: Args): Promise<StateReturn> {
  const { name, gid, system, addusers, members, non_unique } = args;
  if (truthy(gid) && gidOf(gid) === undefined) return outcome(name, false, `Failed to create new group ${str(name)}`);
  if (context.test) return outcome(name, null, `Group ${str(name)} set to be added`);
  if (gid !== null && !truthy(non_unique)) {
    const groups = await context.call("group.getent") as { name: string; gid: number }[];
    const owner = groups.find((group) => group.gid === gid)?.name;
    if (owner !== undefined) {
      return outcome(
        name,
        false,
        `Group ${str(name)} is not present but gid ${str(gid)} is already taken by group ${owner}`,
      );
    }
  }
  if (!truthy(await context.call("group.add", [name], { gid, system, non_unique }))) {
    return outcome(name, false, `Failed to create new group ${str(name)}`);
  }
  const users = truthy(addusers) ? addusers : members;
  if (truthy(users)) await context.call("group.members", [name, namesIn(users).join(",")]);
  const created = await context.call("group.info", [name]) as Record<string, unknown>;
  const left = await changesTo(context, args);
  return left !== undefined && Object.keys(left).length > 0
    ? outcome(name, false, `Group ${str(name)} has been created but, some changes could not be applied`, {
      Failed: shown(left),
    })
    : outcome(name, true, `New group ${str(name)} created`, created);
}

export const states: StateModule = {
  functions: stateFunctions({
    "present(name, gid=None, system=False, addusers=None, delusers=None, members=None, non_unique=False)": {
      doc: "The group is there, with that id; with exactly these members, or with some and without others.",
      async run(context, args) {
        const { name, addusers, delusers, members } = args;
        if (members !== null && (addusers !== null || delusers !== null)) {
          const comment =
            'Error: Conflicting options "members" with "addusers" and/or "delusers" can not be used together. ';
          return outcome(name, null, comment);
        }
        if (
          Array.isArray(addusers) && Array.isArray(delusers) &&
          namesIn(addusers).some((user) => namesIn(delusers).includes(user))
        ) {
          return outcome(name, null, "Error. Same user(s) can not be added and deleted simultaneously");
        }
        const lists = Object.entries({ addusers, delusers, members });
        const odd = lists.find(([, users]) => truthy(users) && !Array.isArray(users))?.[0];
        if (odd !== undefined) return outcome(name, false, `${odd} must be a list of users`);
        const changes = await changesTo(context, args);
        if (changes === undefined) return await create(context, args);
        if (Object.keys(changes).length > 0) return await change(context, args, changes);
        return outcome(name, true, `Group ${str(name)} is present and up to date`);
      },
    },
    "absent(name)": {
      doc: "There is no such group.",
      async run(context, { name }) {
        if (!truthy(await context.call("group.info", [name]))) return outcome(name, true, "Group not present");
        if (context.test) return outcome(name, null, `Group ${str(name)} is set for removal`);
        const result = await context.call("group.delete", [name]) as boolean;
        return truthy(result)
          ? outcome(name, result, `Removed group ${str(name)}`, { [str(name)]: "" })
          : outcome(name, result, `Failed to remove group ${str(name)}`);
      },
    },
  }),
};
