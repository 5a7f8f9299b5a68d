import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunctions, SaltInvocationError } from "../../model/loader/family.ts";
import { splitLines, splitWords } from "../../language/python/text.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import { operand, programPath, run } from "../commands.ts";
import { checkProgramPath } from "../linux/paths.ts";

type Keywords = { recursive?: unknown; raise_err?: unknown };

export interface AclPermissions {
  octal: number;
  permissions: Record<"read" | "write" | "execute", boolean>;
}
type Entries = Record<string, AclPermissions>[];

/** The ACL of a file: entries by `user`, `group`, `mask` and `other`, `defaults` of directories, and flags. */
export type Acl = Record<string, unknown> & {
  comment: Record<string, string>;
  defaults?: Record<string, Entries>;
};

const FLAGS = [["s", "suid"], ["s", "sgid"], ["t", "sticky"]] as const;

/** @throws {CommandExecutionError} if there are none */
function pathsOf(paths: unknown): string[] {
  const list = (paths as unknown[]).map((path) => operand(path, "a path"));
  if (list.length === 0) {
    throw new CommandExecutionError("You need to specify at least one file or directory to work with!");
  }
  return list;
}

const recursion = (kwargs: unknown): string[] => truthy((kwargs as Keywords).recursive ?? false) ? ["-R"] : [];

function addEntry(acl: Acl, line: string): void {
  const parts = line.split(":");
  const isDefault = parts[0] === "default";
  if (isDefault) parts.shift();
  const [kind = "", named = ""] = parts;
  const allowed = parts.at(-1)!;
  const [read, write, execute] = ["r", "w", "x"].map((letter) => allowed.includes(letter)) as [
    boolean,
    boolean,
    boolean,
  ];
  const permissions = { read, write, execute };
  const entry = { octal: (read ? 4 : 0) + (write ? 2 : 0) + (execute ? 1 : 0), permissions };
  const entries = (isDefault ? acl.defaults ??= {} : acl) as Record<string, Entries>;
  if (kind !== "user" && kind !== "group") entries[kind] = [{ "": entry }];
  else (entries[kind] ??= []).push({ [named || acl.comment[kind === "user" ? "owner" : "group"]!]: entry });
}

/**
 * An entry as setfacl takes it, such as `d:u:name:rwx`.
 *
 * @param perms undefined for one that is removed
 * @throws {SaltInvocationError} if it would be several
 */
export function aclEntry(type: unknown, name: unknown, perms?: unknown): string {
  const parts = [type, name, ...(perms === undefined ? [] : [perms])].map((part) => str(part ?? ""));
  const wrong = parts.slice(1).find((part) => /[,:\r\n\0]/.test(part));
  if (wrong !== undefined) {
    throw new SaltInvocationError(
      `Cannot use ${JSON.stringify(wrong)} in an ACL: expected one name and its permissions`,
    );
  }
  const isDefault = parts[0]!.startsWith("d");
  const kind = isDefault ? parts[0]!.replaceAll("default:", "").replaceAll("d:", "") : parts[0]!;
  const known = ["user", "u", "group", "g", "mask", "m"].includes(kind);
  return [`${isDefault ? "d:" : ""}${known ? kind[0] : ""}`, ...parts.slice(1)].join(":");
}

/** @param words without `-R` */
async function setAcls(context: JobContext, words: string[], { args, kwargs }: Args): Promise<true> {
  const paths = pathsOf(args);
  for (const path of paths) checkProgramPath(context, path);
  const { raise_err: raise = false } = kwargs as Keywords;
  await run(context, ["setfacl", ...recursion(kwargs), ...words, ...paths], { raise_err: raise });
  return true;
}

const OF_PATHS = "args: the paths\nkwargs: `recursive=True` for all below them";

/** Access control lists of files. */
export const module: ExecutionModule = {
  virtual: (context) =>
    programPath(context, "getfacl") === undefined
      ? { unavailable: "The linux_acl execution module cannot be loaded: the getfacl binary is not in the path." }
      : "acl",
  functions: executionFunctions({
    "version()": {
      doc: "The version of getfacl.\n\n    salt '*' acl.version",
      run: async (context) => splitWords(await run(context, ["getfacl", "--version"]))[1] ?? null,
    },
    "getfacl(*args, **kwargs)": {
      doc: `The ACLs of paths.\n\n    salt '*' acl.getfacl /tmp/house/kitchen\n\n${OF_PATHS}`,
      async run(context, { args, kwargs }): Promise<Record<string, Acl>> {
        const words = ["getfacl", "--absolute-names", ...recursion(kwargs), ...pathsOf(args)];
        const found: Record<string, Acl> = {};
        let acl: Acl | undefined;
        for (const line of splitLines(await run(context, words))) {
          if (line === "" || line.startsWith("getfacl")) continue;
          const [, name, value] = /^# (\w+): (.*)$/.exec(line) ?? [];
          if (name === "file") acl = found[value!] = { comment: {}, user: [], group: [] };
          if (acl === undefined) continue;
          if (name === undefined) addEntry(acl, line);
          else {
            acl.comment[name] = value!;
            if (name === "flags") {
              for (const [at, [letter, flag]] of FLAGS.entries()) if (value![at] === letter) acl[flag] = true;
            }
          }
        }
        return found;
      },
    },
    "wipefacls(*args, **kwargs)": {
      doc: "Removes all entries but those of owner, group and others.\n\n" +
        `    salt '*' acl.wipefacls /tmp/house/kitchen\n\n${OF_PATHS}`,
      run: (context, { args, kwargs }) => setAcls(context, ["-b"], { args, kwargs: { recursive: kwargs.recursive } }),
    },
    "modfacl(acl_type, acl_name='', perms='', *args, **kwargs)": {
      doc: "Adds an entry, or changes it.\n\n    salt '*' acl.modfacl user myuser rwx /tmp/house/kitchen\n\n" +
        "acl_type: user, group or mask, for defaults with d: before it\nacl_name: name of the user or group\n" +
        `perms: such as rwx\n${OF_PATHS}`,
      run: (context, { acl_type: type, acl_name: name, perms, ...rest }) =>
        setAcls(context, ["-m", aclEntry(type, name, perms)], rest),
    },
    "delfacl(acl_type, acl_name='', *args, **kwargs)": {
      doc: "Removes an entry.\n\n    salt '*' acl.delfacl user myuser /tmp/house/kitchen\n\n" +
        "acl_type: user, group or mask, for defaults with d: before it\n" +
        `acl_name: name of the user or group\n${OF_PATHS}`,
      run: (context, { acl_type: type, acl_name: name, ...rest }) =>
        setAcls(context, ["-x", aclEntry(type, name)], rest),
    },
  }),
};
