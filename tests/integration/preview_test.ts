/** The targets of a job, previewed for users who may publish it, by the same rules, and without a message to any minion. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { type Cluster, startCluster } from "../support/start_cluster.ts";

const TIMEOUT = { timeout: 60_000 };

async function site(): Promise<Cluster> {
  return await startCluster({
    minions: ["web1", "db1"],
    grains: (id) => ({ role: id.slice(0, -1) }),
    master: { external_auth: { file: { "^filename": "/brine/users", rita: [{ "web*": ["test.*"] }] } } },
    prepare: ({ fs }) => fs.write("/brine/users", "rita:rrr\n", { mode: 0o600 }),
  });
}

const RITA = { eauth: "file", username: "rita", password: "rrr" };

describe("LocalClient.preview()", TIMEOUT, () => {
  test("returns the minions that a target matches, and publishes nothing", async () => {
    await using cluster = await site();
    const client = await cluster.client();
    for (
      const { tgt, tgt_type, want } of [
        { tgt: "*", tgt_type: "glob", want: { minions: ["db1", "web1"], missing: [] } },
        { tgt: "role:web", tgt_type: "grain", want: { minions: ["web1"], missing: [] } },
        { tgt: "nobody*", tgt_type: "glob", want: { minions: [], missing: [] } },
        { tgt: ["web1", "ghost"], tgt_type: "list", want: { minions: ["web1"], missing: ["ghost"] } },
      ]
    ) assert.deepEqual(await client.preview({ tgt, tgt_type, fun: "cmd.run", arg: ["id"] }), want);
    assert.deepEqual(await cluster.jids(), []);
    assert.deepEqual(cluster.events.filter(({ tag }) => tag.startsWith("salt/job/")), []);
  });

  test("names the minions that are counted on, and of which the master has no grains", async () => {
    await using cluster = await site();
    const client = await cluster.client();
    cluster.runtime.fs.remove(`${cluster.root}/cache/minions/db1`, { recursive: true });
    const ask = (tgt: string, tgt_type: string) => client.preview({ tgt, tgt_type, fun: "test.ping" });
    assert.deepEqual(await ask("role:web", "grain"), { minions: ["db1", "web1"], missing: [], unknown: ["db1"] });
    assert.deepEqual(await ask("*", "glob"), { minions: ["db1", "web1"], missing: [] });
    assert.deepEqual(await ask("G@role:web and not db1", "compound"), { minions: ["web1"], missing: [] });
  });

  test("previews jobs that the user may run, and refuses others as publish does", async () => {
    await using cluster = await site();
    const client = await cluster.client();
    const ask = (tgt: string, fun: string, credentials: Record<string, string> = RITA) =>
      client.preview({ tgt, fun, credentials });
    assert.deepEqual((await ask("web*", "test.ping")).minions, ["web1"]);
    for (
      const [code, tgt, fun, credentials] of [
        ["PERMISSION", "*", "test.ping"],
        ["PERMISSION", "web*", "cmd.run"],
        ["AUTHENTICATION", "web*", "test.ping", { ...RITA, password: "wrong" }],
        ["AUTHENTICATION", "web*", "test.ping", { token: "0".repeat(64) }],
      ] as const
    ) {
      let settled = false;
      const refused = ask(tgt, fun, credentials).finally(() => settled = true);
      refused.catch(() => {});
      // The reply to a wrong password is delayed.
      await until(() => {
        if (!settled) cluster.clock.advance(20);
        return settled;
      });
      await assert.rejects(refused, { code });
    }
  });
});
