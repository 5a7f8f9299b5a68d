/** A user who exchanges files and links between any two calls of root's. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import { inPlace, type SystemCalls } from "../../src/runtime/node/place.ts";
import { temporaryDirectories } from "./contracts.ts";

const skip = process.getuid?.() === 0 && process.platform === "linux"
  ? false
  : "only root on Linux has to hold directories";
const directories = temporaryDirectories();
const USER = 65_534;
const SECRET = "secret";

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
  const exchange = () => {
    fs.renameSync(here, `${here}.x`);
    fs.renameSync(there, here);
    fs.renameSync(`${here}.x`, there);
  };
  return { path: kind === "directory" ? join(here, "file") : here, exchange, secret: join(root, "file"), users };
}

const append = (path: string, flags = 0) => {
  const { O_WRONLY, O_CREAT, O_APPEND } = fs.constants;
  const fd = fs.openSync(path, O_WRONLY | O_CREAT | O_APPEND | flags, 0o600);
  fs.writeSync(fd, "+");
  fs.closeSync(fd);
};

/** What root does at a place. */
const WORK: Record<string, { follow: boolean; work: (path: string, flags: number) => void }> = {
  append: { follow: true, work: append },
  truncate: { follow: true, work: (path) => fs.truncateSync(path, 0) },
  chown: { follow: true, work: (path) => fs.chownSync(path, USER, USER) },
  remove: { follow: false, work: (path) => fs.rmSync(path, { force: true }) },
  rename: { follow: false, work: (path) => fs.renameSync(path, `${path}.new`) },
};

/** Calls of the system that `between` comes before each of. */
function callsWith(between: () => void): SystemCalls {
  const wrapped = <T extends unknown[], R>(call: (...args: T) => R) => (...args: T): R => {
    between();
    return call(...args);
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
    for (const [name, { follow, work }] of Object.entries(WORK)) {
      test(`has root change nothing of others: a ${kind} and a link, ${name}`, () => {
        const count = (() => {
          let calls = 0;
          const { path } = made(kind);
          inPlace(path, follow, () => {}, callsWith(() => void calls++));
          return calls;
        })();
        const open = fs.readdirSync("/proc/self/fd").length;
        // Before any one or two of the calls, and before the work itself; those in directories of root see nothing of it.
        for (let first = Math.max(0, count - 8); first <= count; first++) {
          for (let second = first; second <= count; second++) {
            const { path, exchange, secret } = made(kind);
            let calls = 0;
            const between = () => {
              if (calls === first || (calls === second && second !== first)) exchange();
              calls++;
            };
            try {
              inPlace(path, follow, (place) => {
                calls = Math.max(calls, count);
                between();
                work(place.path, place.flags);
              }, callsWith(between));
            } catch (error) {
              assert.match(String(error), /ELOOP|ENOENT|EINVAL|ENOTDIR|is a link of user/);
            }
            const stat = fs.statSync(secret, { throwIfNoEntry: false });
            assert.deepEqual([stat?.uid, fs.readFileSync(secret, "utf8")], [0, SECRET], `${first}, ${second}`);
          }
        }
        assert.equal(fs.readdirSync("/proc/self/fd").length, open, "descriptors stay open");
      });
    }
  }

  test("would have root change a file of others by its path: the control", () => {
    for (const kind of ["file", "directory", "link"] as const) {
      const { path, exchange, secret } = made(kind);
      exchange();
      append(path);
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
        append(place.path, place.flags);
      }), /ELOOP/);
    assert.equal(fs.readFileSync(secret, "utf8"), SECRET);
  });
});
