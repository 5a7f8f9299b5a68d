import { SaltInvocationError } from "../../model/loader/family.ts";
import { fail, outcome, type StateContext, stateFunctions, type StateModule } from "../../model/loader/states.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import { operand, programPath } from "../commands.ts";
import { exists, isDirectory } from "../linux/paths.ts";
import { type Acl, aclEntry, type AclPermissions } from "../modules/linux_acl.ts";
import { commandError } from "./outcome.ts";

const VALUES: Readonly<Record<string, number>> = { r: 4, w: 2, x: 1, "-": 0 };

const DESIRED = "Permissions are in the desired state";
const NO_TYPE = "ACL Type does not exist";

function octalOf(perms: unknown): number {
  let sum = 0;
  for (const letter of str(perms)) {
    const value = VALUES[letter];
    if (value === undefined) {
      throw new SaltInvocationError(`Cannot use "${str(perms)}" as permissions: expected letters of "rwx-"`);
    }
    sum += value;
  }
  return sum;
}

/** In the order and with the letters that Salt shows. */
const shown = (octal: number): string => (octal & 1 ? "r" : "-") + (octal & 2 ? "w" : "-") + (octal & 4 ? "x" : "-");

/** The entries of a state's path, and of those below it where it asks for them. */
interface Found {
  acls: Record<string, Acl>;
  /** Without `d:`. */
  type: string;
  isDefault: boolean;
  /** Entries of that type; undefined if there are none. */
  entries: Record<string, AclPermissions>[] | undefined;
  /** Whom an empty name means. */
  owner: string;
}

const entriesIn = (acl: Acl, type: string, isDefault: boolean) =>
  (isDefault ? acl.defaults?.[type] : acl[type]) as Record<string, AclPermissions>[] | undefined;

/** Ends the state of a path that does not exist, or has no entries of that type. */
async function find(context: StateContext, { name, acl_type: given, recurse }: Args): Promise<Found> {
  const path = operand(name, "a path");
  if (!exists(context.runtime.fs, path)) fail(`${path} does not exist`);
  const acls = await context.call("acl.getfacl", [name], recurse === undefined ? {} : { recursive: recurse }) as Record<
    string,
    Acl
  >;
  const acl = acls[path];
  if (acl === undefined) fail(`Cannot read the ACL of ${path}`);
  const isDefault = /^(?:d|default):/.test(str(given));
  const type = isDefault ? str(given).split(":").slice(1).join(":") : str(given);
  const entries = type === "comment" ? undefined : entriesIn(acl, type, isDefault);
  if (!isDefault && (!Array.isArray(entries) || entries.length === 0)) fail(NO_TYPE);
  return { acls, type, isDefault, entries, owner: acl.comment[type] ?? "" };
}

const entryOf = ({ entries }: Found, name: string): AclPermissions | undefined =>
  entries?.findLast((entry) => Object.keys(entry)[0] === name)?.[name];

/** Whether all paths have the entry. */
const everywhere = (context: StateContext, { acls, type, isDefault }: Found, name: string, octal: number): boolean =>
  Object.entries(acls).every(([path, acl]) =>
    (isDefault && !isDirectory(context.runtime.fs, path)) ||
    (entriesIn(acl, type, isDefault) ?? []).some((entry) => entry[name]?.octal === octal)
  );

/** Sets the entries of all names. @returns the reason if that fails */
async function apply(context: StateContext, args: Args, names: readonly unknown[]) {
  const options = { recursive: args.recurse, raise_err: true };
  try {
    if (truthy(args.force)) await context.call("acl.wipefacls", [args.name], options);
    for (const one of names) await context.call("acl.modfacl", [args.acl_type, one, args.perms, args.name], options);
  } catch (error) {
    return commandError(error);
  }
  return undefined;
}

const namesOf = (names: unknown): unknown[] => Array.isArray(names) ? names : truthy(names) ? [names] : [];

/** Access control lists of files. */
export const states: StateModule = {
  virtual: (context) =>
    ["getfacl", "setfacl"].every((name) => programPath(context, name) !== undefined) || {
      unavailable: "The linux_acl state cannot be loaded: the getfacl or setfacl binary is not in the path.",
    },
  functions: stateFunctions({
    "present(name, acl_type, acl_name='', perms='', recurse=False, force=False)": {
      doc: "The path has that entry; with `force` no other.",
      async run(context, args) {
        const { name, acl_type: type, acl_name: of, perms, recurse } = args;
        aclEntry(type, of, perms);
        const found = await find(context, args);
        const wanted = str(of) === "" ? found.owner : str(of);
        const entry = entryOf(found, wanted);
        const changed = { acl_name: of, acl_type: type, perms };
        const changes: Record<string, unknown> = { new: changed };
        let dry = `New permissions will be applied for ${str(of)}: ${str(perms)}`;
        let done = `Applied new permissions for ${str(of)}`;
        if (entry !== undefined) {
          const octal = octalOf(perms);
          if (truthy(recurse) ? everywhere(context, found, wanted, octal) : entry.octal === octal) {
            return outcome(name, true, DESIRED);
          }
          const before = shown(entry.octal);
          changes.old = { ...changed, perms: before };
          dry = `Updated permissions will be applied for ${str(of)}: ${before} -> ${str(perms)}`;
          done = `Updated permissions for ${str(of)}`;
        }
        if (context.test) return outcome(name, null, dry, changes);
        const failure = await apply(context, args, [of]);
        return failure === undefined
          ? outcome(name, true, done, changes)
          : outcome(name, false, `Error updating permissions for ${str(of)}: ${failure}`);
      },
    },
    "absent(name, acl_type, acl_name='', perms='', recurse=False)": {
      doc: "The path does not have that entry.",
      async run(context, args) {
        const { name, acl_type: type, acl_name: of, recurse } = args;
        aclEntry(type, of);
        const found = await find(context, args);
        const wanted = str(of) === "" ? found.owner : str(of);
        const below = Object.values(found.acls).some((acl) =>
          ((acl[found.type] ?? []) as Record<string, unknown>[]).some((entry) => Object.hasOwn(entry, wanted))
        );
        if (entryOf(found, wanted) === undefined && !below) return outcome(name, true, DESIRED);
        if (context.test) return outcome(name, null, "Removing permissions");
        await context.call("acl.delfacl", [type, of, name], { recursive: recurse });
        return outcome(name, true, "Removing permissions");
      },
    },
    "list_present(name, acl_type, acl_names=None, perms='', recurse=False, force=False)": {
      doc: "The path has an entry for each of a list of names; with `force` no other.",
      async run(context, args) {
        const { name, acl_type: type, perms } = args;
        const names = namesOf(args.acl_names);
        const octal = octalOf(perms);
        for (const one of names) aclEntry(type, one, perms);
        const found = await find(context, { ...args, recurse: undefined });
        const all = names.map(str).join(", ");
        const users = new Map(names.map((one) => [str(one), entryOf(found, str(one))]));
        const ret = outcome(name, true, "");
        const set = async (changes: Record<string, unknown>, dry: string, done: string): Promise<boolean> => {
          if (context.test) Object.assign(ret, { result: null, comment: dry, changes });
          else {
            const failure = await apply(context, args, names);
            if (failure === undefined) Object.assign(ret, { result: true, comment: done, changes });
            else {Object.assign(ret, {
                result: false,
                comment: `Error updating permissions for ${str(names)}: ${failure}`,
              });}
          }
          return context.test;
        };
        const added = () =>
          set(
            { new: { acl_name: all, acl_type: type, perms } },
            `New permissions will be applied for ${str(names)}: ${str(perms)}`,
            `Applied new permissions for ${all}`,
          );
        if ([...users.values()].every((entry) => entry === undefined)) {
          await added();
          return ret;
        }
        for (const entry of users.values()) {
          if (entry?.octal === octal) {
            ret.comment = DESIRED;
            continue;
          }
          const stop = entry === undefined ? await added() : await set(
            {
              new: { acl_name: all, acl_type: type, perms: octal },
              old: { acl_name: all, acl_type: type, perms: str(entry.octal) },
            },
            `Updated permissions will be applied for ${str(names)}: ${str(entry.octal)} -> ${str(perms)}`,
            `Updated permissions for ${str(names)}`,
          );
          if (stop) break;
        }
        return ret;
      },
    },
    "list_absent(name, acl_type, acl_names=None, recurse=False)": {
      doc: "The path has no entry for any of a list of names.",
      async run(context, args) {
        const { name, acl_type: type, recurse } = args;
        const names = namesOf(args.acl_names);
        for (const one of names) aclEntry(type, one);
        const found = await find(context, { ...args, recurse: undefined });
        if (names.every((one) => entryOf(found, str(one)) === undefined)) return outcome(name, true, DESIRED);
        if (context.test) return outcome(name, null, "Removing permissions");
        for (const one of names) await context.call("acl.delfacl", [type, one, name], { recursive: recurse });
        return outcome(name, true, "Removing permissions");
      },
    },
  }),
};
