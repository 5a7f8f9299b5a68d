/** Which proxy a request to a web server goes through, by the options and the environment. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { proxyAddress, proxyFor } from "../../../src/protocol/transport/proxy.ts";
import { webLimits } from "../../../src/model/config/web_limits.ts";
import { ConfigError } from "../../../src/base/errors.ts";

type Values = Record<string, unknown>;
const OPTS = { proxy_host: "proxy", proxy_port: 3128 };

function chosen(url: string, opts: Values, env: Record<string, string> = {}): string | undefined {
  const proxy = proxyFor(opts, (name) => env[name])(new URL(url));
  return proxy && proxyAddress(proxy);
}

describe("proxyFor()", () => {
  for (
    const { url = "http://web.example/f", opts, env, want } of [
      { opts: {}, want: undefined },
      { opts: { proxy_host: "", proxy_port: 3128 }, want: undefined },
      { opts: { proxy_host: null, proxy_port: 0 }, want: undefined },
      { opts: OPTS, want: "http://proxy:3128" },
      { url: "https://web.example/", opts: { ...OPTS, proxy_port: "3128" }, want: "http://proxy:3128" },
      { opts: { proxy_host: "[::1]", proxy_port: 80 }, want: "http://[::1]:80" },
      { opts: { ...OPTS, proxy_username: "ann", proxy_password: "p@:é" }, want: "http://ann:p%40%3A%C3%A9@proxy:3128" },
      { opts: { ...OPTS, no_proxy: ["Web.example"] }, want: undefined },
      { opts: { ...OPTS, no_proxy: "x, web.example" }, want: undefined },
      { opts: { ...OPTS, no_proxy: ["example", ".example", "b.example"] }, want: "http://proxy:3128" },
      { opts: { ...OPTS, no_proxy: null }, want: "http://proxy:3128" },
      { url: "http://[2001:db8::1]:80/", opts: { ...OPTS, no_proxy: ["2001:db8::1"] }, want: undefined },
      { url: "http://127.0.0.1:8000/", opts: OPTS, want: undefined },
      { url: "http://LOCALHOST/", opts: OPTS, want: undefined },
      { url: "http://[::1]/", opts: OPTS, want: undefined },
      { url: "http://127.0.0.1.example/", opts: OPTS, want: "http://proxy:3128" },
      // The environment counts where Salt looks at it.
      { opts: {}, env: { http_proxy: "http://env:1" }, want: undefined },
      { opts: OPTS, env: { http_proxy: "http://env:1" }, want: "http://proxy:3128" },
      { opts: { backend: "requests" }, env: { http_proxy: "http://env:1" }, want: "http://env:1" },
      { opts: { backend: "requests" }, env: { HTTP_PROXY: "env:1" }, want: "http://env:1" },
      { opts: { backend: "requests" }, env: { all_proxy: "http://ann:p%40@env" }, want: "http://ann:p%40@env:80" },
      { opts: { backend: "requests" }, env: { https_proxy: "http://env:1" }, want: undefined },
      { opts: { backend: "requests" }, env: { http_proxy: "env:1", no_proxy: "*" }, want: undefined },
      { opts: { backend: "requests" }, env: { http_proxy: "env:1", no_proxy: "a, example" }, want: undefined },
      { opts: { backend: "requests" }, env: { http_proxy: "env:1", no_proxy: ".example" }, want: undefined },
      { opts: { backend: "requests" }, env: { http_proxy: "env:1", no_proxy: "web.example:80" }, want: undefined },
      {
        opts: { backend: "requests" },
        env: { http_proxy: "env:1", no_proxy: "b.example,ample" },
        want: "http://env:1",
      },
      {
        url: "http://10.1.2.3/",
        opts: { backend: "requests" },
        env: { http_proxy: "env:1", no_proxy: "10.0.0.0/8" },
        want: undefined,
      },
      {
        url: "http://11.1.2.3/",
        opts: { backend: "requests" },
        env: { http_proxy: "env:1", no_proxy: "10.0.0.0/8,x/8" },
        want: "http://env:1",
      },
    ] as { url?: string; opts: Values; env?: Record<string, string>; want?: string }[]
  ) {
    test(`${url}, ${JSON.stringify(opts)}, ${JSON.stringify(env ?? {})}`, () => {
      assert.equal(chosen(url, opts, env), want);
    });
  }

  for (
    const { opts, env, want } of [
      {
        opts: { proxy_host: "proxy" },
        want: /^Cannot use proxy_host "proxy": proxy_port is undefined, .*set proxy_port to/,
      },
      { opts: { ...OPTS, proxy_port: 0 }, want: /proxy_port is 0, expected a port/ },
      { opts: { ...OPTS, proxy_port: "3128x" }, want: /proxy_port is "3128x"/ },
      {
        opts: { backend: "requests" },
        env: { http_proxy: "socks5://ann:hunter2@env:1" },
        want: /variable http_proxy: expected http:/,
      },
      { opts: { backend: "requests" }, env: { http_proxy: "http://" }, want: /variable http_proxy/ },
    ] as { opts: Values; env?: Record<string, string>; want: RegExp }[]
  ) {
    test(`refuses ${JSON.stringify(opts)}, ${JSON.stringify(env ?? {})}, and says what to set`, () => {
      assert.throws(() => chosen("http://web.example/", opts, env), (error) => {
        assert.ok(error instanceof ConfigError);
        assert.match(error.message, want);
        assert.doesNotMatch(error.message, /hunter2/);
        return true;
      });
    });
  }
});

test("webLimits(): seconds become milliseconds, 0 is no limit, and a timer does not overflow", () => {
  const most = 2 ** 31 - 1;
  for (
    const [opts, want] of [
      [{}, { connectMs: 20_000, totalMs: 3_600_000, maxBytes: 107_374_182_400 }],
      [{ http_connect_timeout: 0.5, http_request_timeout: "60", http_max_body: 10 }, {
        connectMs: 500,
        totalMs: 60_000,
        maxBytes: 10,
      }],
      [{ http_connect_timeout: 0, http_request_timeout: 1e9 }, {
        connectMs: most,
        totalMs: most,
        maxBytes: 107_374_182_400,
      }],
    ] as const
  ) assert.deepEqual(webLimits(opts), want);
});
