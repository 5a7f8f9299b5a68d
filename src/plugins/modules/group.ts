import { executionFunctions, type ExecutionModule, type JobContext } from "../../model/loader/family.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import { succeeds } from "../commands.ts";
import { allGroups, findGroup, type Group } from "../../runtime/accounts.ts";
import { rootOf, userRootWords } from "../user_files.ts";

function find({ runtime }: JobContext, args: Args): Group | undefined {
  const root = rootOf(args);
  if (root === "") return findGroup(runtime, str(args.name));
  return allGroups(runtime, root).find((entry) => entry.name === str(args.name));
}

const numbered = (args: Args) => [
  ...(truthy(args.gid) || args.gid === 0 ? ["-g", str(args.gid)] : []),
  ...(truthy(args.non_unique) ? ["-o"] : []),
];

/** Groups of this host, or with `root` of the system below a directory. */
export const module: ExecutionModule = {
  virtual: ({ runtime }) =>
    runtime.process.platform === "linux"
      ? true
      : { unavailable: "The group module reads groups as Linux has them, and this is another system" },
  functions: executionFunctions({
    "add(name: str, gid=None, system: bool=False, root=None, non_unique=False)": {
      doc: "Creates a group.\n\n    salt '*' group.add foo 3456",
      run: (context, args) =>
        succeeds(context, [
          "groupadd",
          ...numbered(args),
          ...(args.system ? ["-r"] : []),
          args.name,
          ...userRootWords(args),
        ]),
    },
    "delete(name: str, root=None)": {
      doc: "Deletes a group.\n\n    salt '*' group.delete foo",
      run: (context, args) => succeeds(context, ["groupdel", args.name, ...userRootWords(args)]),
    },
    "info(name, root=None)": {
      doc: "The entry of a group; an empty map if it does not exist.\n\n    salt '*' group.info foo",
      run: (context, args) => ({ ...find(context, args) }),
    },
    "getent(refresh=False, root=None)": {
      doc: "The entries of all groups.\n\n    salt '*' group.getent",
      run: ({ runtime }, args) => allGroups(runtime, rootOf(args)),
    },
    "chgid(name: str, gid, root=None, non_unique=False)": {
      doc: "Changes the id of a group.\n\n    salt '*' group.chgid foo 4376",
      async run(context, args): Promise<boolean> {
        const before = find(context, args);
        if (before === undefined) return false;
        if (before.gid === args.gid) return true;
        await succeeds(context, ["groupmod", ...numbered(args), args.name, ...userRootWords(args)]);
        return find(context, args)?.gid === args.gid;
      },
    },
    "adduser(name: str, username: str, root=None)": {
      doc: "Adds a user to a group.\n\n    salt '*' group.adduser foo bar",
      run: (context, args) =>
        succeeds(context, ["gpasswd", "--add", args.username, args.name, ...userRootWords(args, "-Q")]),
    },
    "deluser(name: str, username: str, root=None)": {
      doc: "Removes a user from a group; True if the user is not a member.\n\n    salt '*' group.deluser foo bar",
      async run(context, args) {
        if (find(context, args)?.members.includes(args.username) !== true) return true;
        return await succeeds(context, [
          "gpasswd",
          "--del",
          args.username,
          args.name,
          ...userRootWords(args, "-Q"),
        ]);
      },
    },
    "members(name: str, members_list: str, root=None)": {
      doc: "Sets the members of a group to exactly these users.\n\n    salt '*' group.members foo 'user1,user2'",
      run: (context, args) =>
        succeeds(context, ["gpasswd", "--members", args.members_list, args.name, ...userRootWords(args, "-Q")]),
    },
  }),
};
