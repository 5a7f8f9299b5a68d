/** The branches and tags of a remote, each name → hash of its commit or tag object. */
export interface Refs {
  branches: ReadonlyMap<string, string>;
  tags: ReadonlyMap<string, string>;
  /** Time of the last fetch, in milliseconds since the epoch; 0 if there was none. */
  atMs: number;
}

/** The refs of a remote that was never fetched. */
export const NO_REFS: Refs = { branches: new Map(), tags: new Map(), atMs: 0 };

/** True if `a` was fetched, and both have the same branches and tags. */
export function sameRefs(a: Refs, b: Refs): boolean {
  const same = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>) =>
    one.size === other.size && [...one].every(([name, sha]) => other.get(name) === sha);
  return a.atMs !== 0 && same(a.branches, b.branches) && same(a.tags, b.tags);
}
