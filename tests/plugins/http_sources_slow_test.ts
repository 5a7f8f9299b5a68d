/** Files from web servers that compress, redirect, break off and have certificates of their own: the bytes are those that were served. */
import assert from "node:assert/strict";
import { createServer as plainServer, type RequestListener, type Server } from "node:http";
import { createServer as tlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { brotliCompressSync, deflateRawSync, gzipSync } from "node:zlib";
import { hex } from "../../src/protocol/crypto/hex.ts";
import { states as file } from "../../src/plugins/states/file.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { Authority } from "../support/certificates.ts";
import { kwargs, testMinion } from "../support/context.ts";
import { stateMinion } from "../support/state_job.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();
const PLAIN = new TextEncoder().encode("hello world\n".repeat(200));
const BODIES: Record<string, { encoding: string; bytes: Uint8Array }> = {
  gzip: { encoding: "gzip", bytes: gzipSync(PLAIN) },
  deflate: { encoding: "deflate", bytes: deflateRawSync(PLAIN) },
  br: { encoding: "br", bytes: brotliCompressSync(PLAIN) },
  chunked: { encoding: "", bytes: PLAIN },
};

let other = "";
/** What the second server was asked with. */
let asked: Record<string, unknown> = {};

const answer: RequestListener = (request, response) => {
  const [path = "", query = ""] = (request.url ?? "").slice(1).split("?");
  if (path in BODIES) {
    const { encoding, bytes } = BODIES[path]!;
    response.writeHead(200, {
      ...(encoding === "" ? {} : { "content-encoding": encoding, "content-length": bytes.length }),
    });
    return void response.end(bytes);
  }
  if (/^30[12378]$/.test(path)) {
    return void response.writeHead(Number(path), { location: "/plain/sp%20ace?a=b c" }).end("moved");
  }
  if (path === "loop") return void response.writeHead(302, { location: `loop?${Number(query) + 1}` }).end();
  if (path === "away") return void response.writeHead(302, { location: `${other}/plain` }).end();
  if (path === "file") return void response.writeHead(302, { location: "file:///etc/passwd" }).end();
  if (path === "part") {
    response.writeHead(206, { "content-range": `bytes 0-2/${PLAIN.length}` });
    return void response.end("abc");
  }
  if (path === "short") {
    response.writeHead(200, { "content-length": "5000" }).write("abc");
    return void response.socket?.end();
  }
  if (/^[245]\d\d$/.test(path)) return void response.writeHead(Number(path)).end();
  asked = { url: request.url, method: request.method, ...request.headers };
  response.end(PLAIN);
};

const servers: Server[] = [];
let [http, https, trusted] = ["", "", ""];
before(async () => {
  using authority = new Authority();
  const { certificate: cert, key } = authority.sign("server");
  trusted = authority.pem;
  for (const server of [plainServer(answer), plainServer(answer), tlsServer({ cert, key }, answer)]) {
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    servers.push(server);
  }
  const [first, second, third] = servers.map((server) => (server.address() as AddressInfo).port);
  [http, other, https] = [`http://127.0.0.1:${first}`, `http://127.0.0.1:${second}`, `https://127.0.0.1:${third}`];
});
after(() => servers.forEach((server) => server.close()));

const withMinion = (
  use: (call: (fun: string, ...args: unknown[]) => Promise<unknown>, directory: string) => Promise<void>,
) =>
  inTemporary(runtime, async (directory) => {
    const minion = await testMinion({ opts: { cachedir: `${directory}/cache` } });
    await use((fun, ...args) => minion.value(fun, ...args), directory);
  });

for (const [name, { bytes }] of Object.entries(BODIES)) {
  test(`a file that is served as ${name} is kept as it was served, and has its checksum`, async () => {
    await withMinion(async (call) => {
      const path = await call(
        "cp.cache_file",
        `${http}/${name}`,
        kwargs({ source_hash: hex(runtime.crypto.hash("sha256", bytes)) }),
      );
      assert.deepEqual(new Uint8Array(runtime.fs.read(String(path))), new Uint8Array(bytes));
    });
  });
}

test("http.query undoes gzip and deflate", async () => {
  await withMinion(async (call) => {
    for (const name of ["gzip", "deflate"]) {
      assert.deepEqual(await call("http.query", `${http}/${name}`, kwargs({ text: true })), {
        body: new TextDecoder().decode(PLAIN),
        text: new TextDecoder().decode(PLAIN),
      });
    }
  });
});

for (const status of [301, 302, 303, 307, 308]) {
  test(`a redirection with ${status} is followed`, async () => {
    await withMinion(async (call) => {
      const path = await call("cp.get_url", `${http}/${status}`, null);
      assert.equal(path, new TextDecoder().decode(PLAIN));
      assert.equal(asked.url, "/plain/sp%20ace?a=b%20c");
      await call("http.query", `${http}/${status}`, kwargs({ method: "POST", data: "x=1" }));
      assert.equal(asked.method, status === 302 || status === 303 ? "GET" : "POST");
    });
  });
}

test("credentials of an address go to its server, and to no other that it redirects to", async () => {
  await withMinion(async (call) => {
    await call("cp.cache_file", `${http.replace("//", "//ann:p%40ss@")}/plain/x`);
    assert.equal(asked.authorization, `Basic ${btoa("ann:p@ss")}`);
    await call("cp.cache_file", `${http.replace("//", "//ann:p%40ss@")}/away`);
    assert.equal(asked.url, "/plain");
    assert.equal(asked.authorization, undefined);
  });
});

for (
  const [path, want] of [
    ["loop?0", /More than 5 redirections/],
    ["file", /Cannot follow a redirection to file:\/\//],
    ["short", /the connection closed before the end of the body/],
    ["404", /answered 404/],
    ["500", /answered 500/],
  ] as const
) {
  test(`cp.cache_file of ${path} fails, and leaves nothing`, async () => {
    await withMinion(async (call) => {
      await assert.rejects(call("cp.cache_file", `${http}/${path}`), want);
      assert.equal(await call("cp.is_cached", `${http}/${path}`), "");
    });
  });
}

for (const path of ["short", "part", "404"]) {
  test(`file.managed and file.cached of ${path} fail, and leave what is there`, async () => {
    await inTemporary(runtime, async (directory) => {
      const opts = { cachedir: `${directory}/cache` };
      const { state } = await stateMinion({}, { file }, { opts });
      const name = `${directory}/file`;
      runtime.fs.write(name, "good");
      const source = `${http}/${path}`;
      const managed = await state("file.managed", { name, source, skip_verify: true });
      assert.deepEqual([managed.result, managed.changes, runtime.fs.readText(name)], [false, {}, "good"]);
      // archive.extracted fetches by this state.
      const cached = await state("file.cached", { name: source, skip_verify: true });
      assert.deepEqual([cached.result, cached.changes, runtime.fs.list(`${directory}/cache/partial`)], [false, {}, []]);
    });
  });
}

test("verify_ssl: False takes any certificate, of files and of http.query; otherwise it is refused", async () => {
  await withMinion(async (call, directory) => {
    await assert.rejects(call("cp.cache_file", `${https}/gzip`), /certificate/i);
    const path = await call("cp.cache_file", `${https}/gzip`, kwargs({ verify_ssl: false }));
    assert.deepEqual(new Uint8Array(runtime.fs.read(String(path))), new Uint8Array(BODIES.gzip!.bytes));
    assert.match(String((await call("http.query", `${https}/x`) as { error: string }).error), /certificate/i);
    runtime.fs.write(`${directory}/ca.pem`, trusted);
    for (const trust of [{ verify_ssl: false }, { ca_bundle: `${directory}/ca.pem` }]) {
      assert.deepEqual(await call("http.query", `${https}/x`, kwargs(trust)), {
        body: new TextDecoder().decode(PLAIN),
      });
    }
  });
});
