/** What another user puts in the place of a file that root works on: links to files of others, and to what has no end. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
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

/** Calls that change a file in other ways: `F` is the file, `D` a directory above it that is a link. */
const CHANGERS: readonly (readonly [fun: string, ...arg: unknown[]])[] = [
  ...WRITERS,
  ["file.truncate", "F", 0],
  ["file.seek_write", "F", "x", 0],
  ["file.touch", "F", 1000, 1000],
  ["file.chown", "F", "daemon", "daemon"],
  ["file.chgrp", "F", "daemon"],
  ["file.set_mode", "F", "0777"],
  ["file.check_perms", "F", null, "daemon", "daemon", "0777", kwargs({ follow_symlinks: true })],
  ["file.copy", "S", "F"],
  ["file.sed", "F", "secret", "open"],
  ["file.chattr", "F", kwargs({ operator: "add", attributes: "A" })],
  ["cp.get_file", "salt://f", "F"],
  ["cp.get_url", "salt://f", "F"],
  ["cp.recv", { F: "more" }, "F"],
  ["cp.recv_chunked", "F", "bW9yZQ==", kwargs({ compressed: false })],
  ["hashutil.base64_decodefile", "bW9yZQ==", "F"],
  ["archive.tar", "cf", "F", "S"],
  ["archive.tar", "rf", "F", "S"],
  ["state.single", kwargs({ fun: "file.decode", name: "F", encoded_data: "bW9yZQ==", encoding_type: "base64" })],
  ["state.single", kwargs({ fun: "file.touch", name: "F", atime: 1000, mtime: 1000 })],
  ["state.single", kwargs({ fun: "file.managed", name: "F", mode: "0777", user: "daemon", replace: false })],
  ["state.single", kwargs({ fun: "file.serialize", name: "F", dataset: { a: 1 }, serializer: "json" })],
  ["state.single", kwargs({ fun: "file.replace", name: "F", pattern: "secret", repl: "open" })],
  ["state.single", kwargs({ fun: "file.line", name: "F", mode: "ensure", content: "more", after: "secret" })],
  ["state.single", kwargs({ fun: "file.blockreplace", name: "F", content: "more", append_if_not_found: true })],
  ["state.single", kwargs({ fun: "file.comment", name: "F", regex: "^secret" })],
  ["state.single", kwargs({ fun: "file.prepend", name: "F", text: "more" })],
];

/** Calls that change names: `F` is a path below a directory that is a link. */
const NAMERS: readonly (readonly [fun: string, ...arg: unknown[]])[] = [
  ["file.mkdir", "F.new"],
  ["file.makedirs", "F.new/x/"],
  ["file.makedirs_perms", "F.new", kwargs({ user: "daemon" })],
  ["file.symlink", "S", "F.new"],
  ["file.link", "S", "F.new"],
  ["file.link", "F", "S.link"],
  ["file.rename", "S", "F"],
  ["file.rename", "F", "S.moved"],
  ["file.move", "F", "S.moved"],
  ["file.move", "S", "F"],
  ["file.remove", "F"],
  ["file.lchown", "F", "daemon", "daemon"],
  ["file.mknod", "F.new", "p"],
  ["file.write", "F.new", "more"],
  ["file.copy", "S", "F.new"],
  ["cp.get_dir", "salt://d", "F.new", kwargs({ makedirs: true })],
  ["cp.get_dir", "salt://d", "D"],
  ["cp.get_template", "salt://f", "F"],
  ["cp.get_file", "salt://f", "F.new"],
  ["cp.get_file", "salt://f", "F.new/x", kwargs({ makedirs: true })],
  ["archive.tar", "cf", "F.new", "S"],
  ["archive.tar", "xf", "T", kwargs({ dest: "D" })],
  ["archive.zip", "F", ["S"]],
  ["archive.gzip", "F"],
  ["temp.file", kwargs({ parent: "D" })],
  ["temp.dir", kwargs({ parent: "D" })],
  ["file.find", "D/", kwargs({ name: "*", delete: "f" })],
  ["state.single", kwargs({ fun: "file.directory", name: "F.new" })],
  ["state.single", kwargs({ fun: "file.directory", name: "F.new/x", makedirs: true, user: "daemon" })],
  ["state.single", kwargs({ fun: "file.directory", name: "D/", user: "daemon", recurse: ["user"] })],
  ["state.single", kwargs({ fun: "file.directory", name: "D/", clean: true })],
  ["state.single", kwargs({ fun: "file.symlink", name: "F.new", target: "S" })],
  ["state.single", kwargs({ fun: "file.symlink", name: "F", target: "S", force: true })],
  ["state.single", kwargs({ fun: "file.hardlink", name: "F.new", target: "S" })],
  ["state.single", kwargs({ fun: "file.rename", name: "S.moved", source: "F" })],
  ["state.single", kwargs({ fun: "file.absent", name: "F" })],
  ["state.single", kwargs({ fun: "file.tidied", name: "D/", matches: [".*"], age: 0 })],
  ["state.single", kwargs({ fun: "file.recurse", name: "D/", source: "salt://d" })],
  ["state.single", kwargs({ fun: "file.copy", name: "F.new", source: "S" })],
  ["state.single", kwargs({ fun: "file.copy", name: "F", source: "S", force: true })],
  ["state.single", kwargs({ fun: "file.managed", name: "F.new", contents: "more" })],
  ["state.single", kwargs({ fun: "file.managed", name: "F.new/x", contents: "more", makedirs: true })],
  ["state.single", kwargs({ fun: "file.mknod", name: "F.new", ntype: "p" })],
  ["state.single", kwargs({ fun: "archive.extracted", name: "D/", source: "T", enforce_toplevel: false })],
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

/** The arguments with paths in the place of `F`, the directory `D` above it, a file `S` of root and an archive `T` of it. */
function withFile(arg: readonly unknown[], file: string): unknown[] {
  const of = (path: string) => join(dirname(dirname(file)), path);
  const paths: Record<string, string> = { F: file, D: dirname(file), S: of("source"), T: of("archive.tar") };
  return JSON.parse(
    JSON.stringify(arg).replaceAll(
      /"(file:\/\/)?([FDST])((?:\.\w+)?(?:\/[\w/]*)?)"/g,
      (_, scheme = "", letter: string, more: string) => JSON.stringify(scheme + paths[letter]! + more),
    ),
  );
}

/** All that can be seen of what is below a directory. */
function picture(directory: string): unknown[] {
  return readdirSync(directory).sort().map((name) => {
    const path = join(directory, name);
    const stat = lstatSync(path);
    const { mode, uid, gid, mtimeMs, nlink } = stat;
    const content = stat.isFile() ? readFileSync(path, "utf8") : "";
    return [name, mode, uid, gid, stat.isDirectory() ? picture(path) : [mtimeMs, nlink, content]];
  });
}

async function run(directory: string, call: readonly unknown[], file: string): Promise<unknown> {
  const minion = await testMinion({
    master: null,
    opts: {
      file_client: "local",
      fileserver_backend: ["roots"],
      file_ignore_regex: [],
      file_ignore_glob: [],
      fileserver_followsymlinks: true,
      fileserver_list_cache_time: 20,
      file_buffer_size: 262144,
      hash_type: "sha256",
      file_roots: { base: [join(directory, "roots")] },
      cachedir: join(directory, "cache"),
      root_dir: directory,
      id: "m1",
    },
  });
  const [fun, ...arg] = withFile(call, file);
  return (await minion.run(fun, arg)).return;
}

/** With the file `f`, which holds `more`. */
const ARCHIVE = await inTemporary(runtime, (directory) => {
  writeFileSync(join(directory, "f"), "more\n");
  return Promise.resolve(execFileSync("tar", ["-cf", "-", "-C", directory, "f"]));
});

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
  const roots = join(directory, "roots");
  mkdirSync(join(roots, "d"), { recursive: true });
  for (const path of [join(roots, "f"), join(roots, "d", "shadow")]) writeFileSync(path, "more\n");
  for (const below of [directory, home]) {
    writeFileSync(join(below, "source"), "source\n");
    writeFileSync(join(below, "archive.tar"), ARCHIVE);
  }
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
  for (
    const [calls, kinds] of [[CHANGERS, ["foreign", "relative", "through", "twice"]], [NAMERS, ["through"]]] as const
  ) {
    for (const call of calls) {
      test(`leads no call to what is root's: ${JSON.stringify(call, plain).slice(0, 120)}`, async () => {
        await inTemporary(runtime, async (directory) => {
          chmodSync(directory, 0o755);
          const made = users(directory);
          const before = picture(dirname(made.root));
          for (const kind of kinds) {
            const told = JSON.stringify(await run(directory, call, made[kind]), plain);
            assert.deepEqual(picture(dirname(made.root)), before, `${kind}: ${told}`);
            assert.match(
              told,
              /is a link of user 65534 to a file of user 0|not found|not writable|Could not (create|rename)|not below|Failed to delete|: ?false|^\[\]$/i,
              kind,
            );
          }
        });
      });
    }
  }

  test("that is a plain file or directory of the user is worked on by all of these: the control", async () => {
    // Attributes are not among what is compared.
    for (const call of [...CHANGERS, ...NAMERS].filter(([fun]) => fun !== "file.chattr")) {
      await inTemporary(runtime, async (directory) => {
        chmodSync(directory, 0o755);
        users(directory);
        const file = join(directory, "home", "own", "file");
        const before = [picture(join(directory, "home", "own")), picture(join(directory, "home"))];
        const told = await run(directory, call, file);
        const after = [picture(join(directory, "home", "own")), picture(join(directory, "home"))];
        assert.notDeepEqual(after, before, `${JSON.stringify(call, plain)}: ${JSON.stringify(told, plain)}`);
      });
    }
  });

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
