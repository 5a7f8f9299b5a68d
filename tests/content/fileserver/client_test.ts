import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../../bench/bed/until.ts";
import { FILE_COMMANDS } from "../../../src/content/fileserver/server.ts";
import { FileClient, type FileClientOptions } from "../../../src/content/fileserver/client.ts";
import type { FileRequest } from "../../../src/content/fileserver/file_request.ts";
import type { FileServerOpts } from "../../../src/content/fileserver/roots.ts";
import { hex } from "../../../src/protocol/crypto/hex.ts";
import type { HttpRequest } from "../../../src/runtime/http.ts";
import { ConfigError } from "../../../src/base/errors.ts";
import { CommandExecutionError, SaltInvocationError } from "../../../src/model/loader/family.ts";
import { decode, encode } from "../../../src/protocol/wire/msgpack.ts";
import { type ServerBed, serverBed } from "./bed.ts";

interface ClientBed extends ServerBed {
  client: FileClient;
  /** Commands that were sent, with where they read. */
  sent: string[];
  /** Stands between client and server. */
  between: { request: (load: Record<string, unknown>, next: () => Promise<unknown>) => Promise<unknown> };
  text(path: string): string;
  kind(path: string): string | undefined;
}

function clientBed(more: Partial<FileServerOpts> = {}, options: Partial<FileClientOptions> = {}): ClientBed {
  const bed = serverBed(more);
  const { fs } = bed.runtime;
  const sent: string[] = [];
  const between: ClientBed["between"] = { request: (_load, next) => next() };
  const request: FileRequest = async (load, how) => {
    sent.push(load.loc === undefined ? String(load.cmd) : `${load.cmd} ${load.loc}`);
    const answer = async () => {
      const reply = await FILE_COMMANDS[String(load.cmd)]!(bed.server, load);
      // As it comes over the wire.
      return decode(encode(reply, "wire"), { mode: how?.raw ? "raw" : "wire" });
    };
    return await between.request(load, answer);
  };
  const client = new FileClient({
    runtime: bed.runtime,
    log: bed.captured.log,
    opts: { cachedir: "/cache/minion", hash_type: "sha256", file_buffer_size: 16, saltenv: null },
    request,
    ...options,
  });
  return {
    ...bed,
    client,
    sent,
    between,
    text: (path) => fs.readText(path),
    kind: (path) => fs.stat(path)?.kind,
  };
}

const LONG = "0123456789abcdef".repeat(4) + "rest";

/** No file is left that is not whole. */
function assertNoDrafts(bed: ClientBed, directory: string): void {
  const { fs } = bed.runtime;
  if (bed.kind("/cache/minion/partial") !== undefined) assert.deepEqual(fs.list("/cache/minion/partial"), []);
  assert.deepEqual(fs.list(directory).filter((name) => name.endsWith(".part")), []);
}

describe("FileClient fetch()", () => {
  test("fetches a file piece by piece, checks it, and puts it in its place", async () => {
    const bed = clientBed();
    bed.put("/srv/salt/d/f", LONG);
    bed.runtime.fs.mkdir("/to");
    assert.equal(await bed.client.fetch("salt://d/f", "/to/here"), "/to/here");
    assert.equal(bed.text("/to/here"), LONG);
    assert.equal(bed.runtime.fs.stat("/to/here")!.mode, 0o644);
    // Two are asked for ahead, once it is known how large they are.
    const pieces = [0, 16, 32, 48, 64, 80, 68].map((loc) => `_serve_file ${loc}`);
    assert.deepEqual(bed.sent, ["_file_hash", ...pieces]);
    assertNoDrafts(bed, "/to");
  });

  test("a server that changes the length of its pieces leaves no hole", async () => {
    const bed = clientBed();
    bed.put("/srv/salt/f", LONG);
    bed.between.request = (load, next) => {
      if (load.loc === 32) bed.opts.file_buffer_size = 5;
      return next();
    };
    assert.equal(bed.text((await bed.client.fetch("salt://f", ""))!), LONG);
  });

  test("does not fetch what is there already", async () => {
    const bed = clientBed();
    bed.put("/srv/salt/f", LONG);
    const path = await bed.client.fetch("salt://f", "");
    assert.equal(path, "/cache/minion/files/base/f");
    assert.equal(bed.runtime.fs.stat(path!)!.mode, 0o600);
    bed.sent.length = 0;
    assert.equal(await bed.client.fetch("salt://f", ""), path);
    assert.deepEqual(bed.sent, ["_file_hash"]);
  });

  test("fetches empty files, compressed ones, and those with a question mark in their names", async () => {
    const bed = clientBed({ file_buffer_size: 100 });
    bed.put("/srv/salt/empty", "");
    bed.put("/srv/salt/zeros", "0".repeat(950));
    bed.put("/srv/salt/what?", "?");
    assert.equal(bed.text((await bed.client.fetch("salt://empty", ""))!), "");
    assert.equal(bed.text((await bed.client.fetch("salt://zeros", "", { gzip: 5 }))!), "0".repeat(950));
    assert.equal(await bed.client.fetch("salt://|what?", ""), "/cache/minion/files/base/what?");
  });

  test("takes the environment of the URL before that of the call, and that before the minion's", async () => {
    const roots = { base: ["/srv/base"], dev: ["/srv/dev"], qa: ["/srv/qa"] };
    const bed = clientBed({ file_roots: roots }, {});
    for (const name of Object.keys(roots)) bed.put(`/srv/${name}/f`, name);
    assert.equal(await bed.client.fetch("salt://f?saltenv=dev", "", { saltenv: "qa" }), "/cache/minion/files/dev/f");
    assert.equal(bed.text((await bed.client.fetch("salt://f", "", { saltenv: "qa" }))!), "qa");
    assert.equal(bed.text((await bed.client.fetch("salt://f", ""))!), "base");
  });

  test("into a directory keeps the name; without the directory it is made if asked for", async () => {
    const bed = clientBed();
    bed.put("/srv/salt/d/f", "x");
    bed.runtime.fs.mkdir("/to");
    assert.equal(await bed.client.fetch("salt://d/f", "/to"), "/to/f");
    assert.equal(await bed.client.fetch("salt://d/f", "/no/where"), undefined);
    assert.equal(bed.kind("/no"), undefined);
    assert.equal(await bed.client.fetch("salt://d/f", "/new/", { makedirs: true }), "/new/f");
    assert.equal(await bed.client.fetch("salt://nope", "/to/nope"), undefined);
    assert.equal(bed.kind("/to/nope"), undefined);
  });

  test("keeps mode, owner and links of the file that it replaces", async () => {
    const bed = clientBed();
    const { fs } = bed.runtime;
    bed.put("/srv/salt/f", "new");
    bed.put("/to/file", "old");
    fs.chmod("/to/file", 0o751);
    fs.chown("/to/file", 7, 8);
    fs.symlink("file", "/to/link");
    assert.equal(await bed.client.fetch("salt://f", "/to/link"), "/to/link");
    assert.equal(fs.stat("/to/link", { follow: false })!.kind, "symlink");
    const { mode, uid, gid } = fs.stat("/to/file")!;
    assert.deepEqual([bed.text("/to/file"), mode, uid, gid], ["new", 0o751, 7, 8]);
  });

  test("a file where the cache needs a directory is replaced, and the other way round", async () => {
    const bed = clientBed();
    bed.put("/srv/salt/a", "file");
    await bed.client.fetch("salt://a", "");
    bed.runtime.fs.remove("/srv/salt/a");
    bed.put("/srv/salt/a/b", "below");
    assert.equal(bed.text((await bed.client.fetch("salt://a/b", ""))!), "below");
    bed.runtime.fs.remove("/srv/salt/a", { recursive: true });
    bed.put("/srv/salt/a", "file again");
    assert.equal(bed.text((await bed.client.fetch("salt://a", ""))!), "file again");
  });

  test("continues where it was when replies are lost", async () => {
    const bed = clientBed();
    bed.put("/srv/salt/f", LONG);
    bed.runtime.fs.mkdir("/to");
    let lost = 0;
    bed.between.request = async (load, next) => {
      const reply = await next();
      if (load.loc === 32 && lost++ < 2) throw new Error("No reply within 60000 ms");
      return reply;
    };
    let done = false;
    const fetching = bed.client.fetch("salt://f", "/to/f").finally(() => done = true);
    // Between the tries it waits.
    await until(() => {
      bed.clock.advance(500);
      return done;
    });
    assert.equal(await fetching, "/to/f");
    assert.equal(bed.text("/to/f"), LONG);
    assert.equal(lost, 3);
    assert.deepEqual(bed.sent.filter((one) => one.endsWith(" 0")).length, 1);
  });

  test("fails when the server does not answer, and keeps the file that was there", async () => {
    const bed = clientBed();
    bed.put("/srv/salt/f", LONG);
    bed.put("/to/f", "old");
    bed.between.request = (load, next) => load.loc === 16 ? Promise.reject(new Error("no server")) : next();
    let done = false;
    const fetching = bed.client.fetch("salt://f", "/to/f").finally(() => done = true);
    fetching.catch(() => {});
    await until(() => {
      bed.clock.advance(500);
      return done;
    });
    await assert.rejects(fetching, (error: unknown) => {
      assert.ok(error instanceof CommandExecutionError);
      assert.match(error.message, /did not answer _serve_file: no server/);
      return true;
    });
    assert.equal(bed.text("/to/f"), "old");
    assertNoDrafts(bed, "/to");
  });

  for (const ours of [true, false]) {
    const whose = ours ? "a Brine master" : "real Salt's, which sends no version";

    test(`a file that changes while it is fetched is fetched again: ${whose}`, async () => {
      const bed = clientBed();
      bed.put("/srv/salt/f", LONG);
      bed.runtime.fs.mkdir("/to");
      const other = LONG.toUpperCase();
      let changes = 0;
      bed.between.request = async (load, next) => {
        if (load.loc === 32 && changes++ === 0) bed.put("/srv/salt/f", other);
        if (!ours) delete load.version;
        return await next();
      };
      assert.equal(await bed.client.fetch("salt://f", "/to/f"), "/to/f");
      assert.equal(bed.text("/to/f"), other);
      // A Brine master reports it at once, with the other only the digest shows it.
      const first = bed.sent.slice(0, bed.sent.lastIndexOf("_file_hash"));
      assert.equal(first.includes("_serve_file 68"), !ours);
    });

    test(`a file that keeps changing is an error, and the file that was there stays: ${whose}`, async () => {
      const bed = clientBed();
      bed.put("/srv/salt/f", LONG);
      bed.put("/to/f", "old");
      let changes = 0;
      bed.between.request = async (load, next) => {
        if (load.loc === 32) bed.put("/srv/salt/f", `${LONG}${++changes}`);
        if (!ours) delete load.version;
        return await next();
      };
      await assert.rejects(bed.client.fetch("salt://f", "/to/f"), (error: unknown) => {
        assert.ok(error instanceof CommandExecutionError);
        assert.match(
          error.message,
          /^Cannot fetch "salt:\/\/f": .* 3 times\..*the previous content of "\/to\/f" is unchanged$/,
        );
        return true;
      });
      assert.equal(changes, 3);
      assert.equal(bed.text("/to/f"), "old");
      assertNoDrafts(bed, "/to");
    });
  }

  test("a file that is removed meanwhile is undefined", async () => {
    const bed = clientBed();
    bed.put("/srv/salt/f", LONG);
    bed.between.request = async (load, next) => {
      if (load.loc === 32) bed.runtime.fs.remove("/srv/salt/f");
      return await next();
    };
    assert.equal(await bed.client.fetch("salt://f", ""), undefined);
    assert.equal(bed.client.cached("salt://f"), undefined);
  });

  for (const path of ["../etc/passwd", "a/../../b", "a\0b", "/../../x"]) {
    test(`a path that leads out of the cache is refused even if a master serves it: ${JSON.stringify(path)}`, async () => {
      const bed = clientBed();
      bed.between.request = (load) =>
        Promise.resolve(
          load.cmd === "_file_hash"
            ? { hsum: "00", hash_type: "sha256" }
            : { data: new TextEncoder().encode("evil"), dest: new Uint8Array(0) },
        );
      await assert.rejects(bed.client.fetch(`salt://${path}`, ""), SaltInvocationError);
      for (const saltenv of ["..", "../x", "/etc", "a/../..", "a//b"]) {
        await assert.rejects(bed.client.fetch("salt://f", "", { saltenv }), /Cannot use ".*" as saltenv/);
      }
      assert.deepEqual(bed.runtime.fs.list("/cache").filter((name) => name !== "minion"), []);
    });
  }

  test("only salt:// is fetched from the file server", async () => {
    await assert.rejects(clientBed().client.fetch("/etc/hosts", "/x"), /Unsupported path: \/etc\/hosts/);
  });
});

test("fetchDirectory() fetches what is below a directory, empty ones too, and nothing that only begins like it", async () => {
  const bed = clientBed();
  for (const path of ["top/etc/a", "top/etc/sub/b", "top/etcetera", "top/other"]) bed.put(`/srv/salt/${path}`, path);
  bed.runtime.fs.mkdir("/srv/salt/top/etc/none");
  assert.deepEqual(await bed.client.fetchDirectory("salt://top/etc/", "/to"), [
    "/to/etc/a",
    "/to/etc/none",
    "/to/etc/sub/b",
  ]);
  assert.equal(bed.text("/to/etc/sub/b"), "top/etc/sub/b");
  assert.equal(bed.kind("/to/etc/none"), "directory");
  assert.deepEqual(await bed.client.fetchDirectory("salt://nope", "/to"), []);
});

describe("the cache", () => {
  test("holds the files of a directory that match patterns, a whole environment, and copies of the host's own files", async () => {
    const bed = clientBed();
    for (const path of ["d/a.conf", "d/b.txt", "d/sub/c.conf", "dd"]) bed.put(`/srv/salt/${path}`, path);
    bed.runtime.fs.mkdir("/srv/salt/d/none");
    const base = "/cache/minion/files/base";
    const dir = (options: Record<string, unknown>) => bed.client.cacheDirectory("salt://d", options);
    assert.deepEqual(await dir({ include: "*.conf" }), [`${base}/d/a.conf`, `${base}/d/sub/c.conf`]);
    assert.deepEqual(await dir({ include: "E@conf$", exclude: "E@sub/" }), [`${base}/d/a.conf`]);
    assert.deepEqual(await dir({ exclude: "*conf", includeEmpty: true }), [`${base}/d/b.txt`, `${base}/d/none`]);
    assert.equal((await bed.client.cacheMaster()).length, 4);
    bed.put("/etc/own", "own");
    assert.equal(bed.client.cacheLocal("/etc/own"), "/cache/minion/localfiles/etc/own");
    assert.equal(bed.text("/cache/minion/localfiles/etc/own"), "own");
    assert.deepEqual(
      bed.client.cachedFiles(),
      ["d/a.conf", "d/b.txt", "d/sub/c.conf", "dd"].map((path) => `${base}/${path}`)
        .concat("/cache/minion/localfiles/etc/own"),
    );
    assert.equal(bed.client.cached("salt://d/a.conf"), `${base}/d/a.conf`);
    assert.equal(bed.client.cached("/etc/own"), "/cache/minion/localfiles/etc/own");
    assert.equal(bed.client.cached("salt://nope"), undefined);
    assert.equal(bed.client.cached("salt://../../../etc/own"), undefined);
  });

  for (
    const [url, want] of [
      ["salt://a/b", "/cache/minion/files/base/a/b"],
      ["salt://a?saltenv=dev", "/cache/minion/files/dev/a"],
      ["https://user:pw@host:8443/p/f.txt", "/cache/minion/extrn_files/base/host8443/p/f.txt"],
      ["http://host/p?a=b&c=d", "/cache/minion/extrn_files/base/host/p-a=b&c=d"],
      ["/etc/hosts", "/etc/hosts"],
    ] as const
  ) test(`has a place for ${url}`, () => assert.equal(clientBed().client.cachePath(url), want));

  test("hashes names that are too long for a disk, and refuses those that lead out of it", () => {
    const { client } = clientBed();
    assert.match(
      client.cachePath(`http://host/${"x".repeat(300)}`),
      /^\/cache\/minion\/extrn_files\/base\/host\/[0-9a-f]{64}$/,
    );
    assert.throws(() => client.cachePath("http://host/../../../../etc/x"), SaltInvocationError);
  });

  test("removes parts of files that a crash has left after a day, and none that are younger", async () => {
    const bed = clientBed();
    bed.put("/cache/minion/partial/old", "x");
    bed.clock.advance(80_000_000);
    bed.put("/cache/minion/partial/young", "x");
    bed.clock.advance(8_000_000);
    bed.put("/srv/salt/f", "x");
    await bed.client.fetch("salt://f", "");
    assert.deepEqual(bed.runtime.fs.list("/cache/minion/partial"), ["young"]);
  });
});

test("lists, hashes and stats of the server, and of the host", async () => {
  const bed = clientBed();
  for (const path of ["init.sls", "web/init.sls", "web/conf.sls", "web/data"]) bed.put(`/srv/salt/${path}`, "x");
  bed.runtime.fs.symlink("web", "/srv/salt/www");
  bed.put("/etc/own", "x");
  assert.deepEqual(await bed.client.states(), ["init", "web", "web.conf", "www", "www.conf"]);
  assert.deepEqual(await bed.client.environments(), ["base"]);
  assert.deepEqual(await bed.client.list("directories"), ["web", "www"]);
  assert.deepEqual(await bed.client.links({ prefix: "w" }), { www: "web" });
  const sum = { hsum: hex(bed.runtime.crypto.hash("sha256", new TextEncoder().encode("x"))), hash_type: "sha256" };
  assert.deepEqual(await bed.client.hash("salt://web/data"), sum);
  assert.deepEqual(await bed.client.hash("/etc/own"), sum);
  assert.equal(await bed.client.hash("salt://nope"), undefined);
  assert.equal(await bed.client.hash("/etc/nope"), undefined);
  assert.equal((await bed.client.stat("salt://web/data"))![0], 0o100644);
  assert.equal((await bed.client.stat("/etc/own"))![6], 1);
  assert.equal(await bed.client.stat("salt://nope"), undefined);
});

describe("fetchUrl()", () => {
  interface Web {
    bed: ClientBed;
    asked: { url: string; headers: Record<string, string> }[];
  }
  function web(answer: (url: string, init: HttpRequest) => Response | Promise<Response>): Web {
    const asked: Web["asked"] = [];
    const bed = clientBed({}, {
      fetch: async (url, init) => {
        asked.push({ url, headers: Object.fromEntries(init.headers!) });
        return await answer(url, init);
      },
    });
    bed.runtime.fs.mkdir("/to");
    return { bed, asked };
  }
  const sha256 = (bed: ClientBed, text: string) =>
    hex(bed.runtime.crypto.hash("sha256", new TextEncoder().encode(text)));

  test("returns paths of this host unchanged, and refuses those that are not absolute", async () => {
    const { client } = clientBed();
    assert.equal(await client.fetchUrl("file:///etc/hosts", "/x"), "/etc/hosts");
    assert.equal(await client.fetchUrl("/etc/hosts", ""), "/etc/hosts");
    for (const url of ["etc/hosts", "file://etc/hosts"]) {
      await assert.rejects(client.fetchUrl(url, ""), /^CommandExecutionError: Path 'etc\/hosts' is not absolute$/);
    }
  });

  for (const url of ["ftp://u:secret@host/f", "s3://bucket/f", "swift://x/f", "gopher://x/"]) {
    test(`refuses unsupported URLs, and names those that are supported: ${url}`, async () => {
      await assert.rejects(clientBed().client.fetchUrl(url, ""), (error: unknown) => {
        assert.ok(error instanceof CommandExecutionError);
        assert.match(error.message, /is not supported\. Serve the file under salt:\/\/, http:\/\/ or https:\/\/$/);
        assert.ok(!error.message.includes("secret"));
        return true;
      });
    });
  }

  test("fetches over http into the cache or elsewhere; credentials go into a header, and the name from the URL", async () => {
    const { bed, asked } = web(() => new Response("page"));
    assert.equal(
      await bed.client.fetchUrl("http://ann:p%40ss@host/d/f.txt", ""),
      "/cache/minion/extrn_files/base/host/d/f.txt",
    );
    assert.deepEqual(asked[0], { url: "http://host/d/f.txt", headers: { authorization: `Basic ${btoa("ann:p@ss")}` } });
    assert.equal(await bed.client.fetchUrl("http://host/d/f.txt", "/to"), "/to/f.txt");
    assert.equal(await bed.client.fetchUrl("http://host/", "/to/"), "/to/index.html");
    assert.equal(bed.text("/to/index.html"), "page");
    assert.equal(await bed.client.fetchUrl("http://host/f", "/no/f"), undefined);
    assert.equal(await bed.client.fetchUrl("http://host/f", "/no/f", { makedirs: true }), "/no/f");
    assertNoDrafts(bed, "/to");
  });

  test("checks source_hash, does not fetch a file that has it, and keeps the old copy otherwise", async () => {
    let text = "good";
    const { bed, asked } = web(() => new Response(text));
    const sourceHash = `sha256=${sha256(bed, "good")}`;
    const url = "http://host/f";
    const path = await bed.client.fetchUrl(url, "", { sourceHash });
    assert.equal(await bed.client.fetchUrl(url, "", { sourceHash: sourceHash.toUpperCase().slice(7) }), path);
    assert.equal(asked.length, 1);
    text = "evil";
    const wanted = sha256(bed, "other");
    await assert.rejects(bed.client.fetchUrl(url, "", { sourceHash: wanted }), (error: unknown) => {
      assert.ok(error instanceof CommandExecutionError);
      assert.ok(error.message.includes(wanted) && error.message.includes(sha256(bed, "evil")), error.message);
      return true;
    });
    assert.equal(bed.text(path!), "good");
    for (const bad of ["sha256=xyz", "abc", "https://host/SHA256SUMS"]) {
      await assert.rejects(
        bed.client.fetchUrl(url, "", { sourceHash: bad }),
        /as source_hash: expected the hexadecimal/,
      );
    }
  });

  test("asks by ETag whether a copy is still good", async () => {
    let tag = '"1"';
    const { bed, asked } = web((_url, { headers }) =>
      headers!.get("if-none-match") === tag
        ? new Response(null, { status: 304 })
        : new Response(`content ${tag}`, { headers: { etag: tag } })
    );
    const path = await bed.client.fetchUrl("http://host/f", "", { useEtag: true });
    assert.equal(await bed.client.fetchUrl("http://host/f", "", { useEtag: true }), path);
    assert.equal(asked[1]!.headers["if-none-match"], '"1"');
    tag = '"2"';
    await bed.client.fetchUrl("http://host/f", "", { useEtag: true });
    assert.equal(bed.text(path!), 'content "2"');
  });

  for (
    const { name, answer, want } of [
      {
        name: "a response that is not a success",
        answer: () => new Response("no", { status: 404 }),
        want: /answered 404/,
      },
      {
        name: "an answer that is cut off",
        answer: () => new Response("short", { headers: { "content-length": "10" } }),
        want: /10 bytes were announced and 5 arrived/,
      },
      {
        name: "a part of the file that nobody asked for",
        answer: () => new Response("part", { status: 206, headers: { "content-range": "bytes 0-3/9" } }),
        want: /answered 206 with a part of the file, without a request for a part/,
      },
      {
        name: "304 without a copy",
        answer: () => new Response(null, { status: 304 }),
        want: /answered 304/,
      },
      {
        name: "a body that breaks off",
        answer: () =>
          new Response(
            new ReadableStream({
              start(controller) {
                controller.enqueue(new TextEncoder().encode("first"));
                controller.error(new Error("aborted"));
              },
            }),
          ),
        want: /aborted/,
      },
      {
        name: "a server that is not there",
        answer: () => Promise.reject(new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") })),
        want: /connect ECONNREFUSED/,
      },
    ]
  ) {
    test(`${name} is an error that says so without the password, and leaves nothing`, async () => {
      const { bed } = web(answer);
      bed.put("/to/f", "old");
      await assert.rejects(bed.client.fetchUrl("http://u:secret@host/f", "/to/f"), (error: unknown) => {
        assert.ok(error instanceof CommandExecutionError);
        assert.match(error.message, want);
        assert.ok(!error.message.includes("secret"));
        return true;
      });
      assert.equal(bed.text("/to/f"), "old");
      assertNoDrafts(bed, "/to");
    });
  }

  test("a server that does not answer in time is an error", async () => {
    const bed = clientBed({}, {
      opts: { cachedir: "/cache/minion", http_request_timeout: 0.01 },
      fetch: (_url, { signal }) =>
        new Promise((_, reject) => signal!.addEventListener("abort", () => reject(signal!.reason), { once: true })),
    });
    await assert.rejects(
      bed.client.fetchUrl("http://host/f", ""),
      /not complete within 0\.01 s: raise http_request_timeout/,
    );
  });

  for (const announced of [true, false]) {
    test(`a file larger than http_max_body is not taken, ${announced ? "nor begun" : "and its connection ends"}`, async () => {
      let left = false;
      let pieces = 0;
      const body = () =>
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(++pieces && 100)),
          cancel: () => void (left = true),
        });
      const bed = clientBed({}, {
        opts: { cachedir: "/cache/minion", http_max_body: 1000 },
        fetch: () => Promise.resolve(new Response(body(), { headers: announced ? { "content-length": "1001" } : {} })),
      });
      bed.put("/to/f", "old");
      await assert.rejects(
        bed.client.fetchUrl("http://host/f", "/to/f"),
        /it has (?:1001 bytes|more), and http_max_body is 1000: raise it/,
      );
      assert.ok(left && pieces < 20, `${pieces} pieces`);
      assert.equal(bed.text("/to/f"), "old");
      assertNoDrafts(bed, "/to");
    });
  }

  for (
    const { opts, url, want } of [
      { opts: {}, url: "http://web/f", want: "web" },
      { opts: { proxy_host: "proxy", proxy_port: 3128 }, url: "http://web/f", want: "proxy:3128 for web" },
      { opts: { proxy_host: "proxy", proxy_port: 3128, no_proxy: ["web"] }, url: "http://web/f", want: "web" },
    ]
  ) {
    test(`asks ${want}, with ${JSON.stringify(opts)}`, async () => {
      const bed = clientBed({}, { opts: { cachedir: "/cache/minion", ...opts } });
      bed.runtime.http.request = (address, { proxy }) => {
        const { host } = new URL(address);
        return Promise.resolve(new Response(proxy === undefined ? host : `${proxy.host}:${proxy.port} for ${host}`));
      };
      assert.equal(bed.text((await bed.client.fetchUrl(url, ""))!), want);
    });
  }

  test("goes from https to http for a file with a source_hash alone", async () => {
    const bed = clientBed({}, { opts: { cachedir: "/cache/minion" } });
    bed.runtime.http.request = (address) =>
      Promise.resolve(
        address.startsWith("https:")
          ? new Response(null, { status: 302, headers: { location: "http://mirror/f" } })
          : new Response("good"),
      );
    await assert.rejects(bed.client.fetchUrl("https://web/f", ""), /from https to http:\/\/mirror/);
    const sourceHash = `sha256=${sha256(bed, "good")}`;
    assert.equal(bed.text((await bed.client.fetchUrl("https://web/f", "", { sourceHash }))!), "good");
  });

  test("read() returns the content", async () => {
    const { bed } = web(() => new Response("page"));
    bed.put("/srv/salt/f", "salt");
    const text = async (url: string) => new TextDecoder().decode(await bed.client.read(url));
    assert.deepEqual([await text("http://host/f"), await text("salt://f")], ["page", "salt"]);
    assert.equal(await bed.client.read("salt://nope"), undefined);
  });
});

test("push() sends a file in pieces, an empty one in one, and logs why a master may refuse it", async () => {
  const got: [unknown, number, string][] = [];
  let takes = true;
  const bed = clientBed({}, {
    request: (load) => {
      got.push([load.path, load.loc as number, new TextDecoder().decode(load.data as Uint8Array)]);
      return Promise.resolve(takes);
    },
  });
  bed.put("/etc/f", "0123456789abcdefXYZ");
  bed.put("/etc/empty", "");
  assert.equal(await bed.client.push("/etc/f", ["etc", "f"]), true);
  assert.equal(await bed.client.push("/etc/empty", ["e"]), true);
  assert.deepEqual(got, [[["etc", "f"], 0, "0123456789abcdef"], [["etc", "f"], 16, "XYZ"], [["e"], 0, ""]]);
  takes = false;
  assert.equal(await bed.client.push("/etc/f", ["f"]), false);
  assert.match(bed.captured.complaints().at(-1)!, /file_recv: True/);
});

describe("FileClient without a cachedir", () => {
  for (const cachedir of [undefined, null, "", "relative"]) {
    test(`${JSON.stringify(cachedir)}: caching is refused, and no directory of that name is made`, async () => {
      const bed = clientBed();
      const client = new FileClient({
        runtime: bed.runtime,
        log: bed.captured.log,
        opts: { cachedir, hash_type: "sha256", saltenv: null },
        request: async (load, how) =>
          decode(encode(await FILE_COMMANDS[String(load.cmd)]!(bed.server, load), "wire"), {
            mode: how?.raw ? "raw" : "wire",
          }),
      });
      bed.put("/srv/salt/f", LONG);
      bed.runtime.fs.mkdir("/to");
      const refused = (error: unknown) => error instanceof ConfigError && error.message.includes(`"${cachedir}"`);
      await assert.rejects(client.fetch("salt://f", ""), refused);
      assert.throws(() => client.cacheLocal("/srv/salt/f"), refused);
      assert.equal(bed.kind(`${cachedir}`), undefined);
      if (cachedir === undefined) {
        assert.equal(await client.fetch("salt://f", "/to/f"), "/to/f");
        assert.equal(bed.text("/to/f"), LONG);
      }
    });
  }
});
