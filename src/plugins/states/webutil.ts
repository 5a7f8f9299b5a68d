import type { StateContext, StateModule } from "../../model/loader/states.ts";
import { outcome, stateFunction, stateFunctions } from "../../model/loader/states.ts";
import { str, truthy } from "../../language/python/values.ts";
import { programPath } from "../commands.ts";
import { passwordWords, userWords } from "../modules/webutil.ts";

type Done = { retcode: number; stderr: string };

async function isThere(context: StateContext, file: unknown, user: string): Promise<boolean> {
  const pattern = `^${user.replace(/[.[\]*^$\\]/g, "\\$&")}:`;
  return (await context.call("file.grep", [file, pattern]) as Done).retcode === 0;
}

/** Users of password files of web servers. */
export const states: StateModule = {
  virtual: (context) =>
    programPath(context, "htpasswd") !== undefined || { unavailable: "Command not found: htpasswd" },
  functions: stateFunctions({
    user_exists: stateFunction({
      signature:
        "name, password=None, htpasswd_file=None, options='', force: bool=False, runas=None, update: bool=False",
      doc: "The user is in the password file. `update` compares the password, `force` always sets it.",
      async run(context, args) {
        const { name, password, htpasswd_file: file, options, force, runas, update } = args;
        const [, user] = userWords(file, name);
        const there = truthy(await context.call("file.file_exists", [file])) && await isThere(context, file, user);
        const differs = async () =>
          update &&
          !truthy(await context.call("webutil.verify", [file, name, password], { opts: options, runas }));
        if (there && !force && !await differs()) return outcome(name, true, "User already known");
        passwordWords(str(options), { pwfile: file, user, password });
        if (context.test) {
          return outcome(name, null, `User '${user}' is set to be added to htpasswd file`, { [user]: true });
        }
        const { retcode, stderr } = await context.call("webutil.useradd", [file, name, password], {
          opts: options,
          runas,
        }) as Done;
        return outcome(name, retcode === 0, stderr, retcode === 0 ? { [user]: true } : {});
      },
    }),
    "user_absent(name, htpasswd_file=None, runas=None)": {
      doc: "The user is not in the password file.",
      async run(context, args) {
        const { name, htpasswd_file: file, runas } = args;
        const [, user] = userWords(file, name);
        if (!await isThere(context, file, user)) {
          return outcome(name, context.test ? null : true, "User already not in file");
        }
        if (context.test) {
          return outcome(name, null, `User '${user}' is set to be removed from htpasswd file`, { [user]: true });
        }
        const { retcode, stderr } = await context.call("webutil.userdel", [file, name], {
          runas,
          all_results: true,
        }) as Done;
        return outcome(name, retcode === 0, stderr, retcode === 0 ? { [user]: true } : {});
      },
    },
  }),
};
