import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ConfigError } from "../../../src/base/errors.ts";
import { FILE_COMMANDS } from "../../../src/content/fileserver/server.ts";
import type { FileServerOpts } from "../../../src/content/fileserver/roots.ts";
import { parseSaltUrl, saltUrl } from "../../../src/content/fileserver/url.ts";
import { hex } from "../../../src/protocol/crypto/hex.ts";
import { type ServerBed, serverBed } from "./bed.ts";

const ask = (bed: ServerBed, cmd: string, load: Record<string, unknown>) => FILE_COMMANDS[cmd]!(bed.server, load);
const list = (bed: ServerBed, saltenv = "base", more: Record<string, unknown> = {}) =>
  ask(bed, "_file_list", { saltenv, ...more });

describe("FileServer", () => {
  test("of two roots the first one's file counts, and both are listed", async () => {
    const bed = serverBed({ file_roots: { base: ["/one", "/two"] } });
    bed.put("/one/both", "first");
    bed.put("/two/both", "second");
    bed.put("/two/only", "x");
    assert.deepEqual(await list(bed), ["both", "only"]);
    assert.deepEqual(await ask(bed, "_serve_file", { saltenv: "base", path: "both", loc: 0 }), {
      data: new TextEncoder().encode("first"),
      dest: "both",
    });
  });

  for (
    const { name, opts, want } of [
      { name: "a glob, whose star crosses slashes", opts: { file_ignore_glob: ["*/sub/*"] }, want: ["a.sls", "b.pyc"] },
      { name: "a glob of names", opts: { file_ignore_glob: ["*.pyc"] }, want: ["a.sls", "d/sub/c"] },
      { name: "a regular expression", opts: { file_ignore_regex: ["/sub(/|$)"] }, want: ["a.sls", "b.pyc"] },
      { name: "Python's flags", opts: { file_ignore_regex: ["(?i)\\.PYC\\Z"] }, want: ["a.sls", "d/sub/c"] },
    ] as { name: string; opts: Partial<FileServerOpts>; want: string[] }[]
  ) {
    test(`neither lists nor serves what is ignored by ${name}`, async () => {
      const bed = serverBed(opts);
      const all = ["a.sls", "b.pyc", "d/sub/c"];
      for (const path of all) bed.put(`/srv/salt/${path}`, path);
      assert.deepEqual(await list(bed), want);
      for (const path of all) {
        const { dest } = await ask(bed, "_serve_file", { saltenv: "base", path, loc: 0 }) as { dest: string };
        assert.equal(dest, want.includes(path) ? path : "", path);
      }
    });
  }

  test("an invalid regular expression is named", () => {
    assert.throws(() => serverBed({ file_ignore_regex: ["(a"] }), (error: unknown) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, /"\(a" of file_ignore_regex/);
      return true;
    });
  });

  test("the error about an unknown backend names it, and the known ones", () => {
    assert.throws(() => serverBed({ fileserver_backend: ["roots", "hgfs"] }), (error: unknown) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, /"hgfs".*expected roots, gitfs/);
      return true;
    });
    const { server } = serverBed();
    assert.throws(() => server.backends("minionfs"), /"minionfs": configured are roots/);
    assert.deepEqual(server.backends("-roots"), []);
    assert.deepEqual(server.backends(["roots"]).map(({ name }) => name), ["roots"]);
  });

  test("the error about an unknown hash names it, and the known ones", () => {
    assert.throws(() => serverBed({ hash_type: "sha3" }), /"sha3": expected one of md5, .*sha512/);
  });

  describe("links", () => {
    const linked = (opts: Partial<FileServerOpts> = {}) => {
      const bed = serverBed(opts);
      const { fs } = bed.runtime;
      bed.put("/srv/salt/dir/file", "x");
      bed.put("/outside/secret", "s3cret");
      fs.symlink("dir", "/srv/salt/inside");
      fs.symlink("dir/file", "/srv/salt/name");
      fs.symlink("/outside", "/srv/salt/outside");
      fs.symlink("nowhere", "/srv/salt/dangling");
      fs.symlink("..", "/srv/salt/dir/up");
      return bed;
    };
    const links = (bed: ServerBed) => ask(bed, "_symlink_list", { saltenv: "base" });

    test("are followed, out of a root as well if an operator has made them", async () => {
      const bed = linked();
      assert.deepEqual(await list(bed), ["dir/file", "inside/file", "name", "outside/secret"]);
      assert.deepEqual(await links(bed), { "dir/up": "..", inside: "dir", "inside/up": "..", name: "dir/file" });
      const found = await ask(bed, "_file_find", { path: "outside/secret" }) as { path: string };
      assert.equal(found.path, "/srv/salt/outside/secret");
    });

    test("that another user can have made are not followed out of a root, which is said once", async () => {
      const bed = linked();
      const { fs } = bed.runtime;
      const said = () => bed.captured.records.filter(({ message }) => message.startsWith("file not served"));
      // In a directory of root, a link may belong to anybody: nobody else can have put it there.
      fs.chown("/srv/salt/outside", 1000, 1000, { follow: false });
      assert.ok((await list(bed) as string[]).includes("outside/secret"));
      fs.chown("/srv/salt", 1000, 1000);
      bed.server.forgetLists(undefined);
      assert.deepEqual(await list(bed), ["dir/file", "inside/file", "name"]);
      for (let times = 0; times < 2; times++) {
        assert.deepEqual(await ask(bed, "_file_find", { path: "outside/secret" }), { path: "", rel: "" });
      }
      assert.deepEqual(said().map(({ fields }) => [fields.path, fields.link, fields.user, fields.remedy]), [
        ["/srv/salt/outside", "/srv/salt/outside", 1000, "chown -h root /srv/salt/outside"],
        ["/srv/salt/outside/secret", "/srv/salt/outside", 1000, "chown -h root /srv/salt/outside"],
      ]);
      // What it leads to is that user's own: it could be a plain file as well.
      fs.chown("/outside", 1000, 1000);
      bed.server.forgetLists(undefined);
      assert.ok((await list(bed) as string[]).includes("outside/secret"));
    });

    for (
      const [whose, mode, wanted] of [
        ["that only we can exchange are seen after two milliseconds", 0o755, "dir/file"],
        ["that others can exchange are seen at once", 0o777, ""],
      ] as const
    ) {
      test(`in the place of directories ${whose}`, async () => {
        const bed = linked({ fileserver_followsymlinks: false });
        const { fs } = bed.runtime;
        fs.chmod("/srv/salt", mode);
        const find = async () => (await ask(bed, "_file_find", { path: "dir/file" }) as { rel: string }).rel;
        assert.equal(await find(), "dir/file");
        fs.remove("/srv/salt/dir", { recursive: true });
        fs.symlink("/outside", "/srv/salt/dir");
        bed.put("/outside/file", "s3cret");
        assert.equal(await find(), wanted);
        bed.clock.advance(2);
        assert.equal(await find(), "");
      });
    }

    test("are not followed into directories without fileserver_followsymlinks", async () => {
      const bed = linked({ fileserver_followsymlinks: false });
      assert.deepEqual(await list(bed), ["dir/file", "name"]);
      assert.deepEqual(Object.keys(await links(bed) as object).sort(), [
        "dangling",
        "dir/up",
        "inside",
        "name",
        "outside",
      ]);
      assert.deepEqual(await ask(bed, "_file_find", { path: "outside/secret" }), { path: "", rel: "" });
      assert.ok(bed.captured.records.some(({ message }) => message === "file not served: it lies outside its root"));
    });

    test("are left out with fileserver_ignoresymlinks", async () => {
      const bed = linked({ fileserver_ignoresymlinks: true });
      assert.deepEqual(await list(bed), ["dir/file"]);
      assert.deepEqual(await links(bed), {});
    });
  });

  test("fileserver_limit_traversal leaves out directories without SLS files that are not Salt's own", async () => {
    const bed = serverBed({ fileserver_limit_traversal: true });
    for (const path of ["top.sls", "web/init.sls", "web/conf", "data/large", "_modules/deep/a.ts"]) {
      bed.put(`/srv/salt/${path}`, "");
    }
    assert.deepEqual(await list(bed), ["_modules/deep/a.ts", "top.sls", "web/conf", "web/init.sls"]);
    assert.deepEqual(await ask(bed, "_dir_list", { saltenv: "base" }), ["_modules", "_modules/deep", "data", "web"]);
  });

  test("lists directories, empty ones, and by the beginning of their paths", async () => {
    const bed = serverBed();
    bed.put("/srv/salt/sub/a", "");
    bed.put("/srv/salt/submarine", "");
    bed.put("/srv/salt/other/b", "");
    bed.runtime.fs.mkdir("/srv/salt/sub/none");
    assert.deepEqual(await list(bed, "base", { prefix: "/sub/" }), ["sub/a", "submarine"]);
    assert.deepEqual(await ask(bed, "_dir_list", { saltenv: "base", prefix: "sub" }), ["sub", "sub/none"]);
    assert.deepEqual(await ask(bed, "_file_list_emptydirs", { saltenv: "base" }), ["sub/none"]);
    assert.deepEqual(await list(bed, "base", { fsbackend: "gitfs" }), []);
  });

  describe("__env__", () => {
    const dynamic = () => {
      const bed = serverBed({ file_roots: { base: ["/srv/salt"], __env__: ["/env/__env__/files"] } });
      bed.put("/env/dev/files/a", "dev");
      bed.put("/env/secret", "s3cret");
      bed.put("/srv/salt/b", "");
      return bed;
    };

    test("stands for every environment that is not named", async () => {
      const bed = dynamic();
      assert.deepEqual(await list(bed, "dev"), ["a"]);
      assert.deepEqual(await list(bed, "base"), ["b"]);
      assert.deepEqual(await list(bed, "none"), []);
      assert.deepEqual(ask(bed, "_file_envs", {}), ["base", "__env__"]);
    });

    test("refuses names that lead out of it, and writes nothing for unknown names", async () => {
      const bed = dynamic();
      bed.runtime.fs.mkdir("/env/files");
      bed.put("/files/leak", "leak");
      for (const saltenv of ["..", ".", "", "/", "../..", "dev/../..", "dev/", "a\0b", "x".repeat(300)]) {
        assert.deepEqual(await list(bed, saltenv), [], saltenv);
        assert.deepEqual(await ask(bed, "_file_find", { path: "leak", saltenv }), { path: "", rel: "" }, saltenv);
      }
      await list(bed, "none");
      assert.equal(bed.runtime.fs.stat("/cache/file_lists/roots/none.p"), undefined);
    });
  });

  describe("listings", () => {
    test("are good for fileserver_list_cache_time, or until they are deleted", async () => {
      const bed = serverBed();
      bed.put("/srv/salt/a", "");
      assert.deepEqual(await list(bed), ["a"]);
      bed.put("/srv/salt/b", "");
      bed.clock.advance(19_000);
      assert.deepEqual(await list(bed), ["a"]);
      bed.clock.advance(1_001);
      assert.deepEqual(await list(bed), ["a", "b"]);
      bed.put("/srv/salt/c", "");
      assert.deepEqual(bed.server.forgetLists(["dev"]), {});
      assert.deepEqual(await list(bed), ["a", "b"]);
      assert.deepEqual(bed.server.forgetLists(undefined), { roots: ["base"] });
      assert.deepEqual(await list(bed), ["a", "b", "c"]);
    });

    test("are read from the disk, where another process of Salt's may have put them, and made again if they are invalid", async () => {
      const bed = serverBed();
      bed.put("/srv/salt/a", "");
      await list(bed);
      const second = serverBed();
      const path = "/cache/file_lists/roots/base.p";
      second.put(path, bed.runtime.fs.read(path));
      assert.deepEqual(await list(second), ["a"]);
      second.put(path, "nonsense");
      assert.deepEqual(await list(second), []);
    });
  });

  describe("_serve_file", () => {
    const text = new TextEncoder();

    test("returns file_buffer_size bytes from the offset, and none at the end", async () => {
      const bed = serverBed();
      bed.put("/srv/salt/f", "0123456789abcdefXYZ");
      const at = (loc: number) => ask(bed, "_serve_file", { saltenv: "base", path: "f", loc });
      assert.deepEqual(await at(0), { data: text.encode("0123456789abcdef"), dest: "f" });
      assert.deepEqual(await at(16), { data: text.encode("XYZ"), dest: "f" });
      assert.deepEqual(await at(19), { data: new Uint8Array(0), dest: "f" });
    });

    test("compresses on request", async () => {
      const bed = serverBed({ file_buffer_size: 1000 });
      bed.put("/srv/salt/f", "x".repeat(900));
      const reply = await ask(bed, "_serve_file", { saltenv: "base", path: "f", loc: 0, gzip: 9 });
      const { data, gzip } = reply as { data: Uint8Array<ArrayBuffer>; gzip: number };
      assert.equal(gzip, 9);
      assert.ok(data.length < 100);
      const plain = new Response(new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip")));
      assert.equal(await plain.text(), "x".repeat(900));
    });

    test("reports to a client that sends a version that the file has changed, with no data of the new one", async () => {
      const bed = serverBed();
      bed.put("/srv/salt/f", "0123456789abcdefXYZ");
      const at = (loc: number, version: string) =>
        ask(bed, "_serve_file", { saltenv: "base", path: "f", loc, version }) as Promise<
          { data: unknown; version: string }
        >;
      const first = await at(0, "");
      assert.deepEqual(await at(16, first.version), { data: text.encode("XYZ"), dest: "f", version: first.version });
      bed.put("/srv/salt/f", "another content now");
      const changed = await at(16, first.version);
      assert.equal(changed.data, "");
      assert.notEqual(changed.version, first.version);
    });
  });

  describe("_file_hash", () => {
    const hash = (bed: ServerBed) => ask(bed, "_file_hash", { saltenv: "base", path: "f" });
    const want = (bed: ServerBed, content: string) => ({
      hash_type: "sha256",
      hsum: hex(bed.runtime.crypto.hash("sha256", new TextEncoder().encode(content))),
    });
    const counting = (bed: ServerBed) => {
      let reads = 0;
      const { readAt } = bed.runtime.fs;
      bed.runtime.fs.readAt = (...args) => {
        reads++;
        return readAt(...args);
      };
      return () => reads;
    };

    test("is computed once for all requests, and again when the file has changed", async () => {
      const bed = serverBed();
      bed.put("/srv/salt/f", "one");
      bed.clock.advance(10_000);
      const reads = counting(bed);
      assert.deepEqual(await Promise.all([hash(bed), hash(bed)]), [want(bed, "one"), want(bed, "one")]);
      assert.deepEqual(await hash(bed), want(bed, "one"));
      assert.equal(reads(), 1);
      bed.put("/srv/salt/f", "two");
      assert.deepEqual(await hash(bed), want(bed, "two"));
      assert.equal(reads(), 2);
    });

    test("is not cached for a file that was changed just now: a second change might not show in its times", async () => {
      const bed = serverBed();
      bed.put("/srv/salt/f", "one");
      const reads = counting(bed);
      await hash(bed);
      await hash(bed);
      assert.equal(reads(), 2);
    });

    test("begins again when the file changes meanwhile", async () => {
      const bed = serverBed();
      bed.put("/srv/salt/f", "one");
      const { readAt } = bed.runtime.fs;
      bed.runtime.fs.readAt = (...args) => {
        bed.runtime.fs.readAt = readAt;
        const piece = readAt(...args);
        bed.put("/srv/salt/f", "two");
        return piece;
      };
      assert.deepEqual(await hash(bed), want(bed, "two"));
    });
  });

  test("update returns the changes since the last one, and fires them on the bus with fileserver_events", async () => {
    const bed = serverBed({ fileserver_events: true });
    for (const name of ["same", "changed", "removed"]) bed.put(`/srv/salt/${name}`, name);
    assert.deepEqual((await bed.server.update())[0]!.files!.added.length, 3);
    assert.equal((await bed.server.update())[0]!.changed, false);
    bed.put("/srv/salt/changed", "again");
    bed.put("/srv/salt/added", "");
    bed.runtime.fs.remove("/srv/salt/removed");
    const want = {
      changed: true,
      files: { changed: ["/srv/salt/changed"], removed: ["/srv/salt/removed"], added: ["/srv/salt/added"] },
      backend: "roots",
    };
    assert.deepEqual(await bed.server.update("roots"), [want]);
    assert.deepEqual(bed.events.at(-1), { tag: "salt/fileserver/roots/update", data: want });
    const quiet = serverBed();
    await quiet.server.update();
    assert.deepEqual(quiet.events, []);
  });
});

describe("salt:// URLs", () => {
  for (
    const [url, want] of [
      ["salt://a/b", { path: "a/b" }],
      ["salt://a?saltenv=dev", { path: "a", saltenv: "dev" }],
      ["salt://|a?saltenv=dev", { path: "|a?saltenv=dev" }],
      ["salt://a?b", { path: "a?b" }],
      ["/a", undefined],
      ["http://salt://a", undefined],
    ] as const
  ) test(`parse: ${url}`, () => assert.deepEqual(parseSaltUrl(url), want));

  test("a question mark in a name is escaped", () => {
    assert.equal(saltUrl("a/b c"), "salt://a/b c");
    assert.equal(saltUrl("what?"), "salt://|what?");
  });
});
