/** The branches and tags of a remote → the names of their commits or tag objects. */
export interface Refs {
  branches: ReadonlyMap<string, string>;
  tags: ReadonlyMap<string, string>;
  /** When they were fetched last, in milliseconds since the epoch; 0 for never. */
  atMs: number;
}

/** Of a remote that was never fetched. */
export const NO_REFS: Refs = { branches: new Map(), tags: new Map(), atMs: 0 };

/** True if both were fetched, and are the same. */
export function sameRefs(a: Refs, b: Refs): boolean {
  const same = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>) =>
    one.size === other.size && [...one].every(([name, sha]) => other.get(name) === sha);
  return a.atMs !== 0 && same(a.branches, b.branches) && same(a.tags, b.tags);
}
