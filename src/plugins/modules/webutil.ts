import { executionFunctions, type ExecutionModule, SaltInvocationError } from "../../model/loader/family.ts";
import { splitLines } from "../../language/python/text.ts";
import { type Args, str } from "../../language/python/values.ts";
import { operand, programPath, run, runAll } from "../commands.ts";
import { checkProgramPath, exists } from "../linux/paths.ts";

/** The words that name a user in a password file. @throws {SaltInvocationError} if the user would be another line or an option */
export function userWords(file: unknown, user: unknown): [string, string] {
  const name = operand(user, "a user");
  if (/[:\r\n]/.test(name)) {
    throw new SaltInvocationError(`Cannot use ${JSON.stringify(name)} as a user: it contains ":" or a line break`);
  }
  return [operand(file, "a password file"), name];
}

/** The words of `htpasswd -b`. @throws {SaltInvocationError} for what is no set of letters, or no password */
export function passwordWords(letters: string, { pwfile, user, password }: Args): string[] {
  if (!/^[A-Za-z0-9 ]*$/.test(letters)) {
    throw new SaltInvocationError(`Cannot use "${letters}" as options of htpasswd: expected letters such as "s"`);
  }
  if (password === null || password === undefined) {
    throw new SaltInvocationError(`Cannot use no password for user "${str(user)}": give password=…`);
  }
  return ["htpasswd", `-b${letters}`, ...userWords(pwfile, user), str(password)];
}

/** Password files of web servers, by htpasswd. */
export const module: ExecutionModule = {
  virtual: (context) =>
    programPath(context, "htpasswd") !== undefined ||
    { unavailable: "The htpasswd execution mdule cannot be loaded: htpasswd binary not in path." },
  functions: executionFunctions({
    "useradd(pwfile, user, password, opts: str='', runas=None)": {
      doc: "Adds a user to a password file, or changes the password. The file is made if it is missing.\n\n" +
        "    salt '*' webutil.useradd /etc/httpd/htpasswd larry badpassword\n\n" +
        "pwfile: the password file\nopts: options of htpasswd as letters, such as s",
      async run(context, args): Promise<unknown> {
        const create = exists(context.runtime.fs, str(args.pwfile)) ? "" : "c";
        const words = passwordWords(args.opts + create, args);
        checkProgramPath(context, str(args.pwfile), { runas: args.runas });
        return await runAll(context, words, { runas: args.runas });
      },
    },
    "userdel(pwfile, user, runas=None, all_results: bool=False)": {
      doc: "Removes a user from a password file.\n\n    salt '*' webutil.userdel /etc/httpd/htpasswd larry\n\n" +
        "pwfile: the password file\nall_results: return code and both outputs, not lines",
      async run(context, { pwfile, user, runas, all_results: all }): Promise<unknown> {
        if (!exists(context.runtime.fs, str(pwfile))) return "Error: The specified htpasswd file does not exist";
        const words = ["htpasswd", "-D", ...userWords(pwfile, user)];
        checkProgramPath(context, str(pwfile), { runas });
        return all ? await runAll(context, words, { runas }) : splitLines(await run(context, words, { runas }));
      },
    },
    "verify(pwfile, user, password, opts: str='', runas=None)": {
      doc: "True if the user has that password.\n\n" +
        "    salt '*' webutil.verify /etc/httpd/htpasswd larry maybepassword\n\n" +
        "pwfile: the password file\nopts: options of htpasswd as letters",
      async run(context, args): Promise<boolean> {
        if (!exists(context.runtime.fs, str(args.pwfile))) return false;
        const { retcode } = await runAll(context, passwordWords(`v${args.opts}`, args), { runas: args.runas });
        return retcode === 0;
      },
    },
  }),
};
