/** Where Node's programs keep compiled code. */
import { builtin } from "../src/runtime/node/builtin.ts";
import { strangerIn } from "../src/runtime/own_directory.ts";

const fs = builtin("node:fs");

function look(path: string) {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  return stat && { uid: stat.uid, mode: stat.mode, target: stat.isSymbolicLink() ? fs.readlinkSync(path) : undefined };
}

/**
 * Makes the directory of this user for compiled code. Node's own is below `/tmp`: whoever creates that first could make this user,
 * such as root, run any code.
 *
 * @returns undefined if a stranger could have changed it, or if it cannot be made: then each start compiles
 */
export function codeDirectory(): string | undefined {
  const uid = process.getuid?.();
  if (uid === undefined) return undefined;
  try {
    const { homedir, userInfo } = builtin("node:os");
    // sudo may leave the home of another user in the environment of root.
    const home = uid === 0 ? userInfo().homedir : homedir();
    const directory = `${process.env.XDG_CACHE_HOME || `${home}/.cache`}/brine/node`;
    if (!directory.startsWith("/")) return undefined;
    let there = directory;
    while (look(there) === undefined) there = builtin("node:path").dirname(there);
    if (strangerIn(look, there, uid, true) !== undefined) return undefined;
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    return strangerIn(look, directory, uid, true) === undefined ? directory : undefined;
  } catch {
    // The home directory is missing, read-only or full.
    return undefined;
  }
}
