/** The option `user`: a daemon that root starts becomes that user permanently. */
import { joinPath } from "../../src/base/paths.ts";
import { ConfigError, messageOf } from "../../src/base/errors.ts";
import { findAccount } from "../../src/runtime/accounts.ts";
import type { ProcessAccount } from "../../src/runtime/process.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { Exit } from "../program/exit.ts";

/** Exit code EX_NOUSER of sysexits.h. */
const NO_USER = 67;

/** Uid of the daemon's user: that of the named account if it exists, else that of this process. */
export async function userNumber(runtime: Runtime, name: string): Promise<number | undefined> {
  if (name === "" || runtime.host.user().name === name) return runtime.process.uid();
  return findAccount(runtime, name)?.uid ?? runtime.process.uid();
}

/** The reason why the daemon cannot become its configured user; undefined if it can, or need not. */
export async function checkRunAs(runtime: Runtime, name: string, given: boolean): Promise<string | undefined> {
  if (!given || runtime.host.user().name === name) return undefined;
  if (name === "" || findAccount(runtime, name) === undefined) {
    return `user: the account "${name}" does not exist. Create it, or name another`;
  }
  if (runtime.process.uid() === 0) return undefined;
  return `user: ${runtime.host.user().name} cannot become "${name}". Start it as root or as that user`;
}

/**
 * Gives a directory with its contents to a user. The directory itself comes last: its owner then shows that all is done. This
 * is not repeated, because root should not act on files that an unprivileged user controls. Links are not followed, and files
 * with hard links are left unchanged.
 */
function own(runtime: Runtime, directory: string, { uid, gid }: ProcessAccount): void {
  const { fs } = runtime;
  const top = fs.stat(directory);
  if (top === undefined || top.uid === uid) return;
  const below = (path: string): void => {
    for (const name of fs.list(path)) {
      const entry = joinPath(path, name);
      const stat = fs.stat(entry, { follow: false });
      if (stat === undefined || stat.kind !== "directory" && stat.kind !== "file") continue;
      if (stat.kind === "directory") below(entry);
      else if (stat.nlink > 1) continue;
      if (stat.uid !== uid) fs.chown(entry, uid, gid, { follow: false });
    }
  };
  below(directory);
  fs.chown(directory, uid, gid);
}

interface RunAsOptions {
  opts: Record<string, unknown>;
  /** True if the configuration or command line sets a user; otherwise the user is not changed. */
  given: boolean;
  directories: readonly string[];
  /** Files that are open already, or are in directories that only root can write to. */
  files: readonly string[];
}

/**
 * Becomes the user of the option `user`, permanently.
 *
 * @returns the user's name; undefined if the user is not changed
 * @throws {ConfigError} with the remedy if that is impossible: the daemon must not run as the wrong user; {Exit} 67 without
 * such an account
 */
export async function runAs(runtime: Runtime, options: RunAsOptions): Promise<string | undefined> {
  const { fs, process, host } = runtime;
  const name = String(options.opts.user ?? "");
  if (!options.given || host.user().name === name) return undefined;
  const cannot = (why: string) =>
    new ConfigError(`Cannot run as the user "${name}" (option user): ${why}`, { user: name });
  const noAccount = () =>
    new Exit(NO_USER, `[CRITICAL] ${cannot("the account does not exist. Create it, or name another").message}`);
  if (name === "") throw noAccount();
  if (process.uid() !== 0) {
    throw cannot(
      `only root can become another user, and this is ${host.user().name}. Start it as root or as that ` +
        "user (User= of its systemd unit), or remove the option",
    );
  }
  const account = findAccount(runtime, name);
  if (account === undefined) throw noAccount();
  if (account.uid === 0) return undefined;
  try {
    for (const directory of options.directories) {
      if (directory === "") continue;
      fs.mkdir(directory, 0o755);
      own(runtime, directory, account);
    }
    for (const file of options.files) {
      const stat = file === "" ? undefined : fs.stat(file, { follow: false });
      if (stat?.kind === "file" && stat.nlink === 1 && stat.uid !== account.uid) {
        fs.chown(file, account.uid, account.gid, { follow: false });
      }
    }
    process.become(account);
  } catch (error) {
    throw cannot(
      `${messageOf(error)}. Start it as that user (User= of its systemd unit), with its directories owned by that user`,
    );
  }
  for (const [variable, value] of [["HOME", account.home], ["USER", name], ["LOGNAME", name]] as const) {
    process.setEnv(variable, value);
  }
  return name;
}
