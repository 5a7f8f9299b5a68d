/** The master key and the session keys are changed while jobs run. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { startCluster } from "../support/start_cluster.ts";

const TIMEOUT = { timeout: 120_000 };

describe("rotation", TIMEOUT, () => {
  const dropped = [
    { name: "empty, as 3006 drops it", content: "", mode: 0o400, rotates: true, removed: true },
    { name: "with our id, as 3007 drops it", content: "salt_master", mode: 0o400, rotates: true, removed: true },
    { name: "with another master's id", content: "other_master", mode: 0o400, rotates: false, removed: false },
    { name: "of a mode that lets other users create it", content: "", mode: 0o644, rotates: false, removed: true },
  ];
  for (const { name, content, mode, rotates, removed } of dropped) {
    test(
      `by a drop file ${name}: ${rotates ? "the next job runs under the new key" : "nothing"}`,
      TIMEOUT,
      async () => {
        await using cluster = await startCluster({ minions: ["web1", "web2"] });
        const client = await cluster.client();
        const all = { web1: true, web2: true };
        assert.deepEqual(await client.command({ tgt: "*", fun: "test.ping" }), all);
        const peer = await cluster.peer("web1");
        const before = peer.auth.signedIn!.publications.keyString;
        const { fs } = cluster.runtime;
        const drop = `${cluster.root}/cache/.dfn`;
        fs.write(drop, content, { mode });
        cluster.clock.advance(1000);
        await until(() => (fs.stat(drop) === undefined) === removed);
        await peer.signIn();
        assert.equal(peer.auth.signedIn!.publications.keyString !== before, rotates);
        assert.equal(cluster.events.some(({ tag, data }) => tag === "key" && data.rotate_aes_key === true), rotates);
        for (let n = 0; n < 3; n++) assert.deepEqual(await client.command({ tgt: "*", fun: "test.ping" }), all);
      },
    );
  }

  test("by time: after publish_session the master has a new key, and jobs continue", TIMEOUT, async () => {
    await using cluster = await startCluster({ master: { publish_session: 3600 } });
    const client = await cluster.client();
    assert.deepEqual(await client.command({ tgt: "*", fun: "test.ping" }), { web1: true });
    const peer = await cluster.peer("web1");
    const before = peer.auth.signedIn!;
    for (let minute = 0; minute < 61; minute++) {
      cluster.clock.advance(60_000);
      await new Promise<void>((resolve) => cluster.runtime.later(resolve));
    }
    await cluster.event("key");
    assert.deepEqual(await client.command({ tgt: "*", fun: "test.ping" }), { web1: true });
    // The session has expired, too: the request is refused, and accepted after a new sign-in.
    assert.deepEqual(await peer.send({ cmd: "_file_envs" }), ["base"]);
    const after = peer.auth.signedIn!;
    assert.notEqual(after.publications.keyString, before.publications.keyString);
    assert.notEqual(after.session.keyString, before.session.keyString);
  });

  test(
    "a publication under the new key is numbered from 1 again, one under the old key is refused",
    TIMEOUT,
    async () => {
      await using cluster = await startCluster();
      const client = await cluster.client();
      for (let n = 0; n < 3; n++) await client.command({ tgt: "*", fun: "test.ping" });
      cluster.master.services.rotateMasterKey();
      assert.deepEqual(await client.command({ tgt: "*", fun: "test.ping" }), { web1: true });
      assert.ok(!cluster.captured.complaints().some((message) => message.includes("received before")));
    },
  );
});
