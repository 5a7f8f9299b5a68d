import { fnmatch } from "../model/event/tag.ts";

/** Functions that are hard to undo, with the reason to confirm them. */
const DESTRUCTIVE: { fun: string; why: string }[] = [
  ...["system.halt", "system.poweroff", "system.shutdown", "system.reboot", "system.init"].map((fun) => ({
    fun,
    why: "Stops or restarts the machines.",
  })),
  ...["*.kill", "*.kill_*", "*.pkill", "saltutil.term_*", "saltutil.signal_job"].map((fun) => ({
    fun,
    why: "Ends running processes.",
  })),
  ...["service.stop", "service.restart", "service.disable", "service.mask"].map((fun) => ({
    fun,
    why: "Interrupts a service.",
  })),
  ...["*.remove*", "*.delete*", "*.purge*", "*.rm*", "*.absent", "*.drop*", "*.destroy*", "*.flush*", "*.clear*"].map(
    (fun) => ({ fun, why: "Deletes data." }),
  ),
  ...["pkg.install", "pkg.upgrade", "pkg.*grade"].map((fun) => ({ fun, why: "Changes installed packages." })),
  ...["disk.format*", "disk.wipe", "lvm.*remove", "mount.umount", "partition.*"].map((fun) => ({
    fun,
    why: "Changes disks or mounts.",
  })),
  ...["saltutil.regen_keys", "saltutil.revoke_auth", "minion.kill", "key.delete*", "key.reject*"].map((fun) => ({
    fun,
    why: "The minions can no longer be reached afterwards.",
  })),
];

const STATES = ["state.apply", "state.highstate", "state.sls", "state.single", "state.sls_id", "state.orchestrate*"];
/** Functions that run a command line. */
const COMMANDS = ["cmd.*", "ssh.*"];
/** The number of minions from which a command has to be confirmed. */
const MANY = 25;

const fits = (fun: string, patterns: readonly string[]) => patterns.some((pattern) => fnmatch(pattern)(fun));

/** True if a function can be run with `test=True`, which reports the changes without making them. */
export const hasDryRun = (fun: string): boolean => fits(fun, STATES);

/** Functions whose first argument names SLS files. */
const OF_SLS = ["state.apply", "state.sls", "state.show_sls", "state.show_low_sls", "state.orchestrate", "state.orch"];

/** True if the first argument of a function names SLS files. */
export const takesSls = (fun: string): boolean => OF_SLS.includes(fun);

/**
 * Why the user should confirm this run; undefined if there is no reason.
 *
 * @param count number of matching minions; undefined if it is unknown
 */
export function reasonToConfirm(
  fun: string,
  kwarg: Record<string, unknown>,
  count: number | undefined,
): string | undefined {
  const why = danger(fun, kwarg, count);
  if (count !== undefined) return why;
  // Any function has to be confirmed if its minions are unknown.
  return `${why === undefined ? "" : `${why} `}The number of minions is unknown.`;
}

function danger(fun: string, kwarg: Record<string, unknown>, count: number | undefined): string | undefined {
  if (hasDryRun(fun)) return kwarg.test === true ? undefined : "Applies states, which changes the machines.";
  const found = DESTRUCTIVE.find((row) => fnmatch(row.fun)(fun));
  if (found !== undefined) return found.why;
  if (!fits(fun, COMMANDS)) return undefined;
  if (count === undefined) return "Runs a command.";
  return count >= MANY ? `Runs a command on ${count.toLocaleString("en")} minions.` : undefined;
}
