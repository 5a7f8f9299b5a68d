import { fnmatch } from "../event/tag.ts";

/** Functions after which nothing is as before, and why a person should look twice. */
const DESTRUCTIVE: { fun: string; why: string }[] = [
  ...["system.halt", "system.poweroff", "system.shutdown", "system.reboot", "system.init"].map((fun) => ({
    fun,
    why: "It stops or restarts the machines.",
  })),
  ...["*.kill", "*.kill_*", "*.pkill", "saltutil.term_*", "saltutil.signal_job"].map((fun) => ({
    fun,
    why: "It ends processes that are running.",
  })),
  ...["service.stop", "service.restart", "service.disable", "service.mask"].map((fun) => ({
    fun,
    why: "It takes a service away from whoever uses it.",
  })),
  ...["*.remove*", "*.delete*", "*.purge*", "*.rm*", "*.absent", "*.drop*", "*.destroy*", "*.flush*", "*.clear*"].map(
    (fun) => ({ fun, why: "It deletes things." }),
  ),
  ...["pkg.install", "pkg.upgrade", "pkg.*grade"].map((fun) => ({ fun, why: "It changes what is installed." })),
  ...["disk.format*", "disk.wipe", "lvm.*remove", "mount.umount", "partition.*"].map((fun) => ({
    fun,
    why: "It changes disks.",
  })),
  ...["saltutil.regen_keys", "saltutil.revoke_auth", "minion.kill", "key.delete*", "key.reject*"].map((fun) => ({
    fun,
    why: "The minions can no longer be reached afterwards.",
  })),
];

const STATES = ["state.apply", "state.highstate", "state.sls", "state.single", "state.sls_id", "state.orchestrate*"];
/** Functions that run what they are given. */
const COMMANDS = ["cmd.*", "ssh.*"];
/** With so many minions a command is worth a second look. */
const MANY = 25;

const fits = (fun: string, patterns: readonly string[]) => patterns.some((pattern) => fnmatch(pattern)(fun));

/** True if it can be run with `test=True`, which says what would change and changes nothing. */
export const hasDryRun = (fun: string): boolean => fits(fun, STATES);

/**
 * Why a person should confirm this run; undefined if there is no reason.
 *
 * @param count how many minions are meant; undefined if that is not known
 */
export function reasonToConfirm(
  fun: string,
  kwarg: Record<string, unknown>,
  count: number | undefined,
): string | undefined {
  const why = danger(fun, kwarg, count);
  if (count !== undefined) return why;
  // Whoever does not know whom they hit looks twice, whatever it is.
  return `${why === undefined ? "" : `${why} `}It is not known on how many minions it runs.`;
}

function danger(fun: string, kwarg: Record<string, unknown>, count: number | undefined): string | undefined {
  if (hasDryRun(fun)) return kwarg.test === true ? undefined : "It changes the machines to what the states say.";
  const found = DESTRUCTIVE.find((row) => fnmatch(row.fun)(fun));
  if (found !== undefined) return found.why;
  if (!fits(fun, COMMANDS)) return undefined;
  if (count === undefined) return "It runs a command.";
  return count >= MANY ? `It runs a command on ${count.toLocaleString("en")} minions.` : undefined;
}
