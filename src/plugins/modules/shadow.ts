import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { executionFunction, executionFunctions, SaltInvocationError } from "../../model/loader/family.ts";
import { type Args, str } from "../../language/python/values.ts";
import { run, runAll } from "../commands.ts";
import { type AccountHost, allAccounts, shadowRows } from "../../runtime/accounts.ts";
import { passwordHash } from "../password_hash.ts";
import { replaceContent } from "../host_files.ts";
import { rootOf, userRootWords } from "../user_files.ts";

const DAY_MS = 86_400_000;

/** A line of the shadow database; -1 stands for a missing number. */
interface ShadowEntry {
  name: string;
  passwd: string;
  lstchg: number;
  min: number;
  max: number;
  warn: number;
  inact: number;
  expire: number;
}

function shadowEntries(host: AccountHost, root: string): ShadowEntry[] {
  const number = (text = "") => text === "" ? -1 : Number(text);
  return shadowRows(host, root).map(([name = "", passwd = "", lstchg, min, max, warn, inact, expire]) => ({
    name,
    passwd,
    lstchg: number(lstchg),
    min: number(min),
    max: number(max),
    warn: number(warn),
    inact: number(inact),
    expire: number(expire),
  }));
}

function find({ runtime }: JobContext, args: Args): ShadowEntry | undefined {
  return shadowEntries(runtime, rootOf(args)).find((entry) => entry.name === str(args.name));
}

const NO_ENTRY = { name: "", passwd: "", lstchg: "", min: "", max: "", warn: "", inact: "", expire: "" };

type Field = "lstchg" | "min" | "max" | "warn" | "inact" | "expire";

/** Changes a field with an option of chage. Dates may be words or days, so the result is not compared. */
async function change(context: JobContext, args: Args, field: Field, option: string, value: unknown): Promise<boolean> {
  const before = find(context, args);
  if (before === undefined) return false;
  if (before[field] === value) return true;
  const { retcode } = await runAll(context, ["chage", option, str(value), str(args.name), ...userRootWords(args)]);
  if (field === "lstchg" || field === "expire") return retcode === 0;
  return find(context, args)?.[field] === value;
}

const setter = (argument: string, field: Field, option: string, what: string) =>
  executionFunction({
    signature: `name, ${argument}, root=None`,
    doc: `${what}\n\n    salt '*' shadow.set_${argument} username 7`,
    run: (context, args) => change(context, args, field, option, args[argument]),
  });

/** Locks or unlocks with passwd: a lock is an exclamation mark before the hash. */
async function lock(context: JobContext, args: Args, wanted: boolean): Promise<boolean> {
  const before = find(context, args);
  if (before === undefined) return false;
  if (before.passwd.startsWith("!") === wanted) return true;
  await run(context, ["passwd", wanted ? "-l" : "-u", str(args.name), ...userRootWords(args)]);
  return find(context, args)?.passwd.startsWith("!") === wanted;
}

/** Passwords and their expiry; `root` names the directory of another system. */
export const module: ExecutionModule = {
  virtual: ({ runtime }) =>
    runtime.process.platform === "linux"
      ? true
      : { unavailable: "The shadow module reads /etc/shadow of Linux, and this is another system" },
  functions: executionFunctions({
    "default_hash()": {
      doc: "The entry of an account that cannot log in with a password.\n\n    salt '*' shadow.default_hash",
      run: () => "!",
    },
    "info(name, root=None)": {
      doc: "The password entry of a user; dates in days since 1970.\n\n    salt '*' shadow.info root",
      run: (context, args) => ({ ...find(context, args) ?? NO_ENTRY }),
    },
    "list_users(root=None)": {
      doc: "The names of all users with a password entry.\n\n    salt '*' shadow.list_users",
      run: ({ runtime }, args) => shadowEntries(runtime, rootOf(args)).map(({ name }) => name).sort(),
    },
    "gen_password(password: str, crypt_salt=None, algorithm: str='sha512')": {
      doc: "The hash of a password: by sha512, sha256, md5, blowfish or crypt.\n\n" +
        "    salt '*' shadow.gen_password 'I_am_password' crypt_salt='I_am_salt' algorithm=sha256",
      async run(context, args): Promise<string> {
        const salt = args.crypt_salt === null ? undefined : str(args.crypt_salt);
        return await passwordHash(context, args.algorithm, args.password, salt);
      },
    },
    "set_password(name: str, password: str, use_usermod: bool=False, root=None)": {
      doc: "Sets the hash of a user's password.\n\n    salt '*' shadow.set_password root '$1$UYCIxa628.9qXjpQCjM4a..'",
      async run(context, args): Promise<boolean> {
        const { fs } = context.runtime;
        const [name, password] = [args.name, args.password];
        if (/[\n:]/.test(password)) throw new SaltInvocationError("A hash has no colon and no line break");
        if (args.use_usermod) {
          await run(context, ["usermod", "-p", password, name, ...userRootWords(args)], { output_loglevel: "quiet" });
          return find(context, args)?.passwd === password;
        }
        if (!allAccounts(context.runtime, rootOf(args)).some((entry) => entry.name === name)) return false;
        const path = `${rootOf(args)}/etc/shadow`;
        const today = String(Math.floor(context.runtime.clock.now() / DAY_MS));
        const stat = fs.stat(path);
        const lines = stat === undefined
          ? []
          : fs.readText(path).replace(/\n$/, "").split("\n").filter((line) => line !== "");
        const at = lines.findIndex((line) => line.startsWith(`${name}:`));
        if (at < 0) lines.push([name, password, today, "0", "99999", "7", "", "", ""].join(":"));
        else {
          const fields = lines[at]!.split(":");
          [fields[1], fields[2]] = [password, today];
          lines[at] = fields.join(":");
        }
        replaceContent(context.runtime, path, `${lines.join("\n")}\n`, { mode: 0o640, follow: false });
        return find(context, args)?.passwd === password;
      },
    },
    "del_password(name: str, root=None)": {
      doc:
        "Removes a user's password: anyone can then log in as that user.\n\n    salt '*' shadow.del_password username",
      async run(context, args) {
        await run(context, ["passwd", "-d", args.name, ...userRootWords(args)]);
        return find(context, args)?.passwd === "";
      },
    },
    "lock_password(name, root=None)": {
      doc: "Locks a user's password.\n\n    salt '*' shadow.lock_password username",
      run: (context, args) => lock(context, args, true),
    },
    "unlock_password(name, root=None)": {
      doc: "Unlocks a user's password.\n\n    salt '*' shadow.unlock_password username",
      run: (context, args) => lock(context, args, false),
    },
    set_date: setter("date", "lstchg", "-d", "Sets when a password was last changed: a date, or days since 1970."),
    set_expire: setter(
      "expire",
      "expire",
      "-E",
      "Sets when an account ends: a date, or days since 1970; -1 for never.",
    ),
    set_inactdays: setter(
      "inactdays",
      "inact",
      "-I",
      "Sets for how many days a password can be changed once it is old.",
    ),
    set_maxdays: setter("maxdays", "max", "-M", "Sets after how many days a password must be changed."),
    set_mindays: setter("mindays", "min", "-m", "Sets for how many days a password must be kept."),
    set_warndays: setter("warndays", "warn", "-W", "Sets how many days before its end a user is warned."),
  }),
};
