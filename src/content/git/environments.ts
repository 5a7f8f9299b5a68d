import { matchExpression } from "../../model/target/expression.ts";
import type { GitRemote, Refs, SavedEnvironment } from "./remote.ts";

/** True for an environment whose name may be the hash of a commit. */
export const isHex = (name: string) => /^[0-9a-f]{4,64}$/i.test(name);

/** Branch or tag → the environments that the options `saltenv` map to it. */
function mapped({ saltenvs, globalSaltenvs }: GitRemote): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const add = (ref: string | undefined, saltenv: string) => {
    if (ref !== undefined) found.set(ref, [...found.get(ref) ?? [], saltenv]);
  };
  for (const [saltenv, { ref }] of saltenvs) add(ref, saltenv);
  const own = new Set([...found.values()].flat());
  for (const [saltenv, { ref }] of globalSaltenvs) if (!own.has(saltenv)) add(ref, saltenv);
  return found;
}

export function isExposed({ whitelist, blacklist }: GitRemote, saltenv: string): boolean {
  const fits = (list: readonly string[]) => list.some((expression) => matchExpression(saltenv, expression));
  return !fits(blacklist) && (whitelist.length === 0 || fits(whitelist));
}

/** The environments of a remote. @see salt/utils/gitfs.py GitFS.envs */
export function savedEnvironments(remote: GitRemote, refs: Refs): Set<string> {
  const { base, refTypes, disableMapping } = remote;
  const byRef = mapped(remote);
  const found = new Set<string>();
  if (isHex(base)) found.add("base");
  const names = [
    ...refTypes.includes("branch") ? refs.branches.keys() : [],
    ...refTypes.includes("tag") ? refs.tags.keys() : [],
  ];
  for (const name of names) {
    const saltenvs = byRef.get(name);
    if (saltenvs !== undefined) saltenvs.forEach((saltenv) => found.add(saltenv));
    else if (name === base) found.add("base");
    else if (!disableMapping) found.add(name);
  }
  for (const saltenvs of byRef.values()) saltenvs.forEach((saltenv) => found.add(saltenv));
  return new Set([...found].filter((saltenv) => isExposed(remote, saltenv)));
}

/** The branch, tag or commit of an environment; undefined if it has none. */
export function refOf(remote: GitRemote, saltenv: string): string | undefined {
  if (remote.allSaltenvs !== undefined) return remote.allSaltenvs;
  if (saltenv === "base") return remote.base;
  const own = remote.saltenvs.get(saltenv)?.ref ?? remote.globalSaltenvs.get(saltenv)?.ref;
  return remote.disableMapping ? own : own ?? saltenv;
}

/** The root or the mount point of an environment. */
export function placeIn(remote: GitRemote, saltenv: string, what: "root" | "mountpoint"): string {
  const of = (saved: SavedEnvironment | undefined) => saved?.[what];
  return of(remote.saltenvs.get(saltenv)) ?? of(remote.globalSaltenvs.get(saltenv)) ?? remote[what];
}
