/** What Salt 3006 returns for the same calls (`tests/vectors/sdb/record.py`), and what a stranger may not have. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, describe, test } from "node:test";
import type { RunnerContext } from "../../src/model/loader/family.ts";
import { ABSENT_SDB, Sdb } from "../../src/model/loader/sdb.ts";
import { silentLogger } from "../../src/base/log.ts";
import type { HttpRequest } from "../../src/runtime/http.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { RUNNERS } from "../../src/plugins/runners/mod.ts";
import { SDB } from "../../src/plugins/sdb/mod.ts";
import { testMinion } from "../support/context.ts";

interface Call {
  fun: string;
  args: unknown[];
  return?: unknown;
  error?: string;
  message?: string;
}
interface Recorded {
  files: Record<string, string>;
  opts: Record<string, unknown>;
  pillar: Record<string, unknown>;
  grains: Record<string, unknown>;
  calls: Call[];
}

const recorded = JSON.parse(readFileSync(new URL("../vectors/sdb/calls.json", import.meta.url), "utf8")) as Recorded;
const root = mkdtempSync(join(tmpdir(), "brine-sdb-"));
const VARIABLES = ["BRINE_SDB_HERE", "BRINE_SDB_NEW", "BRINE_SDB_SECRET"];
after(() => {
  rmSync(root, { recursive: true });
  for (const name of VARIABLES) delete process.env[name];
});
for (const [name, text] of Object.entries(recorded.files)) writeFileSync(join(root, name), text);

const placed = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value).replaceAll("<root>", root).replaceAll("<server>", "api.test")) as T;

/** The server of the recording. */
async function runtime(answer?: (url: URL) => Response) {
  const here = await currentRuntime();
  const request = (address: string, { headers }: HttpRequest = {}): Promise<Response> => {
    const url = new URL(address);
    const body = JSON.stringify({ path: url.pathname + url.search, key: new Headers(headers).get("x-key") });
    const status = url.pathname === "/gone" ? 404 : 200;
    const type = { "content-type": "application/json" };
    return Promise.resolve(answer?.(url) ?? new Response(body, { status, headers: type }));
  };
  return { ...here, http: { ...here.http, request } };
}

/** Maps of any kind as plain ones. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_key, item) => item instanceof Map ? Object.fromEntries(item) : item) ?? "null");

async function minion(opts: Record<string, unknown> = {}) {
  process.env.BRINE_SDB_HERE = "here";
  delete process.env.BRINE_SDB_NEW;
  return await testMinion({
    runtime: await runtime(),
    opts: { ...placed(recorded.opts), __role: "minion", ...opts },
    pillar: recorded.pillar,
    grains: recorded.grains,
  });
}

/** Calls that fail in Salt with an error of Python's own: what is said here, or returned. */
const BETTER: Record<string, RegExp | { return: unknown }> = {
  'sdb.get ["sdb://unknown/key"]': /Cannot use the sdb profile "unknown": There is no sdb driver "nosuch": .*env/,
  'sdb.get ["sdb://web/plain?"]': { return: { path: "/plain", key: null } },
  'sdb.get ["sdb://web/gone?a=b"]': /http:\/\/api\.test did not return a value: HTTP 404$/,
  'sdb.get ["sdb://web/none?a=b"]': /has no "none" with a url: expected one of plain, user, query, gone$/,
  'sdb.delete ["sdb://osenv/BRINE_SDB_HERE"]':
    /The sdb driver "env" of the profile "osenv" does not delete: set another/,
  'sdb.delete ["sdb://lite/n"]': /The sdb driver "sqlite3" of the profile "lite" does not delete/,
  'sdb.set ["sdb://files/k","v"]': /The sdb driver "yaml" of the profile "files" only reads/,
};

test("functions and drivers return what Salt's return", async () => {
  const { run } = await minion();
  for (const { fun, args, ...want } of recorded.calls) {
    const name = `${fun} ${JSON.stringify(args)}`;
    const { return: found, success } = await run(fun, args);
    const better = BETTER[name];
    if (better instanceof RegExp) assert.match(String(found), better, name);
    else if (better !== undefined) assert.deepEqual(plain(found), better.return, name);
    else if (want.error !== undefined) {
      assert.equal(want.error, "SaltInvocationError", name);
      assert.ok(success === false && String(found).includes(want.message!), `${name}: ${found}`);
    } else assert.deepEqual(plain(found), want.return, name);
  }
  assert.equal(statSync(join(root, "lite.db")).mode & 0o777, 0o600);
});

test("every driver of Salt's that is not here says what to use, with the profile and never the key", async () => {
  const here = await currentRuntime();
  for (const name of Object.keys(ABSENT_SDB)) {
    const opts = { p: { driver: name, password: "hush" } };
    const get = new Sdb({ runtime: here, log: silentLogger, opts, pillar: {} }, SDB).get("sdb://p/hushed");
    await assert.rejects(get, (error: Error) => {
      assert.match(error.message, new RegExp(`profile "p": Salt's sdb driver "${name}" is not here: use `));
      assert.doesNotMatch(error.message, /hush/);
      return true;
    });
  }
});

test("get_or_set_hash() never returns an address as a secret, and its length has a limit", async () => {
  const { run } = await minion();
  for (const args of [["sdb://nosuch/k"], ["sdb://lite/big", 1e9], ["sdb://lite/big", 5, ""]]) {
    const { success, return: found } = await run("sdb.get_or_set_hash", args);
    assert.equal(success, false, String(found));
  }
  const made = String((await run("sdb.get_or_set_hash", ["sdb://lite/fresh", 40])).return);
  assert.match(made, /^[a-z0-9!@#$%^&*(\-_=+)]{40}$/);
  assert.equal((await run("sdb.get", ["sdb://lite/fresh"])).return, made);
});

describe("a stranger", () => {
  test("whose grain is an address does not get the master's value into a pillar", async () => {
    const { value } = await minion({ __role: "master" });
    assert.equal(await value("config.get", "a_grain"), "sdb://osenv/BRINE_SDB_HERE");
    assert.equal(await value("config.get", "a_pillar"), "sdb://osenv/BRINE_SDB_HERE");
  });

  test("whose value is part of an address of rest stays where it is put", async () => {
    const { run } = await minion();
    for (const user of ["..", "a/../b", "a#x", "%2e%2e", ""]) {
      const { success, return: found } = await run("sdb.get", [`sdb://web/user?user=${user}`]);
      assert.equal(success, false, `${user}: ${JSON.stringify(found)}`);
    }
    assert.deepEqual(plain((await run("sdb.get", ["sdb://web/user?user=a/b c"])).return), {
      path: "/users/a/b%20c/keys",
      key: null,
    });
    const template = plain((await run("sdb.get", ["sdb://web/user?user={{ 7 }}"])).return) as { path: string };
    assert.equal(decodeURIComponent(template.path), "/users/{{ 7 }}/keys");
  });

  test("reads no profile that every object has", async () => {
    const { value } = await minion();
    for (const uri of ["sdb://__proto__/x", "sdb://constructor/x", "sdb://toString/x"]) {
      assert.equal(await value("sdb.get", uri), uri);
    }
  });

  test("who serves or stores too much, or nonsense, is refused without its text in the message", async () => {
    writeFileSync(join(root, "bad.yaml"), "password: hush: [\n");
    const opts = {
      bad: { driver: "yaml", files: [join(root, "bad.yaml")] },
      dir: { driver: "yaml", files: [root] },
      none: { driver: "sqlite3" },
      text: { driver: "sqlite3", database: join(root, "lite.db"), get_query: "SELECT 'hush'" },
      broken: { driver: "sqlite3", database: join(root, "lite.db"), get_query: "SELECT x'c1'" },
      big: { driver: "rest", k: { url: "http://api.test/hush" } },
    };
    const here = await runtime(() => new Response(new Uint8Array(17 * 1024 * 1024)));
    const { run, records } = await testMinion({ runtime: here, opts });
    for (const name of Object.keys(opts)) {
      const { success, return: found } = await run("sdb.get", [`sdb://${name}/k`]);
      assert.equal(success, false, name);
      assert.doesNotMatch(String(found), /hush/, name);
    }
    assert.doesNotMatch(JSON.stringify(records.filter(({ level }) => level !== "trace" && level !== "debug")), /hush/);
  });
});

test("the runner reads profiles of the master's configuration", async () => {
  const { functions } = (await RUNNERS.sdb!()).runner;
  const context = {
    runtime: await runtime(),
    log: silentLogger,
    opts: { e: { driver: "env" } },
  } as unknown as RunnerContext;
  process.env.BRINE_SDB_SECRET = "s";
  assert.equal(await functions.get!.run(context, { uri: "sdb://e/BRINE_SDB_SECRET" }), "s");
  assert.equal(await functions.set!.run(context, { uri: "sdb://nosuch/x", value: "v" }), false);
  assert.equal(
    await functions.get_or_set_hash!.run(context, { uri: "sdb://e/BRINE_SDB_SECRET", length: 8, chars: "a" }),
    "s",
  );
});
