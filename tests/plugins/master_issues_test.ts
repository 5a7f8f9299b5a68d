import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { memoryRuntime } from "../../src/runtime/memory/memory_runtime.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import type { RunnerContext } from "../../src/model/loader/family.ts";
import { encode } from "../../src/protocol/wire/msgpack.ts";
import { runner as auth } from "../../src/plugins/runners/auth.ts";
import { masterIssues } from "../../src/plugins/runners/master_issues.ts";
import { FakeClock } from "../support/fake_clock.ts";

const NOW = Date.UTC(2026, 10, 21);
const GIB = 1024 ** 3;

interface Scene {
  opts?: Record<string, unknown>;
  available?: number;
  answer?: unknown;
  notAfter?: string;
  files?: Record<string, Uint8Array | string>;
}

async function scene({ opts = {}, available = 50 * GIB, answer = {}, notAfter = "", files = {} }: Scene) {
  const { crypto } = await currentRuntime();
  const runtime = memoryRuntime({ clock: new FakeClock(NOW), crypto });
  for (const [path, content] of Object.entries(files)) {
    runtime.fs.mkdir(path.slice(0, path.lastIndexOf("/")));
    runtime.fs.write(path, content);
  }
  const fs = { ...runtime.fs, space: () => ({ total: 100 * GIB, free: available, available }) };
  for (const name of ["stat", "list", "read"] as const) {
    Object.assign(fs, { [name]: runtime.fs[name].bind(runtime.fs) });
  }
  return {
    runtime: { ...runtime, fs },
    opts: { cachedir: "/cache", pki_dir: "/pki", log_file: "/var/log/salt/master", ...opts },
    ask: () => answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer),
    callFunction: () => Promise.resolve({ "Not After": notAfter }),
  } as unknown as RunnerContext;
}

const ssl = { ssl: { certfile: "/tls/m.crt" }, rest_cherrypy: { ssl_crt: "/tls/m.crt" } };

describe("manage.issues", () => {
  for (
    const { name, want, ...given } of [
      { name: "nothing is wrong", want: [] },
      { name: "the disk is nearly full", available: GIB, want: ["error disk 1.0 GiB free in /cache"] },
      {
        name: "returns were refused",
        answer: { refused: { "unknown_job": 3, "duplicate": 0 } },
        want: ["warning returns 3 returns refused since the master started: 3 unknown job"],
      },
      { name: "the master does not answer", answer: new Error("down"), want: [] },
      {
        name: "a certificate ends soon",
        opts: ssl,
        notAfter: "2026-12-01 00:00:00",
        want: ["warning certificate The certificate /tls/m.crt ends in 10 days, on 2026-12-01 00:00:00"],
      },
      {
        name: "a certificate has ended",
        opts: ssl,
        notAfter: "2026-11-01 00:00:00",
        want: ["error certificate The certificate /tls/m.crt ended on 2026-11-01 00:00:00"],
      },
      { name: "a certificate is good", opts: ssl, notAfter: "2027-11-01 00:00:00", want: [] },
      {
        name: "events wait for their store",
        opts: { event_return_spool_bytes: 4 * 1024 ** 2 },
        files: { "/cache/event_return/spool/1": new Uint8Array(2 * 1024 ** 2) },
        want: ["warning spool 2 MiB of events wait for event_return, of at most 4 MiB"],
      },
      {
        name: "reactor files have no reactor",
        files: { "/srv/reactor/start.sls": "" },
        want: ["warning reactor The master has no reactor, but /srv/reactor has SLS files: start.sls"],
      },
      {
        name: "a reactor has its files",
        opts: { reactor: [{ "a": ["/srv/reactor/start.sls"] }] },
        files: { "/srv/reactor/start.sls": "" },
        want: [],
      },
    ] as (Scene & { name: string; want: string[] })[]
  ) {
    test(name, async () => {
      const found = await masterIssues(await scene(given));
      assert.deepEqual(found.map(({ kind, level, text }) => `${level} ${kind} ${text}`), want);
      for (const { remedy } of found) assert.match(remedy, /\.$/);
    });
  }
});

test("auth.signed_in tells who has logged in, and no token", async () => {
  const record = (token: string, name: string, expire: number) =>
    encode({ token, name, eauth: "file", start: expire - 100, expire }, "bin");
  const now = NOW / 1000;
  const context = await scene({
    opts: { token_dir: "/tokens" },
    files: {
      "/tokens/aa": record("aa", "ada", now + 50),
      "/tokens/bb": record("aa", "ada", now + 50),
      "/tokens/cc": record("cc", "bob", now + 90),
      "/tokens/dd": record("dd", "eve", now - 1),
      "/tokens/ee": "no token",
    },
  });
  assert.deepEqual(await auth.functions.signed_in!.run(context, {}), [
    { user: "bob", eauth: "file", start: now - 10, expire: now + 90 },
    { user: "ada", eauth: "file", start: now - 50, expire: now + 50 },
  ]);
});
