/** A user who exchanges files and links between any two calls of root's. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import type { FileSystem } from "../../src/runtime/fs.ts";
import { nodeFileSystem } from "../../src/runtime/node/fs.ts";
import { inPlace, type SystemCalls } from "../../src/runtime/node/place.ts";
import { temporaryDirectories } from "./contracts.ts";

const skip = process.getuid?.() === 0 && process.platform === "linux"
  ? false
  : "only root on Linux has to hold directories";
const directories = temporaryDirectories();
const USER = 65_534;
const SECRET = "secret";

/** Before and after so many of the last calls the user steps in: those in directories of root see nothing of it. */
const MOMENTS = 14;

/** Root's directory, a user's beside it, and two names there of which one at a time is `here`: it is what root uses. */
function made(kind: "file" | "directory" | "link") {
  const directory = directories();
  const [root, home] = [join(directory, "root"), join(directory, "home")];
  for (const path of [root, home]) fs.mkdirSync(path, { recursive: true });
  fs.writeFileSync(join(root, "file"), SECRET);
  fs.writeFileSync(join(root, "log"), "");
  fs.chmodSync(directory, 0o755);
  const [here, there] = [join(home, "here"), join(home, "there")];
  const users = (path: string) => fs.lchownSync(path, USER, USER);
  if (kind === "directory") {
    fs.mkdirSync(here);
    fs.symlinkSync(root, there);
    fs.writeFileSync(join(here, "file"), "own");
  } else {
    if (kind === "file") fs.writeFileSync(here, "own");
    else fs.symlinkSync(join(root, "log"), here);
    fs.symlinkSync(join(root, "file"), there);
  }
  // Root's link to a log is older than any tick of the clock.
  if (kind === "link") fs.lutimesSync(here, 1, 1);
  else users(here);
  for (const path of [home, there]) users(path);
  /** What the user does, one step at a time: after three of them the names have changed places. */
  const steps = [
    () => fs.renameSync(here, `${here}.x`),
    () => fs.renameSync(there, here),
    () => fs.renameSync(`${here}.x`, there),
  ];
  let next = 0;
  const step = () => {
    try {
      steps[next++ % steps.length]!();
    } catch {
      // Root has removed or renamed it meanwhile.
    }
  };
  return { path: kind === "directory" ? join(here, "file") : here, step, secret: join(root, "file"), users };
}

/** What root does. */
const WORK: Record<string, (files: FileSystem, path: string) => void> = {
  append: (files, path) => files.append(path, "+"),
  "write over": (files, path) => files.writeAt(path, 0, new Uint8Array(1), { truncate: true }),
  truncate: (files, path) => files.truncate(path, 0),
  chmod: (files, path) => files.chmod(path, 0o666),
  chown: (files, path) => files.chown(path, USER, USER),
  utimes: (files, path) => files.utimes(path, 1000, 1000),
  write: (files, path) => files.write(path, "+"),
  link: (files, path) => files.link(path, `${path}.link`),
  rename: (files, path) => files.rename(path, `${path}.new`),
};

/** Calls of the system that `between` comes before and after each of. */
function callsWith(between: () => void): SystemCalls {
  const wrapped = <T extends unknown[], R>(call: (...args: T) => R) => (...args: T): R => {
    between();
    try {
      return call(...args);
    } finally {
      between();
    }
  };
  return {
    lstatSync: wrapped(fs.lstatSync as never) as never,
    openSync: wrapped(fs.openSync),
    fstatSync: wrapped(fs.fstatSync as never) as never,
    readlinkSync: wrapped(fs.readlinkSync as never) as never,
    closeSync: fs.closeSync,
  };
}

describe("a user who exchanges what stands under a name", { skip }, () => {
  for (const kind of ["file", "directory", "link"] as const) {
    for (const [name, work] of Object.entries(WORK)) {
      test(`has root change nothing of others: a ${kind} and a link, ${name}`, () => {
        let count = 0;
        work(nodeFileSystem(callsWith(() => void count++)), made(kind).path);
        const open = fs.readdirSync("/proc/self/fd").length;
        // From any moment on, with one, two or three steps at once, all the way, or half of it and then no more.
        for (let first = Math.max(0, count - MOMENTS); first < count; first++) {
          for (const [atOnce, most] of [[1, 3], [1, 99], [2, 2], [2, 99], [3, 3], [3, 99]] as const) {
            const { path, step, secret } = made(kind);
            const before = fs.statSync(secret);
            let [moment, done] = [0, 0];
            const between = () => {
              if (moment++ < first) return;
              for (let steps = 0; steps < atOnce && done < most; steps++, done++) step();
            };
            try {
              work(nodeFileSystem(callsWith(between)), path);
            } catch (error) {
              assert.match(
                String(error),
                /ELOOP|ENOENT|EINVAL|ENOTDIR|no such file|a link|is a link of user|a directory/,
              );
            }
            const after = fs.statSync(secret, { throwIfNoEntry: false });
            const seen = (stat?: fs.Stats) => [stat?.uid, stat?.mode, stat?.nlink, stat?.mtimeMs];
            assert.deepEqual(seen(after), seen(before), `${first}, ${atOnce}, ${most}`);
            assert.equal(fs.readFileSync(secret, "utf8"), SECRET, `${first}, ${atOnce}, ${most}`);
          }
        }
        // Fewer, if one of a test before this is closed meanwhile.
        assert.ok(fs.readdirSync("/proc/self/fd").length <= open, "descriptors stay open");
      });
    }
  }

  test("would have root change a file of others by its path: the control", () => {
    for (const kind of ["file", "directory", "link"] as const) {
      const { path, step, secret } = made(kind);
      for (let steps = 0; steps < 3; steps++) step();
      fs.appendFileSync(path, "+");
      assert.equal(fs.readFileSync(secret, "utf8"), `${SECRET}+`, kind);
    }
  });

  test("finds a new name taken by a link", () => {
    const { path, secret, users } = made("file");
    const fresh = `${path}.new`;
    assert.throws(() =>
      inPlace(fresh, true, (place) => {
        fs.symlinkSync(secret, fresh);
        users(fresh);
        assert.equal(place.vacant, true);
        fs.openSync(place.path, fs.constants.O_WRONLY | fs.constants.O_CREAT | place.flags);
      }), /ELOOP/);
    assert.equal(fs.readFileSync(secret, "utf8"), SECRET);
  });
});
