// The first import of every program: Node keeps what it compiled, so that the next start reads instead of compiling.
// Deno's `node:module` does not export the function, which a named import would not survive.
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
 * Has Node keep its compiled code in a directory of the user. Not in Node's own place, below `/tmp`: whoever makes that directory first
 * has this user, such as root, run what is put there.
 */
function keepCompiledCode(): void {
  const { enableCompileCache } = module as { enableCompileCache?: (directory: string) => void };
  const uid = process.getuid?.();
  if (enableCompileCache === undefined || uid === undefined || process.versions.bun !== undefined) return;
  try {
    // The program sudo may leave root the home of somebody else.
    const home = uid === 0 ? userInfo().homedir : homedir();
    const directory = `${process.env.XDG_CACHE_HOME || `${home}/.cache`}/brine/node`;
    if (!directory.startsWith("/")) return;
    let there = directory;
    while (look(there) === undefined) there = dirname(there);
    if (strangerIn(look, there, uid, true) !== undefined) return;
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (strangerIn(look, directory, uid, true) === undefined) enableCompileCache(directory);
  } catch {
    // A home that is missing, read-only or full: then each start compiles.
  }
}

keepCompiledCode();
