/** Master, minions and clients over each transport: they notice no difference. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { Authority } from "../support/certificates.ts";
import { startCluster } from "../support/start_cluster.ts";

const TIMEOUT = { timeout: 60_000 };
const ONE_PORT = { transport: "ws", publish_port: 443, ret_port: 443 };

for (
  const { name, master } of [
    { name: "tcp", master: { transport: "tcp" } },
    { name: "tcp, where topics are asked for", master: { transport: "tcp", zmq_filtering: true } },
    { name: "ws", master: { transport: "ws" } },
    { name: "ws at one port", master: ONE_PORT },
  ]
) {
  describe(`transport ${name}`, TIMEOUT, () => {
    const { publish_port: _, ret_port: __, ...minion } = { publish_port: 0, ret_port: 0, ...master };

    test("jobs reach their targets, and their returns the client", async () => {
      await using cluster = await startCluster({ minions: ["web1", "web2", "db1"], master, minion });
      const client = await cluster.client();
      const returned: Record<string, unknown> = {};
      const long = "x".repeat(300_000);
      for await (const outcome of client.run({ tgt: "web*", fun: "test.echo", arg: [long] })) {
        assert.equal(outcome.kind, "returned");
        if (outcome.kind === "returned") returned[outcome.id] = outcome.return;
      }
      assert.deepEqual(returned, { web1: long, web2: long });
    });

    test("a minion is present until its connections end", async () => {
      await using cluster = await startCluster({ minions: ["web1", "web2"], master, minion });
      const present = () => [...cluster.master.services.presence.ids()].sort();
      assert.deepEqual(present(), ["web1", "web2"]);
      await cluster.minions.get("web2")!.close();
      await until(() => present().length === 1);
      assert.deepEqual(present(), ["web1"]);
    });
  });
}

describe("ssl", TIMEOUT, () => {
  const authority = new Authority();
  const stranger = new Authority("stranger");
  after(() => {
    authority[Symbol.dispose]();
    stranger[Symbol.dispose]();
  });
  const host = authority.sign("host");
  const ssl = { certfile: host.certfile, keyfile: host.keyfile, ca_certs: authority.file, cert_reqs: "CERT_REQUIRED" };

  for (const transport of ["tcp", "ws"]) {
    test(`${transport}: a minion without the right certificate is refused, which the master logs with the reason`, async () => {
      const opts = { transport, ssl };
      await using cluster = await startCluster({ place: "current", minions: ["web1"], master: opts, minion: opts });
      const client = await cluster.client();
      const asked: unknown[] = [];
      for await (const outcome of client.run({ tgt: "*", fun: "test.ping" })) asked.push([outcome.id, outcome.kind]);
      assert.deepEqual(asked, [["web1", "returned"]]);

      const refusals = () => cluster.captured.records.filter(({ message }) => message === "TLS connection refused");
      assert.deepEqual(refusals(), []);
      const wrong = stranger.sign("wrong");
      const late = cluster.startMinion("web2", {
        opts: { ssl: { certfile: wrong.certfile, keyfile: wrong.keyfile, ca_certs: authority.file } },
      });
      await until(() => refusals().some(({ fields }) => /not signed by an authority/.test(String(fields?.reason))));
      await (await late).close();
      const none = cluster.startMinion("web3", { opts: { ssl: { ca_certs: authority.file } } });
      await until(() =>
        refusals().some(({ fields }) => /the other side sent no certificate/.test(String(fields?.reason)))
      );
      await (await none).close();
      assert.deepEqual([...cluster.master.services.presence.ids()], ["web1"]);
    });
  }
});
