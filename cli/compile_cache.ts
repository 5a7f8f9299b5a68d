// The first import of every program: Node stores its compiled code, so that the next start reads code instead of compiling it.
// `module` as a whole, because Deno's `node:module` does not export the function: a named import would fail there.
import * as fs from "node:fs";
import * as module from "node:module";
import { homedir, userInfo } from "node:os";
import { dirname } from "node:path";
import process from "node:process";
import { strangerIn } from "../src/runtime/own_directory.ts";

function look(path: string) {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  return stat && { uid: stat.uid, mode: stat.mode, target: stat.isSymbolicLink() ? fs.readlinkSync(path) : undefined };
}

/**
 * Makes Node store its compiled code in a directory of the user. Node's own directory is below `/tmp`: whoever creates that first
 * could make this user, such as root, run any code.
 */
function keepCompiledCode(): void {
  const { enableCompileCache } = module as { enableCompileCache?: (directory: string) => void };
  const uid = process.getuid?.();
  if (enableCompileCache === undefined || uid === undefined || process.versions.bun !== undefined) return;
  try {
    // sudo may leave the home of another user in the environment of root.
    const home = uid === 0 ? userInfo().homedir : homedir();
    const directory = `${process.env.XDG_CACHE_HOME || `${home}/.cache`}/brine/node`;
    if (!directory.startsWith("/")) return;
    let there = directory;
    while (look(there) === undefined) there = dirname(there);
    if (strangerIn(look, there, uid, true) !== undefined) return;
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (strangerIn(look, directory, uid, true) === undefined) enableCompileCache(directory);
  } catch {
    // The home directory is missing, read-only or full: each start compiles.
  }
}

keepCompiledCode();
