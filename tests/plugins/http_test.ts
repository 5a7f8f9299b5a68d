import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { parseXml, xmlToMap } from "../../src/plugins/xml.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { kwargs, testMinion } from "../support/context.ts";
import { rawServer, whole } from "../support/raw_server.ts";
import { withServer } from "./salt_calls/scenario.ts";
import { inTemporary } from "./temporary.ts";

test("http.query sends a test request to another address if the options say so", async () => {
  await withServer(async ({ open }) => {
    const minion = await testMinion();
    const got = await minion.value("http.query", `${open}/none`, kwargs({ test: true, test_url: `${open}/text` }));
    assert.deepEqual(got, { test: true, body: "héllo\n" });
  });
});

test("http.query uses the proxy of the options, and refuses one that it cannot use", async () => {
  const { net } = await currentRuntime();
  await using proxy = await rawServer(net, () => whole("from the proxy"));
  const opts = { proxy_host: "127.0.0.1", proxy_port: proxy.port };
  const minion = await testMinion({ opts });
  assert.deepEqual(await minion.value("http.query", "http://ann:pw@web.invalid/x"), { body: "from the proxy" });
  assert.match(proxy.heads[0]!, /^GET http:\/\/web\.invalid\/x HTTP[^]*\r\nauthorization: Basic YW5uOnB3\r\n/i);
  const other = await testMinion();
  assert.deepEqual(await other.value("http.query", "http://web.invalid/x", kwargs({ opts })), {
    body: "from the proxy",
  });
  for (
    const [given, want] of [
      [{ opts: { proxy_host: "proxy" } }, /proxy_host "proxy": proxy_port is undefined/],
      [{ proxy_host: "proxy" }, /argument proxy_host: set the option/],
    ] as const
  ) await assert.rejects(other.value("http.query", "http://web.invalid/x", kwargs(given)), want);
});

describe("http.query takes no more than it may", () => {
  const zeros = gzipSync(new Uint8Array(100_000));
  for (
    const { name, pieces, want } of [
      {
        name: "of a long body",
        pieces: [`HTTP/1.1 200 OK\r\n\r\n${"x".repeat(2000)}`],
        want: /more than 1000 bytes: http_max_body/,
      },
      {
        name: "of a body that gets long when it is decompressed",
        pieces: ["HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", zeros],
        want: /more than 1000 bytes: http_max_body/,
      },
      {
        name: "and nothing cut",
        pieces: ["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"],
        want: /^HTTP 599: Connection closed$/,
      },
    ]
  ) {
    test(name, async () => {
      const { net } = await currentRuntime();
      await using server = await rawServer(net, () => ({ pieces }));
      const minion = await testMinion({ opts: { http_max_body: 1000 } });
      const got = await minion.value("http.query", `http://127.0.0.1:${server.port}/`) as { error: string };
      assert.match(got.error, want);
      assert.equal("body" in got, false);
    });
  }

  test("and ends a response that comes too slowly", async () => {
    const { net } = await currentRuntime();
    await using server = await rawServer(net, () => ({ pieces: ["HTTP/1.1 200 OK\r\n\r\nx"], stays: true }));
    const minion = await testMinion({ opts: { http_request_timeout: 0.2 } });
    assert.deepEqual(await minion.value("http.query", `http://127.0.0.1:${server.port}/`), {
      status: 599,
      error: "HTTP 599: Timeout during request after 0.2 seconds",
    });
  });
});

test("pip gets the proxy of the minion in its environment, unless the call says otherwise", async () => {
  const runtime = await currentRuntime();
  await inTemporary(runtime, async (directory) => {
    const program = `${directory}/pip`;
    runtime.fs.write(program, '#!/bin/sh\necho "$PIP_PROXY $*" | grep -o "^[^ ]*\\|--proxy [^ ]*"\n', { mode: 0o755 });
    const opts = { proxy_host: "proxy", proxy_port: 3128, proxy_username: "ann", proxy_password: "p@" };
    const minion = await testMinion({ opts });
    for (
      const [given, want] of [
        [{}, "http://ann:p%40@proxy:3128"],
        [{ proxy: false }, ""],
        [{ proxy: "other:80" }, "--proxy other:80"],
      ] as const
    ) {
      const call = kwargs({ bin_env: program, pkgs: "x", ...given });
      assert.equal((await minion.value("pip.install", call) as { stdout: string }).stdout.trim(), want);
    }
  });
});

test("http.query returns the headers of the response on request", async () => {
  await withServer(async ({ open }) => {
    const minion = await testMinion();
    const got = await minion.value("http.query", `${open}/json`, kwargs({ headers: true })) as {
      headers: Record<string, string>;
    };
    assert.equal(got.headers["Content-Type"], "application/json");
  });
});

test("http.query ends with its job", async () => {
  await withServer(async ({ open }) => {
    const minion = await testMinion();
    const killed = new AbortController();
    const reason = new Error("killed");
    const job = minion.run("http.query", [`${open}/never`], { signal: killed.signal });
    killed.abort(reason);
    await assert.rejects(job, reason);
  });
});

test("http.wait_for_successful_query repeats until there is an answer", async () => {
  const minion = await testMinion();
  await withServer(async ({ open, closed }) => {
    const none = await minion.value(
      "http.wait_for_successful_query",
      `${closed}/`,
      kwargs({ wait_for: 0, request_interval: 0.001 }),
    );
    assert.deepEqual(none, { error: "[Errno 111] Connection refused" });
    assert.deepEqual(await minion.value("http.wait_for_successful_query", `${open}/text`), { body: "héllo\n" });
  });
});

for (
  const { text, want } of [
    { text: "<a>x</a>", want: { a: "x" } },
    { text: "<?xml version='1.0'?><!-- c --><n:a xmlns:n='u'><n:b/></n:a>", want: { b: null } },
    { text: "<a><b>1</b><b>2</b></a>", want: { b: ["1", { b: "2" }] } },
    { text: "<a><![CDATA[<&>]]>&#233;&#x41;&lt;</a>", want: { a: "<&>éA<" } },
    { text: "<a k=\">\"><b k='/'>x</b></a>", want: { b: "x" } },
  ]
) test(`xmlToMap(): ${text}`, () => assert.deepEqual(xmlToMap(parseXml(text)), want));

for (const text of ["", "text", "<a>", "<a></b>", "<a/><b/>", "</a>", `${"<a>".repeat(300)}${"</a>".repeat(300)}`]) {
  test(`parseXml() refuses ${text.slice(0, 12)}`, () => assert.throws(() => parseXml(text), SyntaxError));
}
