import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parseInput } from "../../src/model/job/args.ts";
import { type TestMinion, testMinion } from "../support/context.ts";
import { inTemporary } from "./temporary.ts";

interface GoldenCase {
  argv: string[];
  stdout: string;
  stderr: string;
  exit_code: number;
  files?: Record<string, string>;
}

const golden = (name: string) => fileURLToPath(new URL(`../golden/${name}`, import.meta.url));

function optsFor(directory: string, roots: unknown): Record<string, unknown> {
  return {
    id: "alpha",
    cachedir: `${directory}/cache`,
    file_client: "local",
    file_roots: roots,
    fileserver_backend: ["roots"],
    file_ignore_regex: [],
    file_ignore_glob: [],
    fileserver_followsymlinks: true,
    fileserver_ignoresymlinks: false,
    fileserver_limit_traversal: false,
    fileserver_list_cache_time: 20,
    file_buffer_size: 262144,
    hash_type: "sha256",
    saltenv: null,
  };
}

/** Runs `use` with a minion without a master, whose file roots are below a directory of its own. */
async function withMinion(
  use: (minion: TestMinion, directory: string) => Promise<void>,
  roots?: unknown,
): Promise<void> {
  const { runtime } = await testMinion();
  await inTemporary(runtime, async (directory) => {
    runtime.fs.mkdir(`${directory}/srv`);
    runtime.fs.mkdir(`${directory}/cache`);
    await use(await testMinion({ opts: optsFor(directory, roots ?? { base: [`${directory}/srv`] }) }), directory);
  });
}

for (
  const id of [
    "callm-cache-file",
    "callm-cache-file-missing",
    "callm-cp-list",
    "callm-get-file",
    "callm-get-file-str",
    "callm-hash-file",
    "mod-cp-get-file-str",
    "mod-cp-get-url-missing",
    "mod-cp-hash-file",
    "mod-cp-is-cached-missing",
    "mod-cp-list-master",
    "mod-cp-list-master-dirs",
    "mod-cp-list-states",
  ]
) {
  test(`golden: ${id}`, async () => {
    await withMinion(async (minion, directory) => {
      const recorded: GoldenCase = JSON.parse(minion.runtime.fs.readText(golden(`cli/${id}.json`)));
      const fill = (text: string) => text.replaceAll("{MINION_ROOT:alpha}", directory).replaceAll("{WORK}", directory);
      const at = recorded.argv.findIndex((word) => word.startsWith("cp."));
      const [fun, ...words] = recorded.argv.slice(at).map(fill) as [string, ...string[]];
      const { render } = await import("../../src/plugins/outputters/mod.ts");
      const { return: value } = await minion.run(fun, parseInput(words));
      const json = recorded.argv.includes("--out=json");
      const { text } = await render(json ? "json" : "nested", { [json ? "alpha" : "local"]: value }, { color: false });
      assert.equal(`${text}\n`, fill(recorded.stdout));
      const complaints = minion.records.filter(({ level }) => level === "error")
        .map(({ message }) => `[ERROR   ] ${message}\n`);
      if (recorded.argv[1]?.startsWith("{MINION_CONF")) assert.equal(complaints.join(""), recorded.stderr);
      for (const [path, content] of Object.entries(recorded.files ?? {})) {
        assert.equal(minion.runtime.fs.readText(fill(path)), content);
      }
    }, { base: [golden("fixtures/salt")] });
  });
}

describe("cp without a master", () => {
  test("every function has a doc that begins with a sentence", async () => {
    const { module } = await import("../../src/plugins/modules/cp.ts");
    assert.equal(Object.keys(module.functions).length, 24);
    for (const [name, { doc }] of Object.entries(module.functions)) assert.match(doc, /^[A-Z][^\n]+[.:]/, name);
  });

  test("a file that cannot be fetched is an empty text, False or None, as in Salt", async () => {
    await withMinion(async (minion, directory) => {
      const nope = "salt://nope";
      assert.equal(await minion.value("cp.get_file", nope, `${directory}/x`), "");
      assert.equal(await minion.value("cp.get_url", nope, ""), false);
      assert.equal(await minion.value("cp.get_file_str", nope), false);
      assert.deepEqual(await minion.value("cp.cache_files", `${nope},${nope}2`), [false, false]);
      assert.deepEqual(await minion.value("cp.get_dir", nope, directory), []);
      assert.equal(await minion.value("cp.hash_file", nope), "");
      assert.deepEqual(await minion.value("cp.hash_file", "/nope"), {});
      assert.equal(await minion.value("cp.stat_file", nope), null);
      assert.equal(await minion.value("cp.cache_local_file", "/nope"), "");
    });
  });

  test("modes, digests, environments, contents", async () => {
    await withMinion(async (minion, directory) => {
      const { fs } = minion.runtime;
      fs.write(`${directory}/srv/f`, Uint8Array.of(0xff, 0x00), { mode: 0o4750 });
      assert.equal(await minion.value("cp.stat_file", "salt://f"), "4750");
      assert.equal(
        await minion.value("cp.stat_file", `${directory}/srv/f`, { __kwarg__: true, octal: false }),
        0o104750,
      );
      assert.deepEqual(
        Uint8Array.from(await minion.value("cp.get_url", "salt://f", null) as Uint8Array),
        Uint8Array.of(0xff, 0x00),
      );
      fs.write(`${directory}/srv/f`, "zoë");
      assert.equal(await minion.value("cp.get_url", "salt://f", null), "zoë");
      assert.deepEqual(await minion.value("cp.envs"), ["base"]);
      const cached = await minion.value("cp.cache_local_file", `${directory}/srv/f`);
      assert.equal(cached, `${directory}/cache/localfiles${directory}/srv/f`);
      assert.equal(await minion.value("cp.cache_local_file", `${directory}/srv/f`), cached);
      assert.deepEqual(await minion.value("cp.list_minion"), [`${directory}/cache/files/base/f`, cached]);
    });
  });

  test("names and files are rendered with template=jinja, and other engines refused", async () => {
    await withMinion(async (minion, directory) => {
      const { fs } = minion.runtime;
      const given = (values: Record<string, unknown>) => ({ __kwarg__: true, ...values });
      fs.write(`${directory}/srv/f`, "{{ who }} {{ opts.id }} {{ saltenv }}\n");
      const to = `${directory}/to`;
      assert.equal(await minion.value("cp.get_template", "salt://f", to, given({ who: "I" })), to);
      assert.equal(fs.readText(to), "I alpha base\n");
      assert.equal(fs.stat(to)!.mode & 0o777, 0o600);
      fs.write(`${directory}/srv/env`, "{{ env | default('none') }}\n");
      for (const [values, env] of [[{ env: "a" }, "none"], [{ env: "a", context: { env: "b" } }, "b"]] as const) {
        await minion.value("cp.get_template", "salt://env", to, given(values));
        assert.equal(fs.readText(to), `${env}\n`);
      }
      const kept = await minion.value("cp.get_template", "salt://f", "", given({ who: "You" }));
      assert.equal(kept, `${directory}/cache/extrn_files/base/f`);
      assert.equal(fs.readText(String(kept)), "You alpha base\n");
      for (const local of [`${directory}/own`, `file://${directory}/own`, `${directory}/srv/../own`]) {
        fs.write(`${directory}/own`, "{{ who }}\n", { mode: 0o644 });
        const rendered = await minion.value("cp.get_template", local, "", given({ who: "Me" }));
        assert.equal(rendered, `${directory}/cache/extrn_files/base${directory}/own`);
        assert.equal(fs.readText(String(rendered)), "Me\n");
        assert.equal(fs.readText(`${directory}/own`), "{{ who }}\n");
        assert.equal(fs.stat(`${directory}/own`)!.mode & 0o777, 0o644);
      }
      assert.equal(await minion.value("cp.get_template", "salt://none", to), "");
      assert.equal(await minion.value("cp.get_template", "salt://f", `${directory}/no/to`, given({ who: 1 })), "");
      assert.equal(await minion.value("cp.get_template", "salt://f", to, given({ template: "mako" })), "");
      const { return: text } = await minion.run("cp.get_template", ["salt://f", to]);
      assert.match(String(text), /Jinja variable 'who' is undefined; line 1/);
      assert.equal(await minion.value("cp.get_template", "salt://f", to, given({ template: null })), to);
      assert.equal(fs.readText(to), "{{ who }} {{ opts.id }} {{ saltenv }}\n");

      const name = `${directory}/by-{{ opts.id }}`;
      const got = await minion.value("cp.get_file", "salt://{{ 'f' }}", name, given({ template: "jinja" }));
      assert.equal(got, `${directory}/by-alpha`);
      const refused = await minion.run("cp.get_dir", ["salt://f", to, given({ template: "mako" })]);
      assert.match(String(refused.return), /^ERROR: Attempted to render file paths with unavailable engine mako: /);
    });
  });

  test("nothing is pushed", async () => {
    await withMinion(async (minion, directory) => {
      minion.runtime.fs.write(`${directory}/f`, "x");
      assert.equal(await minion.value("cp.push", `${directory}/f`), false);
      for (const path of ["f", "/a/../b", "/nope"]) assert.equal(await minion.value("cp.push", path), false);
    });
  });
});

describe("what salt-cp calls", () => {
  test("cp.recv writes into a directory, to a path, or reports that it is missing", async () => {
    await withMinion(async (minion, directory) => {
      const { fs } = minion.runtime;
      const recv = (files: Record<string, unknown>, dest: string) => minion.value("cp.recv", files, dest);
      const two = { "/src/a": "A", "/src/b": "B" };
      assert.deepEqual(await recv(two, directory), { [`${directory}/a`]: true, [`${directory}/b`]: true });
      assert.equal(fs.readText(`${directory}/b`), "B");
      assert.deepEqual(await recv(two, `${directory}/c`), { [`${directory}/c`]: true });
      assert.equal(fs.readText(`${directory}/c`), "B");
      assert.equal(await recv(two, `${directory}/no/dir/x`), "Destination unavailable");
      assert.deepEqual(await recv({ "/src/x": "A" }, `${directory}/no/x`), { [`${directory}/no/x`]: false });
      assert.deepEqual(await recv({}, directory), {});
      const { return: text } = await minion.run("cp.recv", ["text", directory]);
      assert.match(String(text), /files must be a map of paths and contents, and is text/);
    });
  });

  test("cp.recv_chunked writes, appends, unpacks, sets the mode, and makes directories", async () => {
    await withMinion(async (minion, directory) => {
      const { fs } = minion.runtime;
      const dest = `${directory}/new/f`;
      // As keywords: the text of a chunk may look like one.
      const recv = (chunk: unknown, append = false, compressed = true, mode: number | null = null) =>
        minion.value("cp.recv_chunked", dest, { __kwarg__: true, chunk, append, compressed, mode });
      const packed = await new Response(new Blob(["one "]).stream().pipeThrough(new CompressionStream("gzip"))).bytes();
      assert.equal(await recv(btoa(String.fromCharCode(...packed)), false, true, 0o640), true);
      assert.equal(await recv(btoa("two"), true, false), true);
      assert.equal(fs.readText(dest), "one two");
      assert.equal(fs.stat(dest)!.mode, 0o640);
      assert.equal(await recv(btoa("three"), false, false), true);
      assert.equal(fs.readText(dest), "three");
      assert.equal(await recv(null), "Path exists and is a file");
      assert.equal(await minion.value("cp.recv_chunked", `${directory}/empty/dir`, null), true);
      assert.equal(fs.stat(`${directory}/empty/dir`)!.kind, "directory");
      const below = await minion.run("cp.recv_chunked", [`${dest}/below`, btoa("abc"), false, false]);
      assert.equal(below.retcode, 1);
      assert.match(String(below.return), /not a directory|ENOTDIR|exists/i);
      const bad = await minion.run("cp.recv_chunked", [dest, "no base64!"]);
      assert.match(String(bad.return), /chunk is not base64/);
    });
  });
});

describe("cmd.script", () => {
  const SCRIPT = '#!/bin/sh\necho "ran $1"\n';

  test("runs scripts of the file server, of the requested environment", async () => {
    const { runtime } = await testMinion();
    await inTemporary(runtime, async (directory) => {
      for (const name of ["base", "dev"]) {
        runtime.fs.mkdir(`${directory}/${name}/sub`);
        runtime.fs.write(`${directory}/${name}/sub/x.sh`, SCRIPT.replace("ran", name));
      }
      runtime.fs.mkdir(`${directory}/cache`);
      const minion = await testMinion({
        opts: optsFor(directory, { base: [`${directory}/base`], dev: [`${directory}/dev`] }),
      });
      const stdout = async (...arg: unknown[]) =>
        (await minion.value("cmd.script", ...arg) as { stdout: string }).stdout;
      assert.equal(await stdout("salt://sub/x.sh", "here"), "base here");
      assert.equal(await stdout("salt://sub/x.sh", "here", { __kwarg__: true, saltenv: "dev" }), "dev here");
      assert.equal(await stdout("salt://sub/x.sh?saltenv=dev", "here"), "dev here");
      assert.equal((await minion.run("cmd.script_retcode", ["salt://nope.sh"])).return, 1);
      assert.ok(minion.records.some(({ message }) => message.startsWith("script cannot be cached")));
    });
  });

  test("runs scripts of a web server", async () => {
    const server = createServer((request, response) => {
      response.statusCode = request.url === "/x.sh" ? 200 : 404;
      response.end(request.url === "/x.sh" ? SCRIPT : "");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    try {
      await withMinion(async (minion) => {
        const run = async (path: string) =>
          await minion.value("cmd.script", `http://127.0.0.1:${port}/${path}`, "web") as Record<string, unknown>;
        assert.equal((await run("x.sh")).stdout, "ran web");
        assert.equal((await run("nope")).cache_error, true);
      });
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});
