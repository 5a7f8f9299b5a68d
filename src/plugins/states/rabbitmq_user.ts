import { type Args, entriesOf, equal, isMap, lookup, str, truthy } from "../../language/python/values.ts";
import { dictGet, MISSING } from "../../language/python/dict.ts";
import { splitWords } from "../../language/python/text.ts";
import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { outcome, stateFunction } from "../../model/loader/states.ts";
import { rabbitFailure, rabbitmqHere, refused } from "./rabbitmq.ts";

type Changes = Record<string, unknown>;

/** The permissions that a state gives: virtual host → configure, write, read, in their order. */
function wantedOf(perms: unknown): [vhost: string, parts: unknown[]][] {
  const given = Array.isArray(perms) ? perms : [];
  return given.filter(isMap).flatMap((one) =>
    entriesOf(one).map((
      [vhost, parts],
    ): [string, unknown[]] => [str(vhost), Array.isArray(parts) ? parts : [...str(parts)]])
  );
}

const named = (parts: unknown[]) => ({ configure: parts[0], write: parts[1], read: parts[2] });

async function setPassword(context: StateContext, { name, password, runas }: Args): Promise<Changes> {
  if (password === null) {
    if (!context.test) await context.call("rabbitmq.clear_password", [name], { runas });
    return { password: { old: "Removed password.", new: "" } };
  }
  if (!context.test) await context.call("rabbitmq.change_password", [name, password], { runas });
  return { password: { old: "", new: "Set password." } };
}

async function setTags(context: StateContext, { name, tags, runas }: Args): Promise<Changes> {
  if (tags === null) return {};
  const users = await context.call("rabbitmq.list_users", [], { runas });
  const found = isMap(users) ? dictGet(users, name) : MISSING;
  const current = Array.isArray(found) ? [...found] : [];
  const wanted = typeof tags === "string" ? splitWords(tags) : Array.isArray(tags) ? tags : [tags];
  const differ = wanted.some((tag) => !current.includes(tag)) || current.some((tag) => !wanted.includes(tag));
  if (!differ) return {};
  if (!context.test) await context.call("rabbitmq.set_user_tags", [name, wanted], { runas });
  return { tags: { old: current, new: wanted } };
}

async function setPermissions(context: StateContext, { name, perms, runas }: Args): Promise<Changes> {
  const found = await context.call("rabbitmq.list_user_permissions", [name], { runas });
  const existing = isMap(found) ? found : {};
  const wanted = wantedOf(perms);
  if (wanted.every(([vhost, parts]) => equal(lookup(existing, vhost) ?? null, named(parts)))) return {};
  let changes: { old?: Changes; new: Changes } | undefined;
  for (const [vhost, parts] of wanted) {
    const [configure, write, read] = parts;
    if (!context.test) {
      await context.call("rabbitmq.set_permissions", [vhost, name, configure, write, read], { runas });
    }
    const before = lookup(existing, vhost);
    // As in Salt: each virtual host that is new drops what was said of those before it.
    if (before === undefined) changes = { new: { [vhost]: named(parts) } };
    else if (!equal(before, named(parts))) {
      changes ??= { old: {}, new: {} };
      changes.old = { ...changes.old, ...Object.fromEntries(isMap(before) ? entriesOf(before) : []) };
      changes.new = { ...changes.new, [vhost]: named(parts) };
    }
  }
  return changes === undefined ? {} : { perms: changes };
}

async function present(context: StateContext, args: Args): Promise<StateReturn> {
  const { name, password, force, tags, perms, runas } = args;
  const shown = `'${str(name)}'`;
  const changes: Changes = {};
  try {
    const isThere = truthy(await context.call("rabbitmq.user_exists", [name], { runas }));
    const isOtherPassword = isThere && password !== null &&
      !truthy(await context.call("rabbitmq.check_password", [name, password], { runas }));
    if (isThere && !truthy(force) && !truthy(perms) && !truthy(tags) && !isOtherPassword) {
      return outcome(name, true, `User ${shown} is already present.`);
    }
    if (!isThere) {
      changes.user = { old: "", new: name };
      if (context.test) return outcome(name, null, `User ${shown} is set to be created.`, changes);
      await context.call("rabbitmq.add_user", [name, password], { runas });
    } else if (truthy(force) || isOtherPassword) Object.assign(changes, await setPassword(context, args));
    Object.assign(changes, await setTags(context, args));
    Object.assign(changes, await setPermissions(context, args));
  } catch (error) {
    return outcome(name, false, rabbitFailure(error), changes);
  }
  if (Object.keys(changes).length === 0) return outcome(name, true, `${shown} is already in the desired state.`);
  return context.test
    ? outcome(name, null, `Configuration for ${shown} will change.`, changes)
    : outcome(name, true, `${shown} was configured.`, changes);
}

export const states: StateModule = {
  virtual: rabbitmqHere,
  functions: {
    present: stateFunction({
      signature: "name, password=None, force=False, tags=None, perms=(), runas=None",
      doc:
        "There is the user, with this password, these tags and permissions. `perms` is a list of maps: virtual host → " +
        "patterns of configure, write and read. `force` sets the password again.",
      run: present,
    }),
    absent: stateFunction({
      signature: "name, runas=None",
      doc: "There is no such user.",
      async run(context, { name, runas }) {
        const shown = `The user '${str(name)}'`;
        if (!truthy(await context.call("rabbitmq.user_exists", [name], { runas }).catch(refused))) {
          return outcome(name, true, `${shown} is not present.`);
        }
        const changes = { name: { old: name, new: "" } };
        if (context.test) return outcome(name, null, `${shown} will be removed.`, changes);
        await context.call("rabbitmq.delete_user", [name], { runas }).catch(refused);
        return outcome(name, true, `${shown} was removed.`, changes);
      },
    }),
  },
};
