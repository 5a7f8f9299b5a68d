import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { type Args, isTrue, str, truthy } from "../../../language/python/values.ts";
import { askApt, policies, type Versions } from "./dpkg.ts";
import { refresh } from "./refresh.ts";

/** @throws {SaltInvocationError} for a release under the name that other package managers have for it */
export function checkFrom(kwargs: Args): void {
  if ("repo" in kwargs) throw new SaltInvocationError("The 'repo' argument is invalid, use 'fromrepo' instead");
}

/**
 * The version that would be installed; `""` if it or a newer one is installed already.
 *
 * @param kwargs `{fromrepo, show_installed}`
 */
export async function newest(context: JobContext, names: string[], kwargs: Args): Promise<Versions> {
  const { fromrepo = null, show_installed: withInstalled = false } = kwargs;
  const found = await policies(context, names, truthy(fromrepo) ? str(fromrepo) : undefined);
  const newer: Versions = {};
  for (const name of names) {
    const { candidate = "", installed: current = "" } = found[name] ?? {};
    const isThere = candidate !== "" && current !== "" &&
      (candidate === current || (await compareDebian(context, current, candidate, false) ?? 0) >= 0);
    newer[name] = isThere && !isTrue(withInstalled) ? "" : candidate;
  }
  return newer;
}

export async function upgrades(context: JobContext, args: Args): Promise<Versions> {
  if (args.refresh !== false) await refresh(context, {});
  const verb = truthy(args.dist_upgrade) ? "dist-upgrade" : "upgrade";
  const { retcode, stdout, stderr } = await askApt(context, ["apt-get", "--just-print", verb]);
  if (retcode !== 0) throw new CommandExecutionError(stderr || stdout);
  return Object.fromEntries([...stdout.matchAll(/^Conf (\S+) \((\S+)/gm)].map(([, name, to]) => [name, to!]));
}

export async function compareDebian(
  context: JobContext,
  one: unknown,
  two: unknown,
  ignoreEpoch: unknown,
): Promise<number | null> {
  const plain = (text: unknown) => truthy(ignoreEpoch) ? str(text).replace(/^\d+:/, "") : str(text);
  for (const [word, outcome] of [["lt", -1], ["eq", 0], ["gt", 1]] as const) {
    const { retcode, stderr } = await askApt(context, ["dpkg", "--compare-versions", plain(one), word, plain(two)]);
    // It warns about an invalid version and continues.
    if (/bad syntax/.test(stderr)) return null;
    if (retcode === 0) return outcome;
  }
  return null;
}
