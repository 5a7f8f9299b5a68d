import { memoryFileSystem } from "../../src/runtime/memory/fs.ts";
import { FakeClock } from "./fake_clock.ts";

/** An empty file system in memory; its clock goes on with each write, so that times tell which was the last. */
export function memoryFiles() {
  const clock = new FakeClock();
  const fs = memoryFileSystem({ clock, uid: 0, gid: 0 });
  const write: typeof fs.write = (...args) => {
    clock.advance(1000);
    return fs.write(...args);
  };
  return { ...fs, write };
}
