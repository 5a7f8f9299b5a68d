/** A master at several addresses, and minions that reach it by IPv4 and by IPv6. */
import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { test } from "node:test";
import { startCluster } from "../support/start_cluster.ts";

const hasIpv6 = Object.values(networkInterfaces()).flat().some((one) => one?.address === "::1");
const skip = hasIpv6 ? false : "this host has no IPv6";

test(
  "interface as a list: the master listens on each address at the same ports",
  { skip, timeout: 60_000 },
  async () => {
    await using cluster = await startCluster({
      place: "current",
      minions: [],
      master: { interface: ["127.0.0.1", "::1"], tcp_keepalive_idle: 30 },
    });
    const opts = { tcp_keepalive_idle: -1 };
    await (await cluster.startMinion("web4", { opts })).ready;
    await (await cluster.startMinion("web6", { opts: { ...opts, master: "[::1]", ipv6: true } })).ready;
    const client = await cluster.client();
    const back: string[] = [];
    for await (const { id, kind } of client.run({ tgt: "*", fun: "test.ping" })) back.push(`${id} ${kind}`);
    assert.deepEqual(back.sort(), ["web4 returned", "web6 returned"]);
  },
);
