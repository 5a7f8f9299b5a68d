// The first import of every program: Node stores its compiled code, so that the next start reads code instead of compiling it.
// Built-in modules by function: an import of one would read all that it exports, and load what nothing needs.
import { builtin } from "../src/runtime/node/builtin.ts";
import { strangerIn } from "../src/runtime/own_directory.ts";

const fs = builtin("node:fs");

function look(path: string) {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  return stat && { uid: stat.uid, mode: stat.mode, target: stat.isSymbolicLink() ? fs.readlinkSync(path) : undefined };
}

/**
 * Makes Node store its compiled code in a directory of the user. Node's own directory is below `/tmp`: whoever creates that first
 * could make this user, such as root, run any code.
 */
function keepCompiledCode(): void {
  // Bun compiles without one, and would only load the module; Deno has no such function.
  if (process.versions.bun !== undefined) return;
  const { enableCompileCache } = builtin("node:module") as { enableCompileCache?: (directory: string) => void };
  const uid = process.getuid?.();
  if (enableCompileCache === undefined || uid === undefined) return;
  try {
    const { homedir, userInfo } = builtin("node:os");
    // sudo may leave the home of another user in the environment of root.
    const home = uid === 0 ? userInfo().homedir : homedir();
    const directory = `${process.env.XDG_CACHE_HOME || `${home}/.cache`}/brine/node`;
    if (!directory.startsWith("/")) return;
    let there = directory;
    while (look(there) === undefined) there = builtin("node:path").dirname(there);
    if (strangerIn(look, there, uid, true) !== undefined) return;
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (strangerIn(look, directory, uid, true) === undefined) enableCompileCache(directory);
  } catch {
    // The home directory is missing, read-only or full: each start compiles.
  }
}

keepCompiledCode();
