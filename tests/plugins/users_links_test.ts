/** What another user puts in the place of a file that root works on: links to files of others, and to what has no end. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, lchownSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import { currentRuntime } from "../../src/runtime/current.ts";
import { kwargs, testMinion } from "../support/context.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();
const isRoot = process.getuid?.() === 0;
const USER = 65_534;

/** Calls of functions that change a file, and of states by `state.single`. */
const WRITERS: readonly (readonly [fun: string, ...arg: unknown[]])[] = [
  ["file.append", "F", "more"],
  ["file.prepend", "F", "more"],
  ["file.write", "F", "more"],
  ["file.replace", "F", kwargs({ pattern: "secret", repl: "open" })],
  ["file.comment_line", "F", "secret"],
  ["file.line", "F", kwargs({ content: "more", mode: "ensure", after: "secret" })],
  ["file.blockreplace", "F", kwargs({ content: "more", append_if_not_found: true })],
  ["file.psed", "F", "secret", "open"],
  ["ini.set_option", "F", { a: { b: 1 } }],
  ["dnsutil.hosts_append", "F", "10.0.0.1", "a"],
  ["dnsutil.hosts_remove", "F", "secret"],
  ["state.single", kwargs({ fun: "file.managed", name: "F", contents: "more" })],
  ["state.single", kwargs({ fun: "file.append", name: "F", text: "more" })],
  ["state.single", kwargs({ fun: "file.keyvalue", name: "F", key: "k", value: "v", append_if_not_found: true })],
  ["state.single", kwargs({ fun: "ini.options_present", name: "F", sections: { a: { b: 1 } } })],
];

/** Calls of functions that read a file. */
const READERS: readonly (readonly [fun: string, ...arg: unknown[]])[] = [
  ...WRITERS.filter(([fun]) => !["file.write", "dnsutil.hosts_append"].includes(fun)),
  ["file.read", "F"],
  ["file.grep", "F", "x"],
  ["file.contains", "F", "x"],
  ["file.search", "F", "x"],
  ["file.get_hash", "F"],
  ["hashutil.digest_file", "F"],
  ["ini.get_ini", "F"],
  ["cp.get_file_str", "F"],
  ["cp.hash_file", "F"],
  ["slsutil.renderer", "F"],
  ["ssh.check_key_file", "root", "F"],
  ["state.single", kwargs({ fun: "file.managed", name: "F.copy", source: "F" })],
  ["state.single", kwargs({ fun: "file.copy", name: "F.copy", source: "F" })],
  ["state.single", kwargs({ fun: "file.serialize", name: "F", dataset: { a: 1 }, merge_if_exists: true })],
  ["state.single", kwargs({ fun: "ssh_known_hosts.present", name: "h", config: "F", key: "AAAA", enc: "ssh-rsa" })],
];

const plain = (_key: string, value: unknown) => value instanceof Map ? Object.fromEntries(value) : value;

/** The arguments with a path in the place of `F`. */
function withFile(arg: readonly unknown[], file: string): unknown[] {
  return JSON.parse(JSON.stringify(arg).replaceAll(/"F(\.copy)?"/g, (_, more = "") => JSON.stringify(file + more)));
}

async function run(directory: string, call: readonly unknown[], file: string): Promise<unknown> {
  const minion = await testMinion({
    master: null,
    opts: {
      file_client: "local",
      file_roots: { base: [join(directory, "roots")] },
      cachedir: join(directory, "cache"),
      root_dir: directory,
      id: "m1",
    },
  });
  const [fun, ...arg] = withFile(call, file);
  return (await minion.run(fun, arg)).return;
}

/** A directory of a user, with links to a file of root and to one of the user. */
function users(directory: string) {
  const [root, home] = [join(directory, "root"), join(directory, "home")];
  mkdirSync(root);
  mkdirSync(join(home, "own"), { recursive: true });
  const file = (path: string, uid: number) => {
    writeFileSync(path, "secret\n");
    lchownSync(path, uid, uid);
  };
  const link = (to: string, path: string, uid = USER) => {
    symlinkSync(to, path);
    lchownSync(path, uid, uid);
    return path;
  };
  for (const path of [home, join(home, "own")]) lchownSync(path, USER, USER);
  file(join(root, "shadow"), 0);
  file(join(home, "own", "file"), USER);
  return {
    root: join(root, "shadow"),
    own: join(home, "own", "file"),
    foreign: link(join(root, "shadow"), join(home, "foreign")),
    relative: link("../root/shadow", join(home, "relative")),
    through: join(link(root, join(home, "through")), "shadow"),
    twice: link("foreign", join(home, "twice")),
    missing: link(join(root, "missing"), join(home, "missing")),
    mine: link("own/file", join(home, "mine")),
    admins: link(join(root, "shadow"), join(home, "admins"), 0),
  };
}

describe("a link of a user", { skip: isRoot ? false : "only root can make files of others" }, () => {
  for (const call of WRITERS) {
    const title = JSON.stringify(call).slice(0, 90);
    test(`to a file of root is not followed by ${title}`, async () => {
      await inTemporary(runtime, async (directory) => {
        chmodSync(directory, 0o755);
        const made = users(directory);
        for (const path of [made.foreign, made.relative, made.through, made.twice]) {
          const told = JSON.stringify(await run(directory, call, path), plain);
          assert.match(told, /is a link of user 65534 to what belongs to user 0|not found|not writable/i, path);
        }
        assert.equal(readFileSync(made.root, "utf8"), "secret\n");
      });
    });
  }

  test("to what is not there yet makes nothing", async () => {
    await inTemporary(runtime, async (directory) => {
      const { missing } = users(directory);
      const told = await run(directory, ["file.write", "F", "more"], missing);
      assert.match(String(told), /is a link of user 65534 to nothing yet/);
      assert.equal(runtime.fs.stat(missing), undefined);
    });
  });

  test("to the user's own file is followed, and so is one that root has made", async () => {
    await inTemporary(runtime, async (directory) => {
      const { mine, own, admins, root } = users(directory);
      assert.match(String(await run(directory, ["file.append", "F", "more"], mine)), /Wrote 1 lines/);
      assert.equal(readFileSync(own, "utf8"), "secret\nmore\n");
      assert.match(String(await run(directory, ["file.write", "F", "more"], admins)), /Wrote 1 lines/);
      assert.equal(readFileSync(root, "utf8"), "more\n");
    });
  });
});

describe("what has no end in a file's place", () => {
  for (const call of READERS) {
    test(`does not hold up ${JSON.stringify(call).slice(0, 90)}`, { timeout: 60_000 }, async () => {
      await inTemporary(runtime, async (directory) => {
        symlinkSync("/dev/zero", join(directory, "zero"));
        execFileSync("mkfifo", [join(directory, "pipe")]);
        for (const name of ["zero", "pipe"]) {
          const file = join(directory, name);
          const told = await run(directory, call, file);
          assert.notEqual(told, undefined);
          assert.ok(runtime.fs.stat(`${file}.copy`) === undefined, "something was copied");
        }
      });
    });
  }
});
