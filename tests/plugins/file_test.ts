import assert from "node:assert/strict";
import { test } from "node:test";
import { currentRuntime } from "../../src/runtime/current.ts";
import { kwargs, type TestMinion, testMinion } from "../support/context.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();
const { fs } = runtime;

const withFiles = (use: (minion: TestMinion, directory: string) => Promise<void>, opts = {}) =>
  inTemporary(runtime, async (directory) => {
    await use(await testMinion({ opts: { cachedir: `${directory}/cache`, ...opts } }), directory);
  });

test("file.contains and file.get_hash of a file that is read in pieces", async () => {
  await withFiles(async ({ value }, directory) => {
    const path = `${directory}/large`;
    const bytes = new Uint8Array((1 << 20) + 100).fill(0x61);
    // Across the end of the first piece, in the midst of a character of two bytes.
    bytes.set(new TextEncoder().encode("needle é end"), (1 << 20) - 8);
    fs.write(path, bytes);
    assert.equal(await value("file.contains", path, "needle é end"), true);
    assert.equal(await value("file.contains", path, "needle e end"), false);
    const want = Array.from(runtime.crypto.hash("sha1", bytes), (byte) => byte.toString(16).padStart(2, "0")).join(
      "",
    );
    assert.equal(await value("file.get_hash", path, "sha1"), want);
  });
});

test("file.seek_write writes text and bytes at an offset of an existing file", async () => {
  await withFiles(async (minion, directory) => {
    const path = `${directory}/a`;
    fs.write(path, "0123456789");
    assert.equal(await minion.value("file.seek_write", path, "ab", 2), 2);
    assert.equal(await minion.value("file.seek_write", path, Uint8Array.of(99), 9), 1);
    assert.equal(fs.readText(path), "01ab45678c");
    const { return: text } = await minion.run("file.seek_write", [`${directory}/none`, "x", 0]);
    assert.match(String(text), /FileNotFoundError: \[Errno 2\] No such file or directory/);
    assert.equal(fs.stat(`${directory}/none`), undefined);
  });
});

test("file.replace keeps bytes that are not UTF-8, and owner and mode", async () => {
  await withFiles(async ({ value }, directory) => {
    const path = `${directory}/a`;
    const text = "most of this is text ";
    fs.write(path, Uint8Array.from([...new TextEncoder().encode(text), 0xe9, 0x0a]), { mode: 0o640 });
    const { ino } = fs.stat(path)!;
    await value("file.replace", path, "most", "all");
    assert.deepEqual([...fs.read(path).subarray(-2)], [0xe9, 0x0a]);
    assert.equal(fs.stat(path)!.mode, 0o640);
    assert.equal(fs.stat(path)!.ino, ino);
    assert.equal(fs.stat(`${path}.bak`)!.mode, 0o640);
    await value("file.replace", path, "all", "most", kwargs({ preserve_inode: false, backup: false }));
    assert.notEqual(fs.stat(path)!.ino, ino);
    assert.equal(fs.stat(path)!.mode, 0o640);
  });
});

test("file.check_perms takes attributes as letters or as a list, and asks for nothing with an empty one", async () => {
  await withFiles(async ({ value }, directory) => {
    fs.write(`${directory}/a`, "x");
    for (const attrs of [[], "", null]) {
      const [ret] = await value("file.check_perms", `${directory}/a`, {}, null, null, null, attrs) as [
        Record<string, unknown>,
      ];
      assert.deepEqual([ret!.result, ret!.comment, ret!.changes], [true, "", {}]);
    }
  });
});

test("file.line and file.manage_file change nothing in test mode", async () => {
  await withFiles(async ({ value }, directory) => {
    const path = `${directory}/a`;
    fs.write(path, "one\n");
    assert.match(String(await value("file.line", path, "two", kwargs({ mode: "ensure", after: "one" }))), /^--- \n/);
    assert.equal(fs.readText(path), "one\n");
  }, { test: true });
});

test("file.line: an insertion into an empty file needs a location", async () => {
  await withFiles(async ({ value }, directory) => {
    fs.write(`${directory}/a`, "");
    await assert.rejects(
      value("file.line", `${directory}/a`, "two", kwargs({ mode: "insert", after: "one" })),
      /On insert either "location" or "before\/after" conditions are required/,
    );
  });
});

test("file.line keeps a copy with the time in its name", async () => {
  await withFiles(async ({ value }, directory) => {
    fs.write(`${directory}/a`, "one\n");
    await value("file.line", `${directory}/a`, "two", kwargs({ mode: "ensure", after: "one", backup: true }));
    const copies = fs.list(directory).filter((name) => /^a\.\d{4}(?:-\d\d){5}$/.test(name));
    assert.equal(copies.length, 1);
    assert.equal(fs.readText(`${directory}/${copies[0]}`), "one\n");
  });
});

test("file.find runs a command for each file", async () => {
  await withFiles(async ({ value }, directory) => {
    fs.write(`${directory}/a b`, "x");
    const found = await value("file.find", directory, kwargs({ type: "f", exec: "echo found {}" }));
    assert.deepEqual(found, [`echo found ${directory}/a b:\nfound ${directory}/a b\n\n`]);
  });
});

test("file.find that removes a link leaves its target alone", async () => {
  await withFiles(async ({ value }, directory) => {
    fs.mkdir(`${directory}/kept`);
    fs.write(`${directory}/kept/a`, "x");
    fs.mkdir(`${directory}/d`);
    fs.symlink(`${directory}/kept`, `${directory}/d/link`);
    await value("file.find", `${directory}/d`, kwargs({ mindepth: 1, delete: "a" }));
    assert.deepEqual(fs.list(`${directory}/d`), []);
    assert.equal(fs.readText(`${directory}/kept/a`), "x");
    await value("file.remove", `${directory}/d`);
    assert.equal(fs.readText(`${directory}/kept/a`), "x");
  });
});

test("file.restore_backup keeps a copy of what it replaces", async () => {
  await withFiles(async ({ value }, directory) => {
    const path = `${directory}/a`;
    fs.write(path, "old\n", { mode: 0o644 });
    const ret = { name: path, changes: {}, comment: "", result: true };
    const args = [path, "", ret, "", {}, null, null, null, null, "base", "minion"];
    await value("file.manage_file", ...args, kwargs({ contents: "new\n" }));
    assert.equal(fs.readText(path), "new\n");
    const backups = await value("file.list_backups", path) as Map<number, { Size: number }>;
    assert.deepEqual([...backups.keys()], [0]);
    assert.equal(backups.get(0)!.Size, 4);
    await value("file.restore_backup", path, 0);
    assert.equal(fs.readText(path), "old\n");
    assert.equal((await value("file.list_backups", path) as Map<number, unknown>).size, 2);
  });
});

test("file.open_files finds this process, by file and by number", async () => {
  await withFiles(async ({ value }) => {
    const byFile = await value("file.open_files") as Map<string, number[]>;
    const byPid = await value("file.open_files", true) as Map<number, string[]>;
    const [own = ""] = byPid.get(runtime.process.pid) ?? [];
    assert.notEqual(own, "");
    assert.ok(byFile.get(own)!.includes(runtime.process.pid));
  });
});

test("file.statvfs describes the file system of a path", async () => {
  await withFiles(async ({ value }, directory) => {
    const facts = await value("file.statvfs", directory) as Record<string, number>;
    assert.ok(facts.f_blocks! > 0 && facts.f_bavail! <= facts.f_bfree! && facts.f_bsize! >= 512, JSON.stringify(facts));
    assert.equal(facts.f_namemax, 255);
  });
});

test("file.* expand a home directory", async () => {
  await withFiles(async (_minion, directory) => {
    const process = {
      ...runtime.process,
      env: (name: string) => name === "HOME" ? directory : runtime.process.env(name),
    };
    const { value } = await testMinion({ runtime: { process } });
    await value("file.write", "~/a", "line");
    assert.equal(fs.readText(`${directory}/a`), "line\n");
    assert.equal(await value("file.file_exists", "~/a"), true);
    assert.equal(await value("file.directory_exists", "~root"), true);
  });
});

test("file.get_managed renders a template into a temporary file, which file.manage_file removes", async () => {
  await withFiles(async (minion, directory) => {
    const source = `${directory}/source`;
    const target = `${directory}/target`;
    fs.write(source, "{{ name == '" + target + "' }} {{ source }} {{ mode }} {{ a }}{{ b }} {{ pillar.p }}\n");
    const rest = ["", "", "root", "root", "0640", null, "base"];
    const managed = (template: string) =>
      minion.value("file.get_managed", target, template, source, ...rest, { b: 3, pillar: { p: 4 } }, { a: 1, b: 2 });
    const [copy, sum, problem] = await managed("jinja") as [string, { hsum: string }, string];
    assert.equal(problem, "");
    assert.equal(fs.readText(copy), `True ${source} 0640 13 4\n`);
    assert.equal(fs.stat(copy)!.mode & 0o777, 0o600);
    assert.equal(sum.hsum, await minion.value("file.get_hash", copy, "sha256"));
    await minion.value("file.manage_file", target, copy, {}, source, sum, "root", "root", "0640", null, "base", "");
    assert.equal(fs.readText(target), `True ${source} 0640 13 4\n`);
    assert.equal(fs.stat(copy), undefined);
    assert.match(String((await managed("nope") as unknown[])[2]), /^Specified template format nope is not supported$/);
    assert.match(String((await managed("genshi") as unknown[])[2]), /genshi is not supported: it runs Python/);
    fs.write(source, Uint8Array.of(0xff, 0, 1));
    const [binary] = await managed("jinja") as [string];
    assert.deepEqual(Uint8Array.from(fs.read(binary)), Uint8Array.of(0xff, 0, 1));
    fs.remove(binary);
  });
});

test("file.apply_template_on_contents renders a text", async () => {
  await withFiles(async ({ value }) => {
    const rendered = (template: string) =>
      value("file.apply_template_on_contents", "{{ a }}{{ b }}", template, { b: 3 }, { a: 1, b: 2 }, "base");
    assert.equal(await rendered("jinja"), "13");
    assert.deepEqual(await rendered("nope"), {
      result: false,
      comment: "Specified template format nope is not supported",
    });
  });
});
