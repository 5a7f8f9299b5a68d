import assert from "node:assert/strict";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { pillarBed } from "../../support/pillar.ts";
import { canonical } from "../../support/vectors.ts";

/** A web server for one test: what it is asked is kept. */
async function serve(answer: (request: IncomingMessage) => { status?: number; body: string }) {
  const asked: { url: string; authorization: string | undefined; extra: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const { authorization, "x-extra": extra } = request.headers;
    asked.push({ url: request.url!, authorization, extra: extra as string | undefined });
    const { status = 200, body } = answer(request);
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    asked,
    host: `127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe("http_json and http_yaml", () => {
  test("ask for the minion by id and grain, with user and headers", async () => {
    await using web = await serve(({ url }) => ({ body: url!.includes("json") ? '{"f": 1.0}' : "y: yes\n" }));
    using bed = await pillarBed({
      files: {},
      grains: { site: { dc: "east 1" } },
      opts: {
        ext_pillar: [
          { http_json: { url: `http://${web.host}/json/%s`, username: "ann", password: "ü", namespace: "n" } },
          {
            http_yaml: {
              url: `http://bob:b%20b@${web.host}/yaml?dc=<site:dc>`,
              with_grains: true,
              header_dict: { "X-Extra": "1" },
            },
          },
        ],
      },
    });
    assert.deepEqual(canonical(await bed.compile()), {
      map: [["n", { map: [["f", { float: "1" }]] }], ["y", true]],
    });
    assert.deepEqual(web.asked, [
      { url: "/json/web1", authorization: "Basic YW5uOsO8", extra: undefined },
      { url: "/yaml?dc=east%201", authorization: "Basic Ym9iOmIgYg==", extra: "1" },
    ]);
  });

  for (const dc of ["..", "../admin", "..\\admin", "x?all=1", "x#", "%2e%2e", "a\nb"]) {
    test(`a grain is one segment of the path, or no request is made: ${JSON.stringify(dc)}`, async () => {
      await using web = await serve(() => ({ body: "{}" }));
      using bed = await pillarBed({
        files: {},
        grains: { dc },
        opts: { ext_pillar: [{ http_json: { url: `http://${web.host}/of/<dc>/%s`, with_grains: true } }] },
      });
      assert.match(JSON.stringify(canonical(await bed.compile())), /as a segment of a URL/);
      assert.deepEqual(web.asked, []);
    });
  }

  for (
    const { name, status, body, error } of [
      { name: "a refusal", status: 403, body: "{}", error: /answered 403 Forbidden$/ },
      { name: "not JSON", status: 200, body: "<html>hunter2</html>", error: /did not return JSON$/ },
      { name: "a list", status: 200, body: "[1]", error: /it returned a list: expected a map$/ },
    ]
  ) {
    test(`an error names its cause, and neither address nor answer: ${name}`, async () => {
      await using web = await serve(() => ({ status, body }));
      using bed = await pillarBed({
        files: {},
        opts: { ext_pillar: [{ http_json: { url: `http://u:hunter2@${web.host}/?key=hunter2` } }] },
      });
      const compiled = JSON.stringify(canonical(await bed.compile()));
      const [, [message]] = JSON.parse(compiled).map[0] as [string, string[]];
      assert.match(message!, error);
      assert.ok(!`${compiled}${JSON.stringify(bed.records)}`.includes("hunter2"));
    });
  }

  test("a server that does not answer is named without its path", async () => {
    const { host } = await (async () => {
      await using web = await serve(() => ({ body: "" }));
      return web;
    })();
    using bed = await pillarBed({ files: {}, opts: { ext_pillar: [{ http_yaml: `http://${host}/?key=hunter2` }] } });
    const compiled = JSON.stringify(canonical(await bed.compile()));
    assert.match(compiled, /Failed to load ext_pillar http_yaml: http:\/\/127\.0\.0\.1:\d+ could not be reached: \w+/);
    assert.ok(!`${compiled}${JSON.stringify(bed.records)}`.includes("hunter2"));
  });

  test("a grain that the address needs and the minion lacks is named", async () => {
    using bed = await pillarBed({
      files: {},
      opts: { ext_pillar: [{ http_yaml: { url: "http://127.0.0.1:9/<nosuch>", with_grains: true } }] },
    });
    assert.match(JSON.stringify(canonical(await bed.compile())), /the minion has no grain nosuch, which the address/);
  });
});

test("env: variables under chosen names, and nothing for those that are not set", async () => {
  using bed = await pillarBed({
    files: {},
    opts: { ext_pillar: [{ env: { variables: { path: "PATH", gone: "BRINE_NO_SUCH_VARIABLE" } } }] },
  });
  assert.deepEqual(canonical(await bed.compile()), { map: [["path", bed.runtime.process.env("PATH")]] });
});
