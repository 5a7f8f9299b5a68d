/** A PostgreSQL that is killed, cut off or silent under masters: what was acknowledged is there, and nothing waits for ever. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { connect, createServer, type Server, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { until } from "../../../bench/bed/until.ts";
import type { LedgerStorage } from "../../../src/feature/cluster/storage.ts";
import { ConfigError, SystemError } from "../../../src/base/errors.ts";
import { openPostgresLedger } from "../../../src/plugins/ledger_storages/postgres.ts";
import { serverAddress } from "../../../src/plugins/ledger_storages/postgres/server.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { encode, Packed } from "../../../src/protocol/wire/msgpack.ts";
import { noPostgres, startPostgres, type TestServer } from "../../support/servers.ts";

const { clock } = await currentRuntime();
const SERVER = { timeout: 120_000 };
const JID = "20240506070809123456";
const LOAD = { fun: "test.ping", arg: [], tgt: "*", tgt_type: "glob", user: "root", jid: JID };
const returned = (minion: string) => ({
  minion,
  return: new Packed(encode(minion, "bin")),
  retcode: 0,
  success: true,
  storedMs: 0,
});
const hex = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex");

/** Stands between a master and the server, and can cut or hold what passes. */
class Between {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #silent = false;

  constructor(port: number) {
    this.#server = createServer((near) => {
      const far = connect(port, "127.0.0.1");
      for (const [from, to] of [[near, far], [far, near]] as const) {
        this.#sockets.add(from);
        from.on("data", (chunk) => void (this.#silent || to.write(chunk)));
        from.on("close", () => to.destroy());
        from.on("error", () => to.destroy());
      }
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return (this.#server.address() as { port: number }).port;
  }

  /** Whatever is sent from now on is swallowed, by connections that stay open. */
  silence(isSilent: boolean): void {
    this.#silent = isSilent;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

describe("PostgreSQL under masters", { skip: noPostgres() }, () => {
  let server: TestServer;
  before(async () => void (server = await startPostgres()), SERVER);
  after(async () => await server?.[Symbol.asyncDispose](), SERVER);
  const open = (port = server.port, timeoutMs = 20_000) =>
    openPostgresLedger({ url: `postgres://salt@127.0.0.1:${port}/postgres`, clock, hex, timeoutMs });

  test("killed again and again under load: whatever was acknowledged is there, once", SERVER, async () => {
    const masters = [await open(), await open()];
    for (const [at, storage] of masters.entries()) {
      storage.own(await storage.leases.hold(`master/${at}`, `${at}`, 3600));
    }
    await masters[0]!.jobs.saveLoad(JID, LOAD, []);
    await masters[0]!.jobs.flush();
    const acknowledged = new Set<string>();
    const versions: number[] = [];
    let refused = 0;
    let stopped = false;
    const load = async (storage: LedgerStorage, name: string) => {
      for (let i = 0; !stopped; i++) {
        const minions = Array.from({ length: 5 }, (_, n) => `${name}-${i}-${n}`);
        try {
          await Promise.all(minions.map((minion) => storage.jobs.saveReturn(JID, returned(minion))));
          await storage.jobs.flush();
          for (const minion of minions) acknowledged.add(minion);
        } catch (error) {
          assert.ok(error instanceof SystemError, String(error));
          refused++;
        }
        try {
          const [version] = await storage.records.put("key", name, [{
            name: `${name}-${i}`,
            value: new Uint8Array(1),
          }]);
          versions.push(version!);
        } catch (error) {
          assert.ok(error instanceof SystemError, String(error));
        }
      }
    };
    const loads = masters.map((storage, at) => load(storage, `m${at}`));
    for (let kill = 0; kill < 3; kill++) {
      const before = acknowledged.size;
      await until(() => acknowledged.size >= before + 50);
      await server.stop();
      const failed = refused;
      await until(() => refused > failed);
      await server.start();
    }
    const before = acknowledged.size;
    await until(() => acknowledged.size >= before + 50);
    stopped = true;
    await Promise.all(loads);
    const fresh = await open();
    const there = (await fresh.jobs.returns(JID)).map(({ minion }) => minion);
    assert.equal(new Set(there).size, there.length);
    assert.deepEqual([...acknowledged].filter((minion) => !there.includes(minion)), []);
    assert.equal(new Set(versions).size, versions.length);
    const feed: number[] = [];
    for (let at = 0, more = true; more;) {
      const page = await fresh.records.changes("key", at, 100);
      feed.push(...page.records.map(({ version }) => version));
      ({ upTo: at, more } = page);
    }
    assert.deepEqual(versions.filter((version) => !feed.includes(version)), []);
    for (const storage of [...masters, fresh]) await storage.close();
  });

  test(
    "a server that is silent or cut off is given up in time, named, and used again as soon as it answers",
    SERVER,
    async () => {
      const between = new Between(server.port);
      const storage = await open(await between.listen(), 1500);
      try {
        const lease = (await storage.leases.hold("master/silent", "silent", 3600))!;
        storage.own(lease);
        for (const fail of [() => between.silence(true), () => between.cut()]) {
          fail();
          if (fail.toString().includes("cut")) between.silence(true);
          const jid = "20240506070809999999";
          const saving = async () => {
            await storage.jobs.saveReturn(jid, returned("web1"));
            await storage.jobs.flush();
          };
          const says = (error: unknown) => {
            assert.ok(error instanceof SystemError);
            assert.match(error.message, /Cannot use the cluster's database at postgres:.*check that the server/);
            return true;
          };
          await assert.rejects(saving, says);
          await assert.rejects(() => storage.leases.renew(lease), says);
          assert.equal(storage.state.usable, false);
          assert.match(storage.state.reason!, /cluster: postgres/);
          between.silence(false);
          // A connection that was begun in the silence is given up once more.
          for (let tries = 0; !storage.state.usable && tries < 5; tries++) await storage.ping().catch(() => {});
          assert.equal(storage.state.usable, true);
          assert.equal(await storage.leases.renew(lease), true);
          // The flush that follows a loss says so once, as for every job cache.
          await Promise.resolve(storage.jobs.flush()).catch(() => {});
          await storage.jobs.saveReturn(jid, returned("web1"));
          await storage.jobs.flush();
          assert.equal((await storage.jobs.returns(jid)).length, 1);
        }
      } finally {
        await storage.close().catch(() => {});
        await between.close();
      }
    },
  );

  test("a return with text that is no Unicode fails nothing that is saved beside it", SERVER, async () => {
    const storage = await open();
    const jid = "20240506070809888888";
    await storage.jobs.saveReturn(jid, { ...returned("web1"), out: "a\ud800\0b" });
    await storage.jobs.saveReturn(jid, returned("web2"));
    await storage.jobs.flush();
    assert.deepEqual((await storage.jobs.returns(jid)).map(({ minion, out }) => [minion, out]), [
      ["web1", "a\ufffd\ufffdb"],
      ["web2", undefined],
    ]);
    await storage.close();
  });
});

test("addresses that cannot be used are refused with what is wrong, and never shown whole", () => {
  for (
    const [url, says] of [
      ["mysql://a:hidden@b/c", /not an address of a PostgreSQL server/],
      ["postgres://a:hidden@/c", /not a URL|no host/],
      ["postgres://b/c", /names no user/],
      ["postgres://a:hidden@b", /names no database/],
      ["postgres://a:hidden@b/c?sslmode=require", /options behind the database/],
    ] as const
  ) {
    assert.throws(() => serverAddress(url), (error: unknown) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, says);
      assert.ok(!error.message.includes("hidden"));
      return true;
    });
  }
  assert.deepEqual(serverAddress("postgres://a:p%40ss@[::1]:6000/d"), {
    host: "::1",
    port: 6000,
    username: "a",
    password: "p@ss",
    database: "d",
  });
});
