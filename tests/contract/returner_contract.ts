import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ReturnerContext, ReturnerModule } from "../../src/model/loader/family.ts";
import { returnerJobs } from "../../src/plugins/returners/reader.ts";
import { Float, unpack } from "../../src/protocol/wire/msgpack.ts";
import { listed } from "./job_cache_contract.ts";

const JID = "20240506070809123456";
const UNKNOWN = "20990101000000000000";

/** A returner on a store of its own. */
export interface ReturnerUnderTest {
  module: ReturnerModule;
  context: ReturnerContext;
}

const load = (jid: string, more: Record<string, unknown> = {}) => ({
  jid,
  fun: "test.ping",
  arg: [],
  tgt: "*",
  tgt_type: "glob",
  user: "root",
  ret: "",
  ...more,
});
const ret = (id: string, value: unknown, more: Record<string, unknown> = {}) => ({
  jid: JID,
  id,
  fun: "test.ping",
  fun_args: [],
  return: value,
  retcode: 0,
  success: true,
  ...more,
});

/** The promises of a {@link ReturnerModule} that can be an `ext_job_cache`. @param make a store without jobs each time */
export function returnerContract(name: string, make: () => Promise<ReturnerUnderTest>, skip?: string): void {
  describe(`${name} returner`, { skip }, () => {
    for (
      const { what, value, back = value } of [
        { what: "nothing", value: null },
        { what: "a text with every kind of character", value: "ä\u0000\n\"'\\ %s $1 \u{1f9c2}" },
        { what: "a float that looks like an integer", value: new Float(1) },
        { what: "an integer beyond what a double holds", value: 2n ** 60n + 1n },
        { what: "a nested value", value: { a: [1, -2.5, true, { b: null }], "": "x" } },
        { what: "bytes that are text", value: new TextEncoder().encode("ok"), back: "ok" },
        { what: "bytes that are no text", value: Uint8Array.of(255, 0), back: "b'\\xff\\x00'" },
        { what: "a map with numbers for keys", value: new Map([[10, "a"], [9, "b"]]), back: { "9": "b", "10": "a" } },
      ] as { what: string; value: unknown; back?: unknown }[]
    ) {
      test(`returns ${what}`, async () => {
        const { module, context } = await make();
        await module.returner(context, ret("web1", value));
        const found = await module.getJid!(context, JID);
        assert.deepEqual(Object.keys(found), ["web1"]);
        assert.deepEqual(found.web1!.return, back);
        assert.equal(found.web1!.retcode, 0);
        assert.equal(found.web1!.success, true);
      });
    }

    test("keeps the complete return of each minion", async () => {
      const { module, context } = await make();
      await module.returner(context, ret("web1", true, { out: "highstate" }));
      await module.returner(context, ret("web2", "no", { retcode: 3, success: false }));
      await module.returner(context, ret("web1", 1, { jid: UNKNOWN }));
      const found = await module.getJid!(context, JID);
      assert.deepEqual(Object.keys(found).sort(), ["web1", "web2"]);
      assert.equal(found.web1!.out, "highstate");
      assert.deepEqual([found.web2!.return, found.web2!.retcode, found.web2!.success], ["no", 3, false]);
    });

    test("accepts the return of several functions in one job", async () => {
      const { module, context } = await make();
      const several = { fun: ["test.ping", "cmd.run"], success: { "test.ping": true, "cmd.run": false } };
      await module.returner(context, ret("web1", { "test.ping": true, "cmd.run": "x" }, several));
      const found = await module.getJid!(context, JID);
      assert.deepEqual(found.web1!.return, { "test.ping": true, "cmd.run": "x" });
    });

    test("returns a publication with its minions, and nothing for an unknown job", async () => {
      const { module, context } = await make();
      await module.saveLoad!(context, JID, load(JID, { arg: [1, { __kwarg__: true, k: "v" }] }), ["web1", "web2"]);
      const found = await module.getLoad!(context, JID);
      assert.deepEqual(found, { ...load(JID, { arg: [1, { __kwarg__: true, k: "v" }] }), Minions: ["web1", "web2"] });
      assert.equal(await module.getLoad!(context, UNKNOWN), undefined);
      assert.deepEqual(await module.getJid!(context, UNKNOWN), {});
    });

    test("accepts a publication twice", async () => {
      const { module, context } = await make();
      await module.saveLoad!(context, JID, load(JID), ["web1"]);
      await module.saveLoad!(context, JID, load(JID), ["web1"]);
      assert.equal((await module.getLoad!(context, JID))?.fun, "test.ping");
    });

    test("lists every job, the newest first, over several pages", async () => {
      const { module, context } = await make();
      const jids = Array.from({ length: 1203 }, (_, at) => `20240506070809${String(at).padStart(6, "0")}`);
      await Promise.all(jids.map((jid) => module.saveLoad!(context, jid, load(jid), ["web1"])));
      const found: string[] = [];
      for await (const [jid, { fun }] of module.getJids!(context)) {
        assert.equal(fun, "test.ping");
        found.push(jid);
      }
      assert.deepEqual(found, [...jids].reverse());
    });

    test("returnerJobs() reads it like a job cache", async () => {
      const { module, context } = await make();
      const other = "20240507000000000000";
      await module.saveLoad!(context, JID, load(JID), ["web2", "web1"]);
      await module.saveLoad!(context, other, load(other, { fun: "cmd.run", tgt: ["db1"], user: "ann" }), ["db1"]);
      await module.returner(context, ret("web2", 2.5, { out: "highstate", retcode: 4 }));
      await module.returner(context, ret("web1", [1]));
      const jobs = returnerJobs(name, module, context);
      assert.deepEqual(await jobs.load(JID), load(JID));
      assert.equal(await jobs.hasLoad(JID), true);
      assert.equal(await jobs.hasLoad(UNKNOWN), false);
      assert.deepEqual(await jobs.minions(JID), ["web1", "web2"]);
      assert.deepEqual(await jobs.minions(UNKNOWN), []);
      assert.deepEqual(await jobs.outcomes(JID), []);
      const [first, second] = await jobs.returns(JID);
      assert.deepEqual([first!.minion, unpack(first!.return, "bin"), first!.out], ["web1", [1], undefined]);
      assert.deepEqual([second!.minion, unpack(second!.return, "bin"), second!.out], ["web2", 2.5, "highstate"]);
      assert.equal(second!.retcode, 4);
      assert.ok(Number.isNaN(second!.storedMs), "the time of arrival is not known");
      const jids = async (search = {}) => (await listed(jobs, search)).map(({ jid }) => jid);
      assert.deepEqual(await jids(), [other, JID]);
      assert.deepEqual(await jids({ oldestFirst: true }), [JID, other]);
      assert.deepEqual(await jids({ limit: 1 }), [other]);
      assert.deepEqual(await jids({ limit: 1, oldestFirst: true }), [JID]);
      assert.deepEqual(await jids({ fun: ["cmd.*"] }), [other]);
      assert.deepEqual(await jids({ target: ["db1"], user: ["ann"] }), [other]);
      assert.deepEqual(await jids({ untilMs: Date.UTC(2024, 4, 6, 8) }), [JID]);
      assert.deepEqual(await jids({ fromMs: Date.UTC(2024, 4, 6, 8) }), [other]);
      await assert.rejects(jids({ outcome: "failed" }), { name: "TypeError", message: /keeps returns only/ });
    });
  });
}
