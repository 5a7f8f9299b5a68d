import { CommandExecutionError } from "../../../model/loader/family.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { findAccount, findGroup } from "../../../runtime/accounts.ts";
import { which } from "../../linux/programs.ts";

/** The user and group that a command runs as. */
interface Identity {
  home: string;
  /** Its environment; undefined for our own. */
  env: Record<string, string> | undefined;
  /** Words before the command that make it run as another user. */
  prefix: string[];
  /** To be given to the runtime when there is no such prefix. */
  uid?: number;
  gid?: number;
}

/**
 * The user and group that `runas` and `group` name. Nothing of our own environment goes to another user but the search path and the
 * terminal: it may hold secrets.
 *
 * @throws {CommandExecutionError} if there is no such user or group
 */
export function commandIdentity(
  runtime: Runtime,
  wanted: { runas: string | undefined; group: string | undefined },
): Identity {
  const { fs, process } = runtime;
  const us = runtime.host.user();
  const gid = wanted.group === undefined ? undefined : findGroup(runtime, wanted.group)?.gid;
  if (wanted.group !== undefined && gid === undefined) {
    throw new CommandExecutionError(`Group '${wanted.group}' is not available`);
  }
  const other = wanted.runas === undefined ? undefined : findAccount(runtime, wanted.runas);
  if (wanted.runas !== undefined && other === undefined) {
    throw new CommandExecutionError(`User '${wanted.runas}' is not available`);
  }
  const same = other === undefined || other.uid === us.uid;
  if (same && gid === undefined) return { home: us.home, env: undefined, prefix: [] };
  const account = other ?? findAccount(runtime, us.uid) ?? { ...us, shell: "/bin/sh" };
  const group = gid ?? account.gid;
  const env: Record<string, string> | undefined = same ? undefined : {
    PATH: process.env("PATH") ?? "/usr/local/bin:/usr/bin:/bin",
    LANG: process.env("LANG") ?? "C.UTF-8",
    TERM: process.env("TERM") ?? "dumb",
    HOME: account.home,
    SHELL: account.shell,
    USER: account.name,
    LOGNAME: account.name,
  };
  // No runtime sets the further groups of a child; left as they are, those of root would stay with it.
  const setpriv = which(fs, "setpriv", "/usr/bin:/bin");
  const prefix = setpriv === undefined
    ? []
    : [setpriv, `--reuid=${account.uid}`, `--regid=${group}`, "--init-groups", "--"];
  return { home: account.home, env, prefix, ...(setpriv === undefined ? { uid: account.uid, gid: group } : {}) };
}
