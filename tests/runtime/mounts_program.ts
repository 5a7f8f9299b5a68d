/** Writes files that cannot be replaced; run by `mounts_slow_test.ts` with mounts of its own. Prints what became of each. */
import process from "node:process";
import { currentRuntime } from "../../src/runtime/current.ts";

const { fs } = await currentRuntime();
const directory = process.argv[2]!;
const long = "x".repeat(300_000);
const tell = (name: string, file: string, work: (path: string) => void) => {
  const path = `${directory}/${file}`;
  let failure = "";
  try {
    work(path);
  } catch (error) {
    failure = String((error as Error).message).replaceAll(directory, "");
  }
  const { mode, uid } = fs.stat(path)!;
  const left = fs.list(path.replace(/\/[^/]*$/, "")).filter((one) => one.endsWith(".tmp"));
  console.log(JSON.stringify({ name, failure, content: fs.readText(path).slice(0, 10), mode, uid, left }));
};

tell("mount point", "bind/a", (path) => fs.write(path, "new", { mode: 0o640, owner: { uid: 1, gid: 1 } }));
tell("mount point, from another file", "bind/b", (path) => {
  fs.write(`${directory}/bind/part`, "new", { mode: 0o604 });
  fs.replace(`${directory}/bind/part`, path);
});
tell("mount point in a read-only directory", "ro/rw", (path) => fs.write(path, "new"));
tell("read-only", "ro/file", (path) => fs.write(path, "new"));
tell("full, replaced", "full/a", (path) => fs.write(path, long));
tell("full, written over", "full/b", (path) => fs.writeAt(path, 0, new TextEncoder().encode(long), { truncate: true }));
tell("full mount point", "full/c", (path) => fs.write(path, long));
