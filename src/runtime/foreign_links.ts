import { SystemError } from "../base/errors.ts";
import type { FileStat, FileSystem } from "./fs.ts";

/** The most links on the way to a file: the system follows no more. */
export const MAX_LINKS = 40;

/** The permissions that allow users other than the owner to change the names in a directory. */
const OTHERS_WRITE = 0o022;

/** Root was about to change a file through a link of another user, and the file does not belong to that user. */
export class ForeignLinkError extends SystemError {}

/** True if only root can create or move a link in that directory. */
export function onlyRootChanges({ uid, mode }: Pick<FileStat, "uid" | "mode">): boolean {
  return uid === 0 && (mode & OTHERS_WRITE) === 0;
}

/** A user's link that was followed: the file behind it has to belong to the same user. */
export interface UsersLink {
  uid: number;
  path: string;
}

/**
 * Finds the first link on the way to a file that a stranger may have made: its owner is not root or `uid`, others can change its
 * directory, and the file behind it does not belong to the link's owner. Does not protect against a link that is made afterwards.
 */
export function strangersLink(
  fs: Pick<FileSystem, "stat" | "readlink">,
  path: string,
  uid: number,
): UsersLink | undefined {
  const rest = path.split("/").reverse();
  let here = "";
  let above: FileStat | undefined;
  for (let links = 0; rest.length > 0;) {
    const name = rest.pop()!;
    if (name === "" || name === ".") continue;
    if (name === "..") {
      here = here.replace(/\/[^/]*$/, "");
      above = here === "" ? undefined : fs.stat(here, { follow: false });
      continue;
    }
    const next = `${here}/${name}`;
    const stat = fs.stat(next, { follow: false });
    if (stat?.kind !== "symlink" || ++links > MAX_LINKS) {
      here = next;
      above = stat;
      continue;
    }
    const trusted = (one: { uid: number }) => one.uid === 0 || one.uid === uid;
    const closed = above === undefined || (trusted(above) && (above.mode & OTHERS_WRITE) === 0);
    if (!trusted(stat) && !closed && fs.stat(next)?.uid !== stat.uid) return { uid: stat.uid, path: next };
    const to = fs.readlink(next);
    if (to.startsWith("/")) {
      here = "";
      above = undefined;
    }
    rest.push(...to.split("/").reverse());
  }
  return undefined;
}

/**
 * Refuses to change what a user's link leads to, unless it is the user's own.
 *
 * @param found what the link leads to; undefined if nothing is there yet
 * @throws {ForeignLinkError} naming the link
 */
export function checkUsersLink(file: string, link: UsersLink, found: { uid: number } | undefined): void {
  if (found?.uid === link.uid) return;
  const whose = found === undefined ? "nothing yet" : `a file of user ${found.uid}`;
  throw new ForeignLinkError(
    "ELOOP",
    `Cannot change "${file}": "${link.path}" is a link of user ${link.uid} to ${whose}; ` +
      "remove it, or name the file itself",
    { path: file },
  );
}
