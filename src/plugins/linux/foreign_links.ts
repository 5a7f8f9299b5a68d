import { joinPath } from "../../config/paths.ts";
import { CommandExecutionError } from "../../loader/family.ts";
import type { FileStat } from "../../runtime/fs.ts";
import type { Runtime } from "../../runtime/mod.ts";
import { lookAt } from "./paths.ts";

/** Links on the way to a file; the system follows no more. */
const MOST_LINKS = 40;

/**
 * Looks at the way to a file that is to be changed. A user who owns a directory can put a link in a file's place: root, who follows it,
 * would change whatever the user likes. A link of a user counts only if it leads to what is that user's own.
 *
 * @returns the file that the path leads to; undefined if there is none yet
 * @throws {CommandExecutionError} naming the link
 */
export function refuseForeignLinks(
  { fs, process }: Pick<Runtime, "fs" | "process">,
  path: string,
): FileStat | undefined {
  // What others may not change they cannot make anybody but root change.
  if (process.uid() !== 0) return lookAt(fs, path);
  let left = path.split("/").filter((part) => part !== "");
  let here = "/";
  for (let links = 0; left.length > 0;) {
    const [part, ...rest] = left as [string, ...string[]];
    const next = part === ".." ? here.replace(/\/[^/]*$/, "") || "/" : joinPath(here, part);
    const link = part === ".." ? undefined : fs.stat(next, { follow: false });
    left = rest;
    if (link?.kind !== "symlink" || ++links > MOST_LINKS) {
      here = next;
      continue;
    }
    const target = lookAt(fs, next);
    if (link.uid !== 0 && link.uid !== target?.uid) {
      const whose = target === undefined ? "nothing yet" : `what belongs to user ${target.uid}`;
      throw new CommandExecutionError(
        `Cannot change "${path}": "${next}" is a link of user ${link.uid} to ${whose}; remove it, or name the file itself`,
      );
    }
    const to = fs.readlink(next);
    if (to.startsWith("/")) here = "/";
    left = [...to.split("/").filter((one) => one !== "" && one !== "."), ...left];
  }
  return lookAt(fs, path);
}
