import type { MasterOpts } from "../../../model/config/master_opts.ts";
import { equal } from "../../../language/python/equal.ts";

/** Options that a master takes while it runs: who may do what, groups of minions, which keys are accepted, reactors, engines and schedules. */
export const RELOADED: readonly string[] = [
  "nodegroups",
  "publisher_acl",
  "publisher_acl_blacklist",
  "sudo_acl",
  "client_acl_verify",
  "permissive_acl",
  "external_auth",
  "eauth_acl_module",
  "sharedsecret",
  "token_expire",
  "token_expire_user_override",
  "keep_acl_in_token",
  "peer",
  "peer_run",
  "mine_get",
  "auto_accept",
  "autosign_file",
  "autoreject_file",
  "autosign_timeout",
  "autosign_grains",
  "autosign_grains_dir",
  "permissive_pki_access",
  "reactor",
  "engines",
  "engines_dirs",
  "engine_events_per_second",
  "schedule",
  "schedule_returner",
];

/** Settings of the backends of `external_auth`: `auth.ldap.server`. */
const isReloaded = (name: string) => RELOADED.includes(name) || name.startsWith("auth.");

/**
 * The options that hold after a configuration was read again.
 *
 * @param before those of now, which stay as they are
 * @returns a new configuration, and the names of the options that differ in it
 */
export function reloadedOptions(
  before: MasterOpts,
  values: Record<string, unknown>,
): { opts: MasterOpts; taken: string[] } {
  const names = [...new Set([...Object.keys(before), ...Object.keys(values)])];
  const taken = names.filter((name) => isReloaded(name) && !equal(before[name] ?? null, values[name] ?? null));
  const opts = { ...before, ...Object.fromEntries(taken.map((name) => [name, values[name]])) };
  return { opts: opts as MasterOpts, taken };
}
