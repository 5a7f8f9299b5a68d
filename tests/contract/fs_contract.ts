import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SystemError } from "../../src/base/errors.ts";
import { ForeignLinkError } from "../../src/runtime/foreign_links.ts";
import type { FileSystem } from "../../src/runtime/fs.ts";

const text = (value: string) => new TextEncoder().encode(value);
const errno = (...names: string[]) => (error: unknown) => {
  assert.ok(error instanceof SystemError, String(error));
  assert.ok(names.includes(error.errno), error.errno);
  return true;
};

const USER = 65_534;

/** Every method that changes something, by what it does to the end of a path. */
const CHANGES: Record<"content" | "name", Record<string, (fs: FileSystem, path: string) => unknown>> = {
  content: {
    writeAt: (fs, path) => fs.writeAt(path, 0, text("more")),
    "writeAt, truncated": (fs, path) => fs.writeAt(path, 0, text("more"), { truncate: true }),
    append: (fs, path) => fs.append(path, "more"),
    appender: (fs, path) => fs.appender(path).close(),
    truncate: (fs, path) => fs.truncate(path, 0),
    chmod: (fs, path) => fs.chmod(path, 0o777),
    chown: (fs, path) => fs.chown(path, USER, USER),
    utimes: (fs, path) => fs.utimes(path, 1000, 1000),
    placeOf: (fs, path) => fs.placeOf(path),
  },
  name: {
    write: (fs, path) => fs.write(path, "more"),
    create: (fs, path) => fs.write(`${path}.new`, "", { how: "create" }),
    mkdir: (fs, path) => fs.mkdir(`${path}.new/below`),
    symlink: (fs, path) => fs.symlink("x", `${path}.new`),
    link: (fs, path) => fs.link(path, `${path}.new`),
    rename: (fs, path) => fs.rename(path, `${path}.new`),
    replace: (fs, path) => fs.replace(path, `${path}.new`),
    remove: (fs, path) => fs.remove(path),
    "remove, recursive": (fs, path) => fs.remove(path, { recursive: true }),
    "chmod itself": (fs, path) => fs.chmod(path, 0o777, { follow: false }),
    "chown itself": (fs, path) => fs.chown(path, USER, USER, { follow: false }),
  },
};

/** A directory of a user, who has made links in it, beside one of root's. */
function users(fs: FileSystem, directory: string) {
  const [root, home] = [`${directory}/root`, `${directory}/home`];
  for (const path of [directory, root, `${root}/safe`, home, `${home}/own`]) fs.mkdir(path);
  for (const path of [home, `${home}/own`]) fs.chown(path, USER, USER);
  for (const path of [`${root}/file`, `${root}/safe/file`]) fs.write(path, "secret", { mode: 0o600 });
  fs.write(`${home}/own/file`, "own", { owner: { uid: USER, gid: USER } });
  const link = (to: string, path: string, uid = USER) => {
    fs.symlink(to, path);
    fs.chown(path, uid, uid, { follow: false });
    return path;
  };
  return {
    root,
    home,
    own: `${home}/own/file`,
    files: [
      link(`${root}/file`, `${home}/foreign`),
      link("../root/file", `${home}/relative`),
      link("foreign", `${home}/twice`),
      link(`${root}/none`, `${home}/missing`),
    ],
    directories: [link(root, `${home}/directory`), link("../root/safe/..", `${home}/up`), link("up", `${home}/again`)],
    mine: [link("own/file", `${home}/mine`), `${link("own", `${home}/mydir`)}/file`],
    roots: [link(`${root}/file`, `${home}/admins`, 0), link(`${root}/file`, `${root}/restored`)],
  };
}

/** All that can be seen of what is below a directory. */
function picture(fs: FileSystem, directory: string): unknown[] {
  return fs.list(directory).map((name) => {
    const path = `${directory}/${name}`;
    const { kind, mode, uid, size, mtimeMs } = fs.stat(path, { follow: false })!;
    return [path, kind, mode, uid, size, kind === "file" && mtimeMs, kind === "directory" ? picture(fs, path) : ""];
  });
}

/**
 * The promises of {@link FileSystem}.
 *
 * @param directory an empty directory of that file system, a new one at each call
 */
export function fsContract(name: string, make: () => { fs: FileSystem; directory: string }): void {
  describe(`${name} FileSystem`, () => {
    test("write() then read(): bytes, text, and text with a byte order mark", () => {
      const { fs, directory } = make();
      const path = `${directory}/a`;
      fs.write(path, Uint8Array.of(0, 255, 1));
      assert.deepEqual(Uint8Array.from(fs.read(path)), Uint8Array.of(0, 255, 1));
      fs.write(path, "\uFEFFzoë");
      assert.equal(fs.readText(path), "\uFEFFzoë");
      assert.deepEqual(fs.list(directory), ["a"]);
    });

    test("sync() of a file, a directory and of nothing, and what is written and removed with it", async () => {
      const { fs, directory } = make();
      fs.append(`${directory}/a`, "one");
      for (const path of [`${directory}/a`, directory, `${directory}/nothing`, `${directory}/no/where`]) {
        await fs.sync(path);
      }
      fs.write(`${directory}/b`, "two", { sync: true, mode: 0o640 });
      fs.write(`${directory}/b`, "three", { sync: true });
      fs.write(`${directory}/c`, "", { sync: true, how: "create" });
      fs.remove(`${directory}/c`, { sync: true });
      fs.remove(`${directory}/c`, { sync: true });
      assert.deepEqual(fs.list(directory), ["a", "b"]);
      assert.equal(fs.readText(`${directory}/a`) + fs.readText(`${directory}/b`), "onethree");
      assert.throws(() => fs.write(`${directory}/no/where`, "", { sync: true }), errno("ENOENT"));
    });

    test("read() returns bytes that are not shared", () => {
      const { fs, directory } = make();
      const bytes = text("one");
      fs.write(`${directory}/a`, bytes);
      bytes[0] = 0;
      fs.read(`${directory}/a`)[1] = 0;
      assert.equal(fs.readText(`${directory}/a`), "one");
    });

    test("write() sets the mode it was given whatever the umask, 0600 without, also over another file", () => {
      const { fs, directory } = make();
      const path = `${directory}/a`;
      fs.write(path, "");
      assert.equal(fs.stat(path)!.mode, 0o600);
      for (const mode of [0o400, 0o666, 0o640]) {
        fs.write(path, "x", { mode });
        assert.equal(fs.stat(path)!.mode, mode);
      }
    });

    test('write() how "create" refuses a taken name with EEXIST, be it a link to nowhere', () => {
      const { fs, directory } = make();
      fs.write(`${directory}/a`, "first", { how: "create", mode: 0o440 });
      assert.equal(fs.stat(`${directory}/a`)!.mode, 0o440);
      assert.throws(() => fs.write(`${directory}/a`, "second", { how: "create" }), errno("EEXIST"));
      assert.equal(fs.readText(`${directory}/a`), "first");
      fs.symlink(`${directory}/nowhere`, `${directory}/link`);
      assert.throws(() => fs.write(`${directory}/link`, "x", { how: "create" }), errno("EEXIST"));
      assert.equal(fs.stat(`${directory}/nowhere`), undefined);
    });

    test("write() replaces a link and leaves its target unchanged", () => {
      const { fs, directory } = make();
      fs.write(`${directory}/a`, "kept");
      fs.symlink(`${directory}/a`, `${directory}/link`);
      fs.write(`${directory}/link`, "new");
      assert.equal(fs.readText(`${directory}/a`), "kept");
      assert.equal(fs.stat(`${directory}/link`, { follow: false })!.kind, "file");
    });

    test("write() takes names of 255 bytes, in any script, and leaves no temporary file", () => {
      const { fs, directory } = make();
      for (const name of ["x".repeat(255), "は".repeat(85)]) {
        fs.write(`${directory}/${name}`, name);
        assert.equal(fs.readText(`${directory}/${name}`), name);
        assert.throws(() => fs.write(`${directory}/${name}x`, ""), errno("ENAMETOOLONG"));
      }
      assert.equal(fs.list(directory).length, 2);
    });

    test("write() that fails leaves nothing behind", () => {
      const { fs, directory } = make();
      fs.mkdir(`${directory}/taken`);
      fs.write(`${directory}/taken/inside`, "");
      assert.throws(() => fs.write(`${directory}/taken`, "x"), errno("EISDIR", "ENOTEMPTY", "EEXIST"));
      assert.throws(() => fs.write(`${directory}/none/a`, "x"), errno("ENOENT"));
      assert.deepEqual(fs.list(directory), ["taken"]);
      assert.deepEqual(fs.list(`${directory}/taken`), ["inside"]);
    });

    test("readAt() returns a piece, less at the end, nothing beyond", () => {
      const { fs, directory } = make();
      fs.write(`${directory}/a`, "0123456789");
      const piece = (offset: number, length: number) =>
        new TextDecoder().decode(fs.readAt(`${directory}/a`, offset, length));
      assert.equal(piece(0, 4), "0123");
      assert.equal(piece(8, 4), "89");
      assert.equal(piece(10, 4), "");
      assert.equal(piece(99, 4), "");
      const long = new Uint8Array(10_000).map((_, at) => at % 251);
      fs.write(`${directory}/long`, long);
      assert.deepEqual(fs.readAt(`${directory}/long`, 0, 1 << 20), long);
      assert.deepEqual(fs.readAt(`${directory}/long`, 9_000, 1 << 20), long.subarray(9_000));
      assert.throws(() => fs.readAt(`${directory}/b`, 0, 1), errno("ENOENT"));
    });

    test("writeAt() creates, grows with zeros, overwrites in place, truncates when asked", () => {
      const { fs, directory } = make();
      const path = `${directory}/a`;
      fs.writeAt(path, 2, text("ab"));
      assert.deepEqual(Uint8Array.from(fs.read(path)), Uint8Array.of(0, 0, 97, 98));
      const { ino } = fs.stat(path)!;
      fs.writeAt(path, 0, text("xy"));
      assert.equal(fs.readText(path), "xyab");
      fs.writeAt(path, 0, text("z"), { truncate: true });
      assert.equal(fs.readText(path), "z");
      assert.equal(fs.stat(path)!.ino, ino);
      assert.equal(fs.stat(path)!.mode, 0o600);
    });

    test("writer() writes into an existing file, at any offset", async () => {
      const { fs, directory } = make();
      const path = `${directory}/a`;
      await assert.rejects(fs.writer(path), errno("ENOENT"));
      assert.equal(fs.stat(path), undefined);
      fs.write(path, "0123456789", { mode: 0o640 });
      const writer = await fs.writer(path);
      await writer.write(2, text("ab"));
      const long = new Uint8Array(3_000_000).fill(120);
      await writer.write(9, long);
      await writer.close();
      assert.equal(new TextDecoder().decode(fs.readAt(path, 0, 10)), "01ab45678x");
      assert.equal(fs.stat(path)!.size, 9 + long.length);
      assert.ok(fs.read(path).subarray(9).every((byte) => byte === 120));
      assert.equal(fs.stat(path)!.mode, 0o640);
      await assert.rejects(fs.writer(directory), errno("EISDIR"));
    });

    test("append() creates the file for its owner alone, and appends to its content", () => {
      const { fs, directory } = make();
      const path = `${directory}/log`;
      fs.append(path, "one\n");
      fs.append(path, text("two\n"));
      assert.equal(fs.readText(path), "one\ntwo\n");
      assert.equal(fs.stat(path)!.mode, 0o600);
      fs.symlink(path, `${directory}/link`);
      fs.append(`${directory}/link`, "three\n");
      assert.equal(fs.readText(path), "one\ntwo\nthree\n");
      assert.throws(() => fs.append(`${directory}/none/log`, "x"), errno("ENOENT"));
      assert.throws(() => fs.append(directory, "x"), errno("EISDIR"));
    });

    test("appender() goes on at the end of its file, also of one that others append to or rename", () => {
      const { fs, directory } = make();
      const path = `${directory}/log`;
      const log = fs.appender(path);
      log.append("one\n");
      fs.append(path, "two\n");
      fs.rename(path, `${directory}/moved`);
      log.append(text("three\n"));
      log.close();
      assert.equal(fs.readText(`${directory}/moved`), "one\ntwo\nthree\n");
      assert.equal(fs.stat(`${directory}/moved`)?.mode, 0o600);
      assert.throws(() => fs.appender(`${directory}/none/log`), errno("ENOENT"));
    });

    test("list() sorts, knows no . and .., and fails for anything but a directory", () => {
      const { fs, directory } = make();
      for (const name of ["b", "A", "a", ".hidden"]) fs.write(`${directory}/${name}`, "");
      assert.deepEqual(fs.list(directory), [".hidden", "A", "a", "b"]);
      assert.throws(() => fs.list(`${directory}/a`), errno("ENOTDIR"));
      assert.throws(() => fs.list(`${directory}/none`), errno("ENOENT"));
    });

    test("stat() returns kind, size and mode; undefined if the path does not exist, also below a file and behind a dead link", () => {
      const { fs, directory } = make();
      fs.write(`${directory}/a`, "four");
      fs.mkdir(`${directory}/d`, 0o700);
      fs.symlink("a", `${directory}/link`);
      fs.symlink("nowhere", `${directory}/dead`);
      assert.equal(fs.stat(`${directory}/a`)!.kind, "file");
      assert.equal(fs.stat(`${directory}/a`)!.size, 4);
      assert.equal(fs.stat(`${directory}/d`)!.kind, "directory");
      assert.equal(fs.stat(`${directory}/d`)!.mode, 0o700);
      assert.equal(fs.stat(`${directory}/link`)!.kind, "file");
      assert.equal(fs.stat(`${directory}/link`, { follow: false })!.kind, "symlink");
      assert.equal(fs.stat(`${directory}/dead`), undefined);
      assert.equal(fs.stat(`${directory}/none`), undefined);
      assert.equal(fs.stat(`${directory}/a/below`), undefined);
    });

    test("a change shows in the times of file and directory", () => {
      const { fs, directory } = make();
      fs.write(`${directory}/a`, "");
      fs.utimes(`${directory}/a`, 1_000_000, 2_000_000);
      fs.utimes(directory, 1_000_000, 2_000_000);
      assert.equal(fs.stat(`${directory}/a`)!.atimeMs, 1_000_000);
      assert.equal(fs.stat(`${directory}/a`)!.mtimeMs, 2_000_000);
      assert.ok(fs.stat(`${directory}/a`)!.ctimeMs > 2_000_000);
      fs.writeAt(`${directory}/a`, 0, text("x"));
      assert.ok(fs.stat(`${directory}/a`)!.mtimeMs > 2_000_000);
      assert.equal(fs.stat(directory)!.mtimeMs, 2_000_000);
      fs.remove(`${directory}/a`);
      assert.ok(fs.stat(directory)!.mtimeMs > 2_000_000);
    });

    test("mkdir() makes parents, is harmless twice, and refuses to stand on a file", () => {
      const { fs, directory } = make();
      fs.mkdir(`${directory}/a/b/c`, 0o700);
      assert.equal(fs.stat(`${directory}/a/b/c`)!.mode, 0o700);
      fs.mkdir(`${directory}/a/b/c`, 0o755);
      assert.equal(fs.stat(`${directory}/a/b/c`)!.mode, 0o700);
      fs.write(`${directory}/file`, "");
      assert.throws(() => fs.mkdir(`${directory}/file`), errno("EEXIST"));
      assert.throws(() => fs.mkdir(`${directory}/file/below`), errno("ENOTDIR", "EEXIST"));
    });

    test("remove() takes files, links and empty directories; full ones only with `recursive`; a missing path is harmless", () => {
      const { fs, directory } = make();
      fs.mkdir(`${directory}/d/e`);
      fs.write(`${directory}/d/a`, "");
      fs.symlink(`${directory}/d`, `${directory}/link`);
      fs.remove(`${directory}/none`);
      fs.remove(`${directory}/none`, { recursive: true });
      assert.throws(() => fs.remove(`${directory}/d`), errno("ENOTEMPTY", "EEXIST"));
      fs.remove(`${directory}/link`, { recursive: true });
      assert.deepEqual(fs.list(`${directory}/d`), ["a", "e"]);
      fs.remove(`${directory}/d/e`);
      assert.deepEqual(fs.list(`${directory}/d`), ["a"]);
      fs.remove(`${directory}/d`, { recursive: true });
      assert.deepEqual(fs.list(directory), []);
    });

    test("rename() moves over another file in one step, with all that is below a directory", () => {
      const { fs, directory } = make();
      fs.write(`${directory}/a`, "new");
      fs.write(`${directory}/b`, "old");
      fs.rename(`${directory}/a`, `${directory}/b`);
      assert.equal(fs.readText(`${directory}/b`), "new");
      fs.mkdir(`${directory}/d/e`);
      fs.rename(`${directory}/d`, `${directory}/f`);
      assert.equal(fs.stat(`${directory}/f/e`)!.kind, "directory");
      assert.deepEqual(fs.list(directory), ["b", "f"]);
      assert.throws(() => fs.rename(`${directory}/none`, `${directory}/x`), errno("ENOENT"));
      assert.throws(() => fs.rename(`${directory}/b`, `${directory}/f`), errno("EISDIR", "ENOTEMPTY", "EEXIST"));
    });

    test("chmod() changes the mode alone", () => {
      const { fs, directory } = make();
      fs.write(`${directory}/a`, "x");
      fs.chmod(`${directory}/a`, 0o444);
      assert.equal(fs.stat(`${directory}/a`)!.mode, 0o444);
      assert.throws(() => fs.chmod(`${directory}/none`, 0o444), errno("ENOENT"));
    });

    test("chmod() without follow refuses a link, and changes a file", () => {
      const { fs, directory } = make();
      fs.write(`${directory}/a`, "x", { mode: 0o644 });
      fs.symlink(`${directory}/a`, `${directory}/link`);
      assert.throws(() => fs.chmod(`${directory}/link`, 0o600, { follow: false }), errno("ELOOP"));
      assert.equal(fs.stat(`${directory}/a`)!.mode, 0o644);
      fs.chmod(`${directory}/a`, 0o600, { follow: false });
      assert.equal(fs.stat(`${directory}/a`)!.mode, 0o600);
    });

    test("space() returns total and free space", () => {
      const { fs, directory } = make();
      const { total, free, available } = fs.space(directory);
      assert.ok(total > 0 && free <= total && available <= free, JSON.stringify({ total, free, available }));
      assert.throws(() => fs.space(`${directory}/none`), errno("ENOENT"));
    });

    test("symlink(), readlink() and realpath() keep and resolve the target of a link", () => {
      const { fs, directory } = make();
      const real = fs.realpath(directory);
      fs.mkdir(`${directory}/d`);
      fs.write(`${directory}/d/a`, "x");
      fs.symlink("d", `${directory}/relative`);
      fs.symlink(`${directory}/d/a`, `${directory}/absolute`);
      fs.symlink("../absolute", `${directory}/d/back`);
      assert.equal(fs.readlink(`${directory}/relative`), "d");
      assert.equal(fs.realpath(`${directory}/relative/a`), `${real}/d/a`);
      assert.equal(fs.realpath(`${directory}/relative/back`), `${real}/d/a`);
      assert.equal(fs.realpath(`${directory}/d/../absolute`), `${real}/d/a`);
      assert.throws(() => fs.readlink(`${directory}/d`), errno("EINVAL"));
      assert.throws(() => fs.realpath(`${directory}/none`), errno("ENOENT"));
    });

    test("link() gives a file a second name: one content, one owner, counted", () => {
      const { fs, directory } = make();
      fs.write(`${directory}/a`, "x");
      fs.link(`${directory}/a`, `${directory}/b`);
      assert.equal(fs.stat(`${directory}/a`)!.nlink, 2);
      assert.equal(fs.stat(`${directory}/a`)!.ino, fs.stat(`${directory}/b`)!.ino);
      fs.append(`${directory}/b`, "y");
      assert.equal(fs.readText(`${directory}/a`), "xy");
      assert.throws(() => fs.link(`${directory}/a`, `${directory}/b`), errno("EEXIST"));
      assert.throws(() => fs.link(`${directory}/none`, `${directory}/c`), errno("ENOENT"));
      fs.remove(`${directory}/a`);
      assert.equal(fs.stat(`${directory}/b`)!.nlink, 1);
      assert.equal(fs.readText(`${directory}/b`), "xy");
    });

    test("truncate() cuts, and extends with zeros", () => {
      const { fs, directory } = make();
      const path = `${directory}/a`;
      fs.write(path, "abc");
      fs.truncate(path, 2);
      assert.equal(fs.readText(path), "ab");
      fs.truncate(path, 4);
      assert.deepEqual(Uint8Array.from(fs.read(path)), Uint8Array.of(97, 98, 0, 0));
      assert.throws(() => fs.truncate(`${directory}/none`, 1), errno("ENOENT"));
    });

    test("access() returns what this process may do", () => {
      const { fs, directory } = make();
      fs.write(`${directory}/a`, "", { mode: 0o600 });
      fs.write(`${directory}/run`, "", { mode: 0o700 });
      fs.symlink(`${directory}/none`, `${directory}/link`);
      for (const what of ["exist", "read", "write"] as const) assert.equal(fs.access(`${directory}/a`, what), true);
      assert.equal(fs.access(`${directory}/a`, "execute"), false);
      assert.equal(fs.access(`${directory}/run`, "execute"), true);
      assert.equal(fs.access(directory, "execute"), true);
      assert.equal(fs.access(`${directory}/link`, "exist"), false);
      assert.equal(fs.access(`${directory}/a/b`, "exist"), false);
    });

    test("chown() with -1 leaves that id unchanged; for a link, it can change the link itself", () => {
      const { fs, directory } = make();
      fs.write(`${directory}/a`, "");
      fs.symlink(`${directory}/none`, `${directory}/link`);
      const { uid, gid } = fs.stat(`${directory}/a`)!;
      fs.chown(`${directory}/a`, -1, gid);
      fs.chown(`${directory}/a`, uid, -1);
      fs.chown(`${directory}/link`, uid, gid, { follow: false });
      assert.deepEqual([fs.stat(`${directory}/a`)!.uid, fs.stat(`${directory}/a`)!.gid], [uid, gid]);
      assert.throws(() => fs.chown(`${directory}/link`, uid, gid), errno("ENOENT"));
      assert.throws(() => fs.chown(`${directory}/nothing`, uid, gid, { follow: false }), errno("ENOENT"));
    });

    test("write() gives a new file its owner and mode before it has its name", () => {
      const { fs, directory } = make();
      fs.write(`${directory}/a`, "");
      const { uid, gid } = fs.stat(`${directory}/a`)!;
      fs.write(`${directory}/a`, "new", { mode: 0o4750, owner: { uid, gid } });
      const after = fs.stat(`${directory}/a`)!;
      assert.deepEqual([after.uid, after.gid, after.mode], [uid, gid, 0o4750]);
      assert.deepEqual(fs.list(directory), ["a"]);
    });

    for (const [end, changes] of Object.entries(CHANGES)) {
      for (const [name, change] of Object.entries(changes)) {
        test(`a user's link leads root to no file of others: ${name}`, (context) => {
          const { fs, directory } = make();
          if (fs.stat(directory)!.uid !== 0) return context.skip("only root can make files of others");
          const made = users(fs, directory);
          const before = picture(fs, made.root);
          const refused = (path: string) => {
            assert.throws(() => change(fs, path), (error) => {
              assert.ok(error instanceof ForeignLinkError, String(error));
              assert.match(error.message, /is a link of user 65534 to (a file of user 0|nothing yet); remove it/);
              return true;
            }, path);
            assert.deepEqual(picture(fs, made.root), before, path);
          };
          if (end === "content") made.files.forEach(refused);
          for (const path of made.directories) refused(`${path}/file`);
        });
      }
    }

    test("a link is followed to the user's own file, and if root has made it, or stands where only root makes links", async (context) => {
      const { fs, directory } = make();
      if (fs.stat(directory)!.uid !== 0) return context.skip("only root can make files of others");
      const made = users(fs, directory);
      for (const path of made.mine) fs.append(path, "+");
      assert.equal(fs.readText(made.own), "own++");
      for (const path of made.roots) fs.append(path, "+");
      const writer = await fs.writer(made.roots[0]!);
      await writer.write(0, text("S"));
      await writer.close();
      await assert.rejects(fs.writer(made.files[0]!), ForeignLinkError);
      assert.equal(fs.readText(`${made.root}/file`), "Secret++");
      assert.equal(fs.placeOf(`${made.home}/mydir/new/er`), `${fs.realpath(made.home)}/own/new/er`);
      fs.mkdir(`${made.home}/mydir/new/er`);
      assert.equal(fs.stat(`${made.home}/own/new/er`)?.kind, "directory");
      fs.remove(made.home, { recursive: true });
      assert.deepEqual([fs.stat(made.home), fs.readText(`${made.root}/file`)], [undefined, "Secret++"]);
    });

    test("replace() moves a file over another one", () => {
      const { fs, directory } = make();
      fs.write(`${directory}/a`, "new", { mode: 0o640 });
      fs.write(`${directory}/b`, "old");
      fs.replace(`${directory}/a`, `${directory}/b`);
      assert.deepEqual([fs.list(directory), fs.readText(`${directory}/b`)], [["b"], "new"]);
      assert.equal(fs.stat(`${directory}/b`)!.mode, 0o640);
    });

    test("a loop of links is an error, not a hang", () => {
      const { fs, directory } = make();
      fs.symlink("b", `${directory}/a`);
      fs.symlink("a", `${directory}/b`);
      assert.throws(() => fs.read(`${directory}/a`), errno("ELOOP"));
      assert.throws(() => fs.realpath(`${directory}/a`), errno("ELOOP"));
    });

    test("every failure is a SystemError that names the path", () => {
      const { fs, directory } = make();
      const path = `${directory}/none`;
      for (const call of [() => fs.read(path), () => fs.readText(path), () => fs.readlink(path), () => fs.list(path)]) {
        assert.throws(call, (error) => {
          assert.ok(error instanceof SystemError);
          assert.equal(error.errno, "ENOENT");
          assert.ok(error.message.includes(path));
          return true;
        });
      }
      for (const call of [() => fs.read(`${path}\0x`), () => fs.write(`${path}\0x`, ""), () => fs.stat(`${path}\0x`)]) {
        assert.throws(call, (error) => error instanceof SystemError);
      }
      assert.throws(() => fs.read(directory), errno("EISDIR"));
    });
  });
}
