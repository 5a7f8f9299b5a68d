import assert from "node:assert/strict";
import { test } from "node:test";
import { keepBackup, listBackups } from "../../../src/plugins/modules/file/backup.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { type StateHost, stateHost } from "../../support/file_states.ts";
import { localFiles } from "../../support/local_files.ts";
import { inTemporary } from "../temporary.ts";

const runtime = await currentRuntime();
const { fs } = runtime;

/** A host whose master serves what is below `roots`, and a directory to work in. */
const withHost = (
  use: (host: StateHost, directory: string, roots: string) => Promise<void>,
  files: Partial<typeof fs> = {},
) =>
  inTemporary(runtime, async (directory) => {
    for (const name of ["roots", "work"]) fs.mkdir(`${directory}/${name}`);
    await use(
      await stateHost({ opts: localFiles(`${directory}/roots`), master: null, runtime: { fs: { ...fs, ...files } } }),
      `${directory}/work`,
      `${directory}/roots`,
    );
  });

const put = (root: string, files: Record<string, string>) => {
  for (const [path, text] of Object.entries(files)) {
    fs.mkdir(`${root}/${path}`.replace(/\/[^/]*$/, ""));
    fs.write(`${root}/${path}`, text, { mode: 0o644 });
  }
};

test("file.directory with clean spares what is excluded and what required states manage", async () => {
  await withHost(async ({ run, test: dry }, directory) => {
    put(directory, { "d/kept": "1", "d/other": "2", "d/sub/deep": "3", "d/a.log": "4" });
    const name = `${directory}/d`;
    const lowstate = [{ state: "file", fun: "managed", name: `${name}/kept`, __id__: "kept" }];
    const asked = { name, clean: true, require: [{ file: "kept" }], exclude_pat: "*.log" };
    const planned = await dry("file.directory", asked, { lowstate });
    assert.deepEqual(Object.keys(planned.changes).sort(), [`${name}/other`, `${name}/sub`, `${name}/sub/deep`]);
    assert.equal(fs.readText(`${name}/other`), "2");
    const done = await run("file.directory", asked, { lowstate });
    assert.deepEqual((done.changes.removed as string[]).toSorted(), [`${name}/other`, `${name}/sub`]);
    assert.equal(done.comment, `Files cleaned from directory ${name}`);
    assert.deepEqual(fs.list(name), ["a.log", "kept"]);
  });
});

test("file.directory sets modes down to max_depth and leaves what is deeper", async () => {
  await withHost(async ({ run }, directory) => {
    put(directory, { "d/f": "", "d/sub/f": "" });
    const name = `${directory}/d`;
    const modes = { dir_mode: "0711", file_mode: "0600", recurse: ["mode"], max_depth: 1 };
    await run("file.directory", { name, ...modes });
    const modeOf = (path: string) => fs.stat(`${name}${path}`)!.mode;
    assert.deepEqual(["", "/f", "/sub", "/sub/f"].map(modeOf), [0o711, 0o600, 0o711, 0o644]);
  });
});

test("file.recurse takes what include_pat and exclude_pat leave, as globs and regular expressions", async () => {
  await withHost(async ({ run }, directory, roots) => {
    put(roots, { "tree/a.conf": "a", "tree/b.txt": "b", "tree/sub/c.conf": "c", "tree/sub/d.conf": "d" });
    const copied = async (name: string, more: Record<string, unknown>) => {
      const ret = await run("file.recurse", { name: `${directory}/${name}`, source: "salt://tree", ...more });
      assert.equal(ret.result, true, String(ret.comment));
      const list = (path: string): string[] =>
        fs.list(path).flatMap((entry) =>
          fs.stat(`${path}/${entry}`)!.kind === "directory" ? list(`${path}/${entry}`) : `${path}/${entry}`
        );
      return list(`${directory}/${name}`).map((path) => path.slice(`${directory}/${name}/`.length));
    };
    assert.deepEqual(await copied("all", {}), ["a.conf", "b.txt", "sub/c.conf", "sub/d.conf"]);
    assert.deepEqual(await copied("glob", { include_pat: "*.conf" }), ["a.conf", "sub/c.conf", "sub/d.conf"]);
    assert.deepEqual(await copied("regexp", { include_pat: "E@^sub/", exclude_pat: ["E@d\\.conf$"] }), ["sub/c.conf"]);
    assert.deepEqual(await copied("depth", { maxdepth: 0 }), ["a.conf", "b.txt"]);
  });
});

test("file.symlink moves what stands in its place to a backup, and with force replaces a file", async () => {
  await withHost(async ({ run }, directory) => {
    put(directory, { a: "old", b: "old" });
    const moved = await run("file.symlink", { name: `${directory}/a`, target: "/etc/hosts", backupname: "a.old" });
    assert.deepEqual([moved.result, moved.changes], [true, { new: `${directory}/a` }]);
    assert.equal(fs.readText(`${directory}/a.old`), "old");
    const refused = await run("file.symlink", { name: `${directory}/b`, target: "/etc/hosts" });
    assert.equal(refused.comment, `File exists where the symlink ${directory}/b should be`);
    await run("file.symlink", { name: `${directory}/b`, target: "/etc/hosts", force: true });
    assert.equal(fs.readlink(`${directory}/b`), "/etc/hosts");
  });
});

test("file.decode writes the bytes of a base64 text, once", async () => {
  await withHost(async ({ run }, directory) => {
    const asked = { name: `${directory}/f`, encoded_data: "AAECAw==" };
    const first = await run("file.decode", asked);
    assert.deepEqual([first.result, first.comment], [true, "File was updated."]);
    assert.deepEqual([...fs.read(`${directory}/f`)], [0, 1, 2, 3]);
    assert.deepEqual((await run("file.decode", asked)).comment, "File is in the correct state.");
  });
});

test("file.retention_schedule keeps the newest, and the first of each day", async () => {
  await withHost(async ({ run }, directory) => {
    const names = ["b-20240101-0100", "b-20240101-0200", "b-20240102-0100", "b-20240102-0300", "other"];
    put(directory, Object.fromEntries(names.map((name) => [name, ""])));
    const retain = { most_recent: 1, first_of_day: 2 };
    const ret = await run("file.retention_schedule", { name: directory, retain, strptime_format: "b-%Y%m%d-%H%M" });
    assert.deepEqual(ret.changes.deleted, ["b-20240101-0200"]);
    assert.deepEqual(fs.list(directory), names.filter((name) => name !== "b-20240101-0200"));
  });
});

test("file.mknod makes a named pipe and leaves it alone from then on", async () => {
  await withHost(async ({ run, test: dry }, directory) => {
    const asked = { name: `${directory}/pipe`, ntype: "p", mode: "0600" };
    assert.equal((await dry("file.mknod", asked)).comment, `Fifo pipe ${directory}/pipe is set to be created`);
    assert.equal((await run("file.mknod", asked)).result, true);
    assert.equal(fs.stat(`${directory}/pipe`)!.kind, "fifo");
    assert.equal((await run("file.mknod", asked)).comment, `Fifo pipe ${directory}/pipe is in the correct state`);
  });
});

test("file.tidied removes large files, and directories only if asked", async () => {
  await withHost(async ({ run }, directory) => {
    put(directory, { "small": "1", "sub/large": "x".repeat(2000) });
    const ret = await run("file.tidied", { name: directory, size: "1k", age_size_only: "size" });
    assert.deepEqual(ret.changes, { removed: [`${directory}/sub/large`] });
    assert.deepEqual(fs.list(directory), ["small", "sub"]);
  });
});

const hasPatch = (runtime.process.env("PATH") ?? "").split(":").some((path) => fs.stat(`${path}/patch`) !== undefined);
const withPatch = hasPatch ? {} : { skip: "the program patch is not installed" };

test("file.patch applies a patch once, and changes nothing where it does not fit", withPatch, async () => {
  await withHost(async ({ run, test: dry }, directory, roots) => {
    put(roots, { "one.patch": "--- a\n+++ b\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n" });
    put(directory, { fits: "one\ntwo\nthree\n", other: "four\nfive\nsix\n" });
    const asked = { name: `${directory}/fits`, source: "salt://one.patch" };
    const planned = await dry("file.patch", asked);
    assert.deepEqual([planned.result, planned.comment], [null, "The patch would be applied"]);
    assert.equal(fs.readText(`${directory}/fits`), "one\ntwo\nthree\n");
    const done = await run("file.patch", asked);
    assert.deepEqual([done.result, done.comment], [true, "Patch successfully applied"]);
    assert.equal(fs.readText(`${directory}/fits`), "one\n2\nthree\n");
    assert.equal((await run("file.patch", asked)).comment, "Patch was already applied");
    const refused = await run("file.patch", { ...asked, name: `${directory}/other` });
    assert.equal(refused.result, false);
    assert.match(
      String(refused.comment),
      /^Patch would not apply cleanly, no changes made\. Results of dry-run are below\./,
    );
    assert.equal(fs.readText(`${directory}/other`), "four\nfive\nsix\n");
    assert.deepEqual(fs.list(directory), ["fits", "other"]);
    const options = await run("file.patch", { ...asked, options: "--fuzz=0 -o /tmp/x" });
    assert.equal(options.comment, "The following CLI options are not allowed: -o");
  });
});

test("file.recurse tells templates the source of each file with its environment", async () => {
  await withHost(async ({ run }, directory, roots) => {
    put(roots, { "tree/a": "{{ source }}\n", "tree/sub/b c": "{{ source }}\n" });
    const ret = await run("file.recurse", { name: `${directory}/t`, source: "salt://tree", template: "jinja" });
    assert.equal(ret.result, true);
    assert.equal(fs.readText(`${directory}/t/a`), "salt://tree/a?saltenv=base\n");
    assert.equal(fs.readText(`${directory}/t/sub/b c`), "salt://tree/sub/b c?saltenv=base\n");
  });
});

test("file.recurse with clean puts a file in the place of a directory, and the other way round", async () => {
  await withHost(async ({ run }, directory, roots) => {
    put(roots, { "tree/a": "file", "tree/d/x": "x" });
    put(directory, { "t/a/below": "1", "t/d": "a file", "t/extra": "2" });
    const ret = await run("file.recurse", { name: `${directory}/t`, source: "salt://tree", clean: true });
    assert.equal(ret.result, true, String(ret.comment));
    assert.deepEqual(ret.changes.removed, [`${directory}/t/extra`]);
    assert.deepEqual(["a", "d/x"].map((name) => fs.readText(`${directory}/t/${name}`)), ["file", "x"]);
  });
});

test("file.managed with check_cmd leaves the file as it is when the command refuses the new one", async () => {
  await withHost(async ({ run }, directory) => {
    put(directory, { f: "good\n" });
    const asked = { name: `${directory}/f`, check_cmd: "grep -q good", tmp_dir: directory };
    const refused = await run("file.managed", { ...asked, contents: "bad" });
    assert.deepEqual([refused.result, refused.comment], [false, "check_cmd execution failed"]);
    assert.equal(refused.skip_watch, true);
    assert.deepEqual(refused.changes, {});
    assert.equal(fs.readText(`${directory}/f`), "good\n");
    assert.equal((await run("file.managed", { ...asked, contents: "also good" })).result, true);
    assert.equal(fs.readText(`${directory}/f`), "also good\n");
    assert.deepEqual(fs.list(directory), ["f"]);
  });
});

test("file.managed keeps a backup, and follows a link only if it may", async () => {
  await withHost(async ({ run }, directory, roots) => {
    put(roots, { source: "new\n" });
    put(directory, { real: "old\n" });
    fs.symlink(`${directory}/real`, `${directory}/link`);
    const asked = { name: `${directory}/link`, source: "salt://source" };
    await run("file.managed", { ...asked, backup: "minion" });
    assert.equal(fs.readText(`${directory}/real`), "new\n");
    const backups = `${roots}.cache/file_backup${directory}`;
    assert.equal(fs.readText(`${backups}/${fs.list(backups)[0]}`), "old\n");
    put(directory, { real: "old\n" });
    const replaced = await run("file.managed", { ...asked, follow_symlinks: false });
    assert.equal(replaced.changes.diff, "Replace symbolic link with regular file");
    assert.equal(fs.stat(`${directory}/link`, { follow: false })!.kind, "file");
    assert.equal(fs.readText(`${directory}/real`), "old\n");
  });
});

test("file.managed gives a template its further arguments, the directory of an sls, and env by its context alone", async () => {
  await withHost(async ({ run }, directory, roots) => {
    const names = ["more", "sls", "slspath", "sls_path", "slsdotpath", "slscolonpath", "tplfile", "env"];
    put(roots, { t: names.map((name) => `{{ ${name} | default("-") }}`).join(" ") });
    const name = `${directory}/f`;
    const asked = { name, source: "salt://t", template: "jinja", env: "base", more: 1 };
    await run("file.managed", asked);
    assert.equal(fs.readText(name), "1 - - - - - - -");
    await run("file.managed", { ...asked, defaults: { slsdotpath: "own" }, context: { sls: "a.b", env: "dev" } });
    assert.equal(fs.readText(name), "1 a.b a/b a_b own a:b - dev");
    put(roots, { "tree/t": "{{ more }} {{ env | default('-') }}" });
    await run("file.recurse", { ...asked, name: `${directory}/d`, source: "salt://tree" });
    assert.equal(fs.readText(`${directory}/d/t`), "1 -");
  });
});

test("file.managed judges what a template renders to, and keeps the mode of a source that is served", async () => {
  await withHost(async ({ run, test: dry }, directory, roots) => {
    put(roots, { "script.j2": "#!/bin/sh\necho {{ word }}\n" });
    fs.chmod(`${roots}/script.j2`, 0o755);
    const asked = {
      name: `${directory}/script`,
      source: "salt://script.j2",
      template: "jinja",
      context: { word: "hello" },
      mode: "keep",
      check_cmd: "/bin/sh -n",
    };
    assert.deepEqual((await dry("file.managed", asked)).changes, { newfile: `${directory}/script` });
    const done = await run("file.managed", asked);
    assert.deepEqual([done.result, done.changes], [true, { diff: "New file", mode: "0755" }]);
    assert.equal(fs.readText(`${directory}/script`), "#!/bin/sh\necho hello\n");
    assert.equal(fs.stat(`${directory}/script`)!.mode, 0o755);
    assert.deepEqual((await run("file.managed", asked)).changes, {});
    const planned = await dry("file.managed", { ...asked, context: { word: "(" } });
    assert.equal(planned.changes.diff, "--- \n+++ \n@@ -1,2 +1,2 @@\n #!/bin/sh\n-echo hello\n+echo (\n");
    const refused = await run("file.managed", { ...asked, context: { word: "(" } });
    assert.equal(refused.result, false);
    assert.equal(fs.readText(`${directory}/script`), "#!/bin/sh\necho hello\n");
  });
});

const asRoot = runtime.process.uid() === 0 ? {} : { skip: "only root is led by links of others" };

for (const before of [undefined, "old\n"]) {
  const what = before === undefined ? "a new file" : "an existing file";
  test(`file.managed as root follows no link that takes the place of ${what} while it is made`, asRoot, async () => {
    let [target, victim, swapped] = ["", "", false];
    const swap = () => {
      fs.remove(target);
      fs.symlink(victim, target);
      swapped = true;
    };
    const write: typeof fs.write = (path, ...rest) => {
      fs.write(path, ...rest);
      if (path === target) swap();
    };
    await withHost(async ({ run }, directory) => {
      [target, victim] = [`${directory}/f`, `${directory}/victim`];
      put(directory, { victim: "secret\n" });
      fs.chmod(victim, 0o600);
      if (before !== undefined) put(directory, { f: before });
      const asked = { name: target, contents: "new", user: "nobody", mode: "0666" };
      await run("file.managed", asked).catch(() => undefined);
      assert.ok(swapped);
      const { mode, uid } = fs.stat(victim)!;
      assert.deepEqual([mode, uid, fs.readText(victim)], [0o600, 0, "secret\n"]);
    }, { write });
  });
}

test("file.managed puts a file in place with its owner and mode, and leaves nothing else behind", asRoot, async () => {
  const seen: string[] = [];
  const write: typeof fs.write = (path, data, options) => {
    fs.write(path, data, options);
    const { mode, uid } = fs.stat(path)!;
    if (path.endsWith("/f")) seen.push(`${uid} ${mode.toString(8)}`);
  };
  await withHost(async ({ run }, directory) => {
    put(directory, { f: "old\n" });
    fs.chown(`${directory}/f`, 65534, 65534);
    fs.chmod(`${directory}/f`, 0o640);
    await run("file.managed", { name: `${directory}/f`, contents: "new" });
    assert.deepEqual(seen, ["65534 640"]);
    assert.deepEqual(fs.list(directory), ["f"]);
  }, { write });
});

test("file.copy with force leaves a file alone that is its own source", async () => {
  await withHost(async ({ run }, directory) => {
    put(directory, { f: "text" });
    const path = `${directory}/f`;
    const ret = await run("file.copy", { name: path, source: path, force: true });
    assert.deepEqual([ret.result, ret.comment], [
      false,
      `Failed to copy "${path}" to "${path}": they are the same file`,
    ]);
    assert.equal(fs.readText(path), "text");
  });
});

test("file.managed writes its contents in the encoding that is named", async () => {
  await withHost(async ({ run }, directory) => {
    await run("file.managed", { name: `${directory}/f`, contents: "é", encoding: "latin-1" });
    assert.deepEqual([...fs.read(`${directory}/f`)], [0xe9, 0x0a]);
  });
});

test("file.managed joins the texts of several pillars or grains, and nothing else", async () => {
  const pillar = { a: "one", b: ["two"], c: 3 };
  const { run } = await stateHost({ pillar, grains: pillar });
  for (const [kind, odd, type] of [["pillar", "b", "list"], ["pillar", "c", "int"], ["grains", "b", "list"]]) {
    await assert.rejects(
      run("file.managed", { name: "/nowhere/f", [`contents_${kind}`]: ["a", odd] }),
      new RegExp(`sequence item 1: expected str instance, ${type} found`),
    );
  }
});

/** Puts a link to `victim` in the place of a directory once its names were read, as its owner could. */
const swapping = (victim: () => string): Partial<typeof fs> => ({
  list(path: string) {
    const names = fs.list(path);
    if (path.endsWith("/d/sub")) {
      fs.rename(path, `${path}.old`);
      fs.symlink(victim(), path);
    }
    return names;
  },
});

test("file.directory changes and removes nothing through a link that takes a directory's place meanwhile", async () => {
  let victim = "";
  await withHost(async ({ run }, directory) => {
    victim = `${directory}/victim`;
    put(directory, { "victim/file": "mine", "d/sub/file": "1" });
    const asked = { name: `${directory}/d`, file_mode: "0600", dir_mode: "0755", recurse: ["mode"] };
    const ret = await run("file.directory", asked);
    assert.equal(fs.stat(`${victim}/file`)!.mode, 0o644);
    assert.equal(ret.result, false);
    assert.match(String(ret.comment), /\/d\/sub was replaced meanwhile/);
  }, swapping(() => victim));
  await withHost(async ({ run }, directory) => {
    victim = `${directory}/victim`;
    put(directory, { "victim/file": "mine", "d/sub/file": "1", "d/kept": "1" });
    const name = `${directory}/d`;
    const lowstate = [{ state: "file", fun: "managed", name: `${name}/sub/kept`, __id__: "kept" }];
    await run("file.directory", { name, clean: true, require: [{ file: "kept" }] }, { lowstate });
    assert.equal(fs.readText(`${victim}/file`), "mine");
  }, swapping(() => victim));
});

test("a backup is not made of a link that takes the file's place meanwhile, and is never open to all", async () => {
  let swap = () => {};
  const read = (path: string) => {
    swap();
    return fs.read(path);
  };
  const writeAt = () => assert.fail("written into a file that all can read");
  await withHost(({ context }, directory) => {
    const name = `${directory}/f`;
    put(directory, { f: "old", secret: "secret" });
    keepBackup(context, name);
    assert.equal(listBackups(context, name).size, 1);
    swap = () => {
      fs.remove(name);
      fs.symlink(`${directory}/secret`, name);
    };
    assert.throws(() => keepBackup(context, name), /it became another file meanwhile/);
    assert.equal(listBackups(context, name).size, 1);
    return Promise.resolve();
  }, { read, writeAt });
});

for (
  const [fun, keyword] of [
    ["file.append", { text: "x" }],
    ["file.prepend", { text: "x" }],
    ["file.replace", { pattern: "a", repl: "b" }],
    ["file.comment", { regex: "a" }],
    ["file.blockreplace", { marker_start: "a", marker_end: "b", content: "x", append_if_not_found: true }],
    ["file.copy", { source: "/pipe", name: "/copy" }],
    ["ini.options_present", { sections: { a: { b: 1 } } }],
  ] as const
) {
  test(`${fun} does not wait for a named pipe in the file's place`, async () => {
    const isPipe = (path: string) => path.endsWith("/pipe");
    const waited: string[] = [];
    const never = (path: string) => isPipe(path) ? assert.fail(`waits for ${waited.push(path)} pipes`) : undefined;
    const pipe = {
      stat: (path: string, options?: { follow?: boolean }) => {
        const stat = fs.stat(path, options);
        return stat !== undefined && isPipe(path) ? { ...stat, kind: "fifo" as const } : stat;
      },
      read: (path: string) => never(path) ?? fs.read(path),
      readText: (path: string) => never(path) ?? fs.readText(path),
      readAt: (path: string, from: number, length: number) => never(path) ?? fs.readAt(path, from, length),
      writeAt: (path: string, ...rest: [number, string | Uint8Array]) =>
        never(path) ?? fs.writeAt(path, ...rest as [0, Uint8Array]),
      append: (path: string, data: string | Uint8Array) => never(path) ?? fs.append(path, data),
    };
    await withHost(async ({ run }, directory) => {
      put(directory, { pipe: "a\n" });
      const paths = Object.fromEntries(
        Object.entries(keyword).map(([key, value]) => [
          key,
          typeof value === "string" && value.startsWith("/") ? directory + value : value,
        ]),
      );
      const told = await run(fun, { name: `${directory}/pipe`, ...paths }).catch((error: Error) => ({
        result: false,
        comment: error.message,
      }));
      assert.equal(told.result, false, JSON.stringify(told));
      assert.deepEqual(waited, []);
    }, pipe);
  });
}
