/** Closing leaves nothing behind, and closing twice is harmless. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { masterBackend } from "../../src/host/gateway/mod.ts";
import { type Cluster, startCluster } from "../support/start_cluster.ts";

const TIMEOUT = { timeout: 60_000 };

/** How each part of a site is closed, the outermost first. */
const PARTS: Record<string, (cluster: Cluster) => Promise<{ close(): unknown }>> = {
  client: async (cluster) => await cluster.client(),
  backend: async ({ runtime, masterOpts }) => {
    const backend = masterBackend({ runtime, opts: masterOpts });
    assert.equal(await backend.token("unknown"), undefined);
    return { close: () => backend[Symbol.asyncDispose]() };
  },
  minion: async (cluster) => await cluster.minions.get("web1")!,
  master: async (cluster) => await cluster.master,
};

describe("closing", TIMEOUT, () => {
  for (const [name, open] of Object.entries(PARTS)) {
    test(`a ${name} twice, one after the other and at once, is harmless`, TIMEOUT, async () => {
      await using cluster = await startCluster();
      const part = await open(cluster);
      await Promise.all([part.close(), part.close()]);
      await part.close();
    });
  }

  test("a whole site leaves no timer, no listener and no socket file", TIMEOUT, async () => {
    const cluster = await startCluster({ minions: ["web1", "web2"] });
    const client = await cluster.client();
    const job = await client.publish({ tgt: "*", fun: "test.ping" });
    await until(() => cluster.events.filter(({ tag }) => tag.startsWith(`salt/job/${job!.jid}/ret/`)).length >= 2);
    const { publishEndpoint, requestEndpoint } = cluster.master;
    await cluster.close();
    // Returns are synced to disk a moment after they were written, possibly after closing.
    cluster.clock.advance(100);
    assert.deepEqual(cluster.clock.waits, []);
    for (const endpoint of [publishEndpoint, requestEndpoint]) {
      const port = Number(endpoint.slice(endpoint.lastIndexOf(":") + 1));
      await assert.rejects(cluster.runtime.net.dial({ kind: "tcp", host: "127.0.0.1", port }), {
        errno: "ECONNREFUSED",
      });
    }
    const sockets = cluster.runtime.fs.list(`${cluster.root}/sock`);
    assert.deepEqual(sockets, []);
  });
});
