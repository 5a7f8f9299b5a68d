import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunction, executionFunctions } from "../../model/loader/family.ts";
import { type Args, str, stringRepr, truthy } from "../../language/python/values.ts";
import { run, runAll, succeeds } from "../commands.ts";
import { type Account, allAccounts, allGroups, findAccount, groupsOf } from "../../runtime/accounts.ts";
import { pythonError } from "../python_errors.ts";
import { rootOf, userRootWords } from "../user_files.ts";

/** What stands, with commas between, in the field of a user's full name. */
const GECOS = ["fullname", "roomnumber", "workphone", "homephone", "other"] as const;
type GecosField = typeof GECOS[number];

function find({ runtime }: JobContext, name: unknown, root: string): Account | undefined {
  if (root === "") return findAccount(runtime, str(name));
  return allAccounts(runtime, root).find((entry) => entry.name === str(name));
}

function gecosOf(entry: Account): Record<GecosField, string> {
  const parts = entry.gecos.split(",");
  const values = [...parts.slice(0, 4), parts.slice(4).join(",")];
  return Object.fromEntries(GECOS.map((field, at) => [field, values[at] ?? ""])) as Record<GecosField, string>;
}

function describe({ runtime }: JobContext, entry: Account, root: string): Record<string, unknown> {
  const { name, passwd, uid, gid, home, shell } = entry;
  return { gid, groups: groupsOf(runtime, name, root), home, name, passwd, shell, uid, ...gecosOf(entry) };
}

function all(context: JobContext, root: string): Record<string, unknown>[] {
  return allAccounts(context.runtime, root).map((entry) => describe(context, entry, root));
}

/** Names of groups: a list, or a text with commas. */
function namesIn(value: unknown): string[] {
  return (Array.isArray(value) ? value.map(str) : str(value).split(",")).map((name) => name.trim())
    .filter((name) => name !== "");
}

/** Whether a new user gets a group with the same name by default. */
function ownGroups({ runtime: { fs } }: JobContext): boolean {
  const path = "/etc/login.defs";
  return fs.stat(path) !== undefined && /^\s*USERGROUPS_ENAB\s+yes/m.test(fs.readText(path));
}

function need(context: JobContext, args: Args): Account {
  const entry = find(context, args.name, rootOf(args));
  if (entry === undefined) throw new CommandExecutionError(`User '${str(args.name)}' does not exist`);
  return entry;
}

/** Changes one field with an option of usermod, and checks the result. */
async function change(
  context: JobContext,
  args: Args,
  field: "uid" | "gid" | "shell" | "home",
  words: string[],
): Promise<boolean> {
  const before = need(context, args);
  const wanted = args[field];
  if (wanted === before[field]) return true;
  await run(context, ["usermod", ...words, str(args.name), ...userRootWords(args)]);
  return find(context, args.name, rootOf(args))?.[field] === await numberOf(context, field, wanted, rootOf(args));
}

/** A group may be given by its name. */
function numberOf({ runtime }: JobContext, field: string, wanted: unknown, root: string): unknown {
  if (field !== "gid" || typeof wanted !== "string") return wanted;
  return allGroups(runtime, root).find((group) => group.name === wanted)?.gid ?? wanted;
}

async function changeGecos(context: JobContext, field: GecosField, args: Args): Promise<boolean> {
  const root = rootOf(args);
  const entry = find(context, args.name, root);
  if (entry === undefined) {
    throw pythonError("KeyError", JSON.stringify(`getpwnam(): name not found: ${stringRepr(str(args.name))}`));
  }
  const wanted = str(args[field]);
  const fields = gecosOf(entry);
  if (fields[field] === wanted) return true;
  fields[field] = wanted;
  const text = GECOS.map((name) => fields[name]).join(",").replace(/,+$/, "");
  await run(context, ["usermod", "-c", text, str(args.name), ...userRootWords(args)]);
  const after = find(context, args.name, root);
  return after !== undefined && gecosOf(after)[field] === wanted;
}

const gecos = (field: GecosField, what: string) =>
  executionFunction({
    signature: `name, ${field}, root=None`,
    doc: `Changes a user's ${what}.\n\n    salt '*' user.ch${field} foo 'text'`,
    run: (context, args) => changeGecos(context, field, args),
  });

/** Users of this host, or with `root` of the system below a directory. */
export const module: ExecutionModule = {
  virtual: ({ runtime }) =>
    runtime.process.platform === "linux"
      ? true
      : { unavailable: "The user module reads accounts as Linux has them, and this is another system" },
  functions: executionFunctions({
    add: executionFunction({
      signature: `name, uid=None, gid=None, groups=None, home=None, shell=None, unique=True, system=False,
        fullname='', roomnumber='', workphone='', homephone='', other='', createhome=True, loginclass=None,
        nologinit=False, root=None, usergroup=None`,
      doc: "Makes a user.\n\n    salt '*' user.add name uid=1001 groups=wheel,adm shell=/bin/bash",
      async run(context, args): Promise<boolean> {
        const name = str(args.name);
        const words = ["useradd"];
        if (truthy(args.shell)) words.push("-s", str(args.shell));
        if (args.uid !== null && args.uid !== "") words.push("-u", str(args.uid));
        const groups = truthy(args.groups) ? namesIn(args.groups) : [];
        const all = allGroups(context.runtime, rootOf(args));
        // useradd refuses to create an existing group.
        const own = groups.includes(name) && ownGroups(context) ? all.find((entry) => entry.name === name) : undefined;
        const gid = args.gid !== null && args.gid !== "" ? str(args.gid) : own && String(own.gid);
        if (gid !== undefined) words.push("-g", gid);
        const primary = all.find((entry) => entry.name === gid || String(entry.gid) === gid)?.name;
        if (args.usergroup === true) words.push("-U");
        else if (args.usergroup === false) words.push("-N");
        if (truthy(args.createhome)) words.push("-m");
        else words.push("-M");
        if (truthy(args.nologinit)) words.push("-l");
        if (args.home !== null) words.push("-d", str(args.home));
        if (!truthy(args.unique)) words.push("-o");
        if (truthy(args.system)) words.push("-r");
        // As in Salt, nobody is made a member of the own primary group for its own sake.
        if (groups.some((group) => group !== primary)) words.push("-G", groups.join(","));
        if (!await succeeds(context, [...words, name, ...userRootWords(args)])) return false;
        for (const field of GECOS) {
          if (truthy(args[field]) && !await changeGecos(context, field, { ...args, [field]: args[field] })) {
            return false;
          }
        }
        return true;
      },
    }),
    "delete(name: str, remove: bool=False, force: bool=False, root=None)": {
      doc:
        "Deletes a user; with `remove` also the home directory.\n\n    salt '*' user.delete name remove=True force=True",
      async run(context, args): Promise<boolean> {
        const words = ["userdel"];
        if (args.remove) words.push("-r");
        if (args.force) words.push("-f");
        const { retcode, stderr } = await runAll(context, [...words, args.name, ...userRootWords(args)]);
        if (retcode === 0) return true;
        // A missing mailbox is not an error.
        if (retcode === 12 && /var\/(?:spool\/)?mail/.test(stderr)) {
          context.retcode = 0;
          return true;
        }
        return false;
      },
    },
    "getent(refresh=False, root=None)": {
      doc: "All users with what is known of them.\n\n    salt '*' user.getent",
      run: (context, args) => all(context, rootOf(args)),
    },
    "info(name, root=None)": {
      doc: "What is known of a user; nothing if there is none of that name.\n\n    salt '*' user.info root",
      run(context, args) {
        const root = rootOf(args);
        const entry = find(context, args.name, root);
        return entry === undefined ? {} : describe(context, entry, root);
      },
    },
    "list_users(root=None)": {
      doc: "The names of all users.\n\n    salt '*' user.list_users",
      run: ({ runtime }, args) => allAccounts(runtime, rootOf(args)).map(({ name }) => name).sort(),
    },
    "list_groups(name: str)": {
      doc: "The groups that a user is in.\n\n    salt '*' user.list_groups foo",
      run: ({ runtime }, { name }) => groupsOf(runtime, name),
    },
    "primary_group(name: str)": {
      doc: "The group of a user's own.\n\n    salt '*' user.primary_group saltadmin",
      run: (context, { name }) => run(context, ["id", "-g", "-n", name]),
    },
    "chuid(name, uid, root=None)": {
      doc: "Changes a user's number.\n\n    salt '*' user.chuid foo 4376",
      run: (context, args) => change(context, args, "uid", ["-u", str(args.uid)]),
    },
    "chgid(name, gid, root=None)": {
      doc: "Changes the group of a user's own.\n\n    salt '*' user.chgid foo 4376",
      run: (context, args) => change(context, args, "gid", ["-g", str(args.gid)]),
    },
    "chshell(name, shell, root=None)": {
      doc: "Changes a user's shell.\n\n    salt '*' user.chshell foo /bin/zsh",
      run: (context, args) => change(context, args, "shell", ["-s", str(args.shell)]),
    },
    "chhome(name, home, persist=False, root=None)": {
      doc:
        "Changes a user's home, and with `persist` moves what is in it.\n\n    salt '*' user.chhome foo /home/users/foo",
      run: (context, args) =>
        change(context, args, "home", ["-d", str(args.home), ...(truthy(args.persist) ? ["-m"] : [])]),
    },
    "chgroups(name: str, groups, append: bool=False, root=None)": {
      doc: "Changes the groups that a user is in, or adds some.\n\n    salt '*' user.chgroups foo wheel,root",
      async run(context, args): Promise<boolean> {
        const name = args.name;
        const wanted = namesIn(args.groups);
        const now = new Set(groupsOf(context.runtime, name, rootOf(args)));
        if (now.size === new Set(wanted).size && wanted.every((group) => now.has(group))) return true;
        const append = args.append ? ["-a"] : [];
        return await succeeds(context, ["usermod", ...append, "-G", wanted.join(","), name, ...userRootWords(args)]);
      },
    },
    chfullname: gecos("fullname", "full name"),
    chroomnumber: gecos("roomnumber", "room"),
    chworkphone: gecos("workphone", "telephone at work"),
    chhomephone: gecos("homephone", "telephone at home"),
    chother: gecos("other", "further remarks"),
    "chloginclass(name, loginclass, root=None)": {
      doc: "Changes a user's login class, which only BSD has: False here.\n\n    salt '*' user.chloginclass foo staff",
      run: () => false,
    },
    "get_loginclass(name)": {
      doc: "A user's login class, which only BSD has: False here.\n\n    salt '*' user.get_loginclass foo",
      run: () => false,
    },
    "rename(name: str, new_name: str, root=None)": {
      doc: "Renames a user.\n\n    salt '*' user.rename name new_name",
      async run(context, args): Promise<boolean> {
        need(context, args);
        const root = rootOf(args);
        if (find(context, args.new_name, root) !== undefined) {
          throw new CommandExecutionError(`User '${args.new_name}' already exists`);
        }
        await run(context, ["usermod", "-l", args.new_name, args.name, ...userRootWords(args)]);
        return find(context, args.new_name, root) !== undefined;
      },
    },
  }),
};
