/** Checks that no stranger can have made, or can write to, a directory with code to run. This file imports nothing, since programs load it first. */

/** The state of a path; links are not followed. */
interface Look {
  uid: number;
  mode: number;
  target?: string | undefined;
}

const STICKY = 0o1000;
const ALL_WRITE = 0o002;
const OTHERS_WRITE = 0o022;
/** Links to follow, at most: the system follows no more. */
const MAX_LINKS = 40;

const namesOf = (path: string) => path.split("/").filter((part) => part !== "" && part !== ".").reverse();

/**
 * Checks a directory and all directories above it.
 *
 * @param look undefined if nothing is there
 * @param strict every directory has to belong to root or to the current user, and be closed to the group; otherwise a directory may have any
 * owner, such as the user of a master, unless it is in a directory that is open to all, such as `/tmp`
 * @returns why code from there is not to be run; undefined if it may be
 */
export function strangerIn(
  look: (path: string) => Look | undefined,
  path: string,
  uid: number,
  strict: boolean,
): string | undefined {
  const rest = namesOf(path);
  let here = "";
  let openToAll = false;
  for (let links = 0; rest.length > 0;) {
    const name = rest.pop()!;
    if (name === "..") {
      here = here.replace(/\/[^/]*$/, "");
      continue;
    }
    const next = `${here}/${name}`;
    const found = look(next);
    if (found === undefined) return `the directory "${next}" does not exist`;
    const ours = found.uid === 0 || found.uid === uid;
    if (!ours && (strict || openToAll)) return `"${next}" belongs to user ${found.uid}`;
    if (found.target !== undefined) {
      if (++links > MAX_LINKS) return `the links of "${next}" form a loop`;
      rest.push(...namesOf(found.target));
      if (found.target.startsWith("/")) here = "";
      continue;
    }
    here = next;
    // In a sticky directory nobody else can replace the user's entry; in the last directory, anybody could still add files.
    const sticky = (found.mode & STICKY) !== 0 && rest.length > 0;
    openToAll = (found.mode & ALL_WRITE) !== 0;
    if (!sticky && (found.mode & (strict ? OTHERS_WRITE : ALL_WRITE)) !== 0) {
      return `other users may write to "${next}"`;
    }
  }
  return undefined;
}
