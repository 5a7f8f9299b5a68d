import { SystemError } from "../errors.ts";
import type { FileStat } from "./fs.ts";

/** Links on the way to a file; the system follows no more. */
export const MOST_LINKS = 40;

/** Permissions that let others than the owner change the names in a directory. */
const OTHERS_WRITE = 0o022;

/** Root was about to change a file by a link that another user made, to what is not that user's. */
export class ForeignLinkError extends SystemError {}

/** True if nobody but root can put a link into that directory, or move one. */
export function onlyRootChanges({ uid, mode }: Pick<FileStat, "uid" | "mode">): boolean {
  return uid === 0 && (mode & OTHERS_WRITE) === 0;
}

/** A link of a user that was followed: what it leads to has to be that user's. */
export interface UsersLink {
  uid: number;
  /** Its path, for the message. */
  path: string;
}

/**
 * Refuses to change what a user's link leads to, unless it is the user's own.
 *
 * @param found what the link leads to; undefined if nothing is there yet
 * @throws {ForeignLinkError} naming the link
 */
export function checkUsersLink(file: string, link: UsersLink, found: { uid: number } | undefined): void {
  if (found?.uid === link.uid) return;
  const whose = found === undefined ? "nothing yet" : `what belongs to user ${found.uid}`;
  throw new ForeignLinkError(
    "ELOOP",
    `Cannot change "${file}": "${link.path}" is a link of user ${link.uid} to ${whose}; ` +
      "remove it, or name the file itself",
    { path: file },
  );
}
