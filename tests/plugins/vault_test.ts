/** Functions of Vault: what they ask a server and return, held against real Salt 3006 (`tests/vectors/vault/record.py`). */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { silentLogger } from "../../src/base/log.ts";
import { mapOf } from "../../src/language/python/values.ts";
import { encodeBase64 } from "../../src/language/python/binascii.ts";
import type { RunnerContext } from "../../src/model/loader/family.ts";
import type { PillarContext } from "../../src/model/loader/ext_pillar.ts";
import { pillar } from "../../src/plugins/pillar/vault.ts";
import { runner } from "../../src/plugins/runners/vault.ts";
import { sdb } from "../../src/plugins/sdb/vault.ts";
import { states } from "../../src/plugins/states/vault.ts";
import { rsaSign } from "../../src/protocol/crypto/rsa.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import type { HttpRequest } from "../../src/runtime/http.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { kwargs, testMinion } from "../support/context.ts";

interface Request {
  method: string;
  path: string;
  token: string | null;
  namespace?: string;
  body?: unknown;
}
interface Call {
  kind: "module" | "sdb" | "state" | "token" | "pillar";
  vault: Record<string, unknown>;
  fun?: string;
  args?: unknown[];
  kwargs?: Record<string, unknown>;
  test?: boolean;
  before?: Record<string, unknown>;
  return?: unknown;
  error?: string;
  seen: Request[];
}

const ORIGIN = "http://vault.test:8200";
const { answers, calls } = JSON.parse(
  readFileSync(new URL("../vectors/vault/calls.json", import.meta.url), "utf8").replaceAll("ORIGIN", ORIGIN),
) as { answers: Record<string, [number, unknown]>; calls: Call[] };
const REASONS: Record<number, string> = {
  200: "OK",
  204: "No Content",
  403: "Forbidden",
  404: "Not Found",
  500: "Internal Server Error",
};

const root = mkdtempSync(join(tmpdir(), "brine-vault-"));
after(() => rmSync(root, { recursive: true }));
const here = await currentRuntime();

/** The server of the recording, and what it was asked. */
function stand(more: Record<string, [number, unknown]> = {}): { runtime: Runtime; seen: Request[] } {
  const seen: Request[] = [];
  const request = (address: string, { method = "GET", headers, body }: HttpRequest = {}): Promise<Response> => {
    const url = new URL(address);
    const path = url.pathname + url.search;
    const sent = new Headers(headers);
    const namespace = sent.get("x-vault-namespace");
    seen.push({
      method,
      path,
      token: sent.get("x-vault-token"),
      ...(namespace === null ? {} : { namespace }),
      ...(body === undefined ? {} : { body: JSON.parse(new TextDecoder().decode(body)) }),
    });
    const [status, value] = more[`${method} ${path}`] ?? answers[`${method} ${path}`] ?? [404, { errors: [] }];
    const text = value === null ? null : JSON.stringify(value);
    return Promise.resolve(new Response(text, { status, statusText: REASONS[status]! }));
  };
  return { runtime: { ...here, http: { ...here.http, request } }, seen };
}

/** Maps of any kind as plain ones. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_key, item) => item instanceof Map ? Object.fromEntries(item) : item) ?? "null");

/** Python and we agree on the same text of a key. */
const { privatePem, publicPem } = await here.crypto.generateKeyPair(2048);
const pkiDir = join(root, "pki");
mkdirSync(join(pkiDir, "minions"), { recursive: true });
writeFileSync(join(pkiDir, "minion.pem"), privatePem);
writeFileSync(join(pkiDir, "minions", "web1"), publicPem);
const signed = (text: string) => {
  const key = here.crypto.loadPrivateKey(privatePem);
  return encodeBase64(rsaSign(here.crypto, "PKCS1v15-SHA1", key, new TextEncoder().encode(text)));
};

function runnerContext(runtime: Runtime, vault: unknown, more: Partial<RunnerContext> = {}): RunnerContext {
  return {
    runtime,
    log: silentLogger,
    jid: "20240101000000000000",
    opts: { vault, pki_dir: pkiDir, __role: "master" },
    accepted: () => ["web1"],
    minions: {
      data: () => ({ grains: { id: "web1", roles: ["web", "DB"], os: "Debian" }, pillar: { role: "p" } }),
    },
    ...more,
  } as unknown as RunnerContext;
}
const issue = async (context: RunnerContext, args: Record<string, unknown>) =>
  await (runner.functions.generate_token as { run(context: RunnerContext, args: unknown): unknown }).run(context, {
    impersonated_by_master: false,
    ttl: null,
    uses: null,
    ...args,
  });

let count = 0;
const options = (vault: unknown) => {
  const cachedir = join(root, `cache${count++}`);
  mkdirSync(cachedir);
  return { vault, cachedir, file_client: "local", pki_dir: pkiDir, __role: "minion", id: "web1" };
};

async function answerOf(call: Call, runtime: Runtime): Promise<unknown> {
  const { kind, vault, fun, args = [], kwargs: named = {} } = call;
  const opts = options(vault);
  if (kind === "module") {
    const minion = await testMinion({ runtime, opts, grains: { id: "web1" }, master: null });
    const { return: value, success } = await minion.run(`vault.${fun}`, [...args, kwargs(named)]);
    if (success === false) throw new Error(String(value));
    return value;
  }
  if (kind === "sdb") {
    const context = { runtime, log: silentLogger, opts, pillar: {} };
    return fun === "get"
      ? await sdb.get(context, String(args[0]), {})
      : await sdb.set!(context, String(args[0]), args[1], {});
  }
  if (kind === "state") {
    const minion = await testMinion({ runtime, opts, master: null });
    const run = states.functions.policy_present as { run(context: unknown, args: unknown): unknown };
    return await run.run({ ...minion.context, runtime, opts, test: call.test }, { name: args[0], rules: args[1] });
  }
  if (kind === "token") {
    const token = await issue(runnerContext(runtime, vault), {
      minion_id: "web1",
      signature: signed("web1"),
      ...named,
    }) as Record<string, unknown>;
    delete token.issued;
    return token;
  }
  const context = {
    runtime,
    log: silentLogger,
    opts,
    id: "web1",
    grains: {},
    pillar: call.before,
  } as unknown as PillarContext;
  const given = { nesting_key: null, merge_strategy: null, merge_lists: null, ...named, conf: args[0] };
  return await pillar.run(context, given as never);
}

/** Without what each request makes anew. */
function withoutJid(seen: Request[]): Request[] {
  for (const { body } of seen) {
    const meta = (body as { meta?: Record<string, unknown> } | undefined)?.meta;
    if (meta !== undefined) delete meta["saltstack-jid"];
  }
  return seen;
}

for (const [at, call] of calls.entries()) {
  const said = `${call.kind} ${call.fun ?? ""} ${JSON.stringify(call.args ?? call.vault)} ${
    JSON.stringify(call.kwargs ?? {})
  }`;
  test(`${at}: ${said}`, async () => {
    const { runtime, seen } = stand();
    if (call.error === undefined) {
      assert.deepEqual(plain(await answerOf(call, runtime)), call.return);
    } else {
      const text = call.error.replace(/^CommandExecutionError: /, "");
      await assert.rejects(async () => await answerOf(call, runtime), (error: Error) => {
        assert.equal(error.message.replace(/^ERROR: /, ""), text);
        return true;
      });
    }
    assert.deepEqual(withoutJid(seen), call.seen);
  });
}

describe("a token", () => {
  const READ = ["secret1/web", "user"];
  const masters = (result: Record<string, unknown>) => {
    const asked: unknown[] = [];
    return {
      asked,
      result: () => ({
        url: ORIGIN,
        token: "s.minion",
        lease_duration: 3600,
        issued: Math.round(Date.now() / 1000),
        namespace: null,
        verify: null,
        ...result,
      }),
    };
  };

  async function minionOfMaster(result: Record<string, unknown>) {
    const { runtime, seen } = stand();
    const { asked, result: answer } = masters(result);
    const opts = { ...options(undefined), file_client: "remote" };
    const master = {
      fireEvent: () => Promise.resolve(true),
      fireLocal: () => {},
      request: (load: Record<string, unknown>) => (asked.push(load), Promise.resolve(answer())),
    };
    return { minion: await testMinion({ runtime, opts, grains: { id: "web1" }, master }), seen, asked, opts };
  }

  test("is asked of the master with the minion's signature, and used", async () => {
    const { minion, seen, asked } = await minionOfMaster({ token_backend: "session", uses: 1 });
    assert.equal((await minion.run("vault.read_secret", READ)).return, "web");
    assert.deepEqual(seen.map(({ token }) => token), ["s.minion", "s.minion"]);
    const [{ cmd, fun, arg }] = asked as [{ cmd: string; fun: string; arg: unknown[] }];
    assert.deepEqual([cmd, fun, arg], ["minion_runner", "vault.generate_token", [
      "web1",
      signed("web1"),
      false,
      null,
      null,
    ]]);
  });

  test("is kept on the disk where the master says so, for as many uses as it has", async () => {
    const { minion, asked, opts } = await minionOfMaster({ token_backend: "disk", uses: 2 });
    const file = join(opts.cachedir, "salt_vault_token");
    await minion.run("vault.read_secret", READ);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(JSON.parse(readFileSync(file, "utf8")).uses, 1);
    await minion.run("vault.read_secret", READ);
    assert.equal(asked.length, 1);
    assert.throws(() => statSync(file));
    await minion.run("vault.read_secret", READ);
    assert.equal(asked.length, 2);
  });

  test("that the master does not make is an error that says what it said", async () => {
    const { minion } = await minionOfMaster({ error: "No policies matched minion" });
    const { return: value } = await minion.run("vault.read_secret", READ);
    assert.match(String(value), /No policies matched minion/);
  });

  for (
    const [name, args] of [
      ["of another minion's key", { minion_id: "web1", signature: signed("web2") }],
      ["of an id without an accepted key", { minion_id: "../minion.pem", signature: signed("../minion.pem") }],
      ["that is no base64", { minion_id: "web1", signature: "=" }],
    ] as const
  ) {
    test(`is not made for a signature ${name}`, async () => {
      const { runtime, seen } = stand();
      await assert.rejects(issue(runnerContext(runtime, { url: ORIGIN, auth: { token: "s" } }), args));
      assert.deepEqual(seen, []);
    });
  }
});

describe("policies", () => {
  const ask = async (vault: unknown, more: Partial<RunnerContext> = {}) =>
    await (runner.functions.show_policies as { run(context: RunnerContext, args: unknown): unknown }).run(
      runnerContext(here, vault, more),
      { minion_id: "web1", refresh_pillar: "NOT_SET", expire: null },
    );

  test("are read in the form of 3007 as well", async () => {
    const vault = { server: { url: ORIGIN }, policies: { assign: ["a/{minion}", "b/{grains[roles]}"] } };
    assert.deepEqual(await ask(vault), ["a/web1", "b/web", "b/db"]);
  });

  test("that use the pillar have it compiled where none is cached", async () => {
    const compile = () => Promise.resolve(mapOf([["role", "compiled"]]));
    const more = { minions: { data: () => undefined }, pillar: { compile } } as unknown as Partial<RunnerContext>;
    assert.deepEqual(await ask({ policies: ["p/{pillar[role]}", "m/{minion}"] }, more), ["p/compiled", "m/web1"]);
  });

  test("of a minion with endless grains are refused", async () => {
    const lists = { a: Array.from({ length: 100 }, String), b: Array.from({ length: 100 }, String) };
    const more = { minions: { data: () => ({ grains: lists, pillar: {} }) } } as unknown as Partial<RunnerContext>;
    await assert.rejects(ask({ policies: ["{grains[a]}/{grains[b]}"] }, more), /more than 1000 names/);
  });
});

test("the pillar of a master is read with a token for its minion", async () => {
  const { runtime, seen } = stand();
  const vault = { url: ORIGIN, auth: { token: "s.own" }, policies: ["p/{minion}/{pillar[role]}"] };
  const opts = { vault, __role: "master" };
  const context = { runtime, log: silentLogger, opts, id: "web1", grains: {}, pillar: { role: "r" } };
  const given = { nesting_key: null, merge_strategy: null, merge_lists: null, conf: "path=secret1/web" };
  assert.equal(
    (plain(await pillar.run(context as unknown as PillarContext, given as never)) as { user: string }).user,
    "web",
  );
  assert.deepEqual(seen.map(({ path, token }) => [path, token]), [
    ["/v1/auth/token/create", "s.own"],
    ["/v1/sys/internal/ui/mounts/secret1/web", "s.new"],
    ["/v1/secret1/web", "s.new"],
  ]);
  assert.deepEqual((seen[0]!.body as { policies: string[] }).policies, ["p/web1/r"]);
});

test("a path may not lead out of its place", async () => {
  const { runtime, seen } = stand();
  const minion = await testMinion({ runtime, opts: options({ url: ORIGIN, auth: { token: "s" } }), master: null });
  const { return: value } = await minion.run("vault.read_secret", ["secret1/../sys/policy/there"]);
  assert.match(String(value), /Cannot use "v1\/secret1\/\.\.\/sys\/policy\/there" as a path of Vault/);
  assert.deepEqual(seen, []);
});
