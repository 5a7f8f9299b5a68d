/** How many incoming connections are accepted, and which one is closed when there are too many. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { turns, until } from "../../../bench/bed/until.ts";
import { descriptorsForOthers } from "../../../src/runtime/descriptors.ts";
import { memoryNet } from "../../../src/runtime/memory/net.ts";
import { ConnectionLimit } from "../../../src/protocol/zmtp/connection_limit.ts";
import { RouterSocket } from "../../../src/protocol/zmtp/mod.ts";
import { RawPeer, testContext } from "./context.ts";

function setup(maxConnections: number, known: readonly string[] = []) {
  const connectionLimit = new ConnectionLimit({ maxConnections, knownHost: (host) => known.includes(host) });
  const closed: string[] = [];
  const come = (...remotes: string[]) => {
    for (const remote of remotes) connectionLimit.add({ remote, fail: () => void closed.push(remote) });
  };
  return { connectionLimit, closed, come };
}

describe("when all places are taken", () => {
  const rows: { name: string; max: number; known?: string[]; come: string[]; closed: string[] }[] = [
    {
      name: "the unknown host with the most connections loses its oldest",
      max: 3,
      come: ["tcp://good:1", "tcp://bad:1", "tcp://bad:2", "tcp://new:1", "tcp://bad:3"],
      closed: ["tcp://bad:1", "tcp://bad:2"],
    },
    {
      name: "hosts of minions lose none to unknown hosts, however many they have",
      max: 4,
      known: ["minion"],
      come: ["tcp://minion:1", "tcp://minion:2", "tcp://minion:3", "tcp://bad:1", "tcp://minion:4", "tcp://bad:2"],
      closed: ["tcp://bad:1", "tcp://bad:2"],
    },
    {
      name: "and all are minions', a new connection is refused",
      max: 2,
      known: ["minion"],
      come: ["tcp://minion:1", "tcp://minion:2", "tcp://minion:3"],
      closed: ["tcp://minion:3"],
    },
    {
      name: "the addresses of one IPv6 host count as one host",
      max: 3,
      come: ["tcp://10.0.0.7:1", "tcp://[2001:db8::1]:1", "tcp://[2001:db8::2]:1", "tcp://[2001:db8::3]:1"],
      closed: ["tcp://[2001:db8::1]:1"],
    },
  ];
  for (const { name, max, known, come: remotes, closed: want } of rows) {
    test(name, () => {
      const { connectionLimit, closed, come } = setup(max, known);
      come(...remotes);
      assert.deepEqual([closed, connectionLimit.size], [want, max]);
    });
  }
});

test(
  "a socket accepts no more connections than its limit, and has room again once some have closed",
  { timeout: 120_000 },
  async () => {
    const context = testContext({ net: memoryNet() });
    const connectionLimit = new ConnectionLimit({ maxConnections: 5, knownHost: () => false });
    const router = new RouterSocket(context, { connectionLimit });
    const at = await router.bind("tcp://127.0.0.1:0");
    const peers: RawPeer[] = [];
    for (let count = 0; count < 12; count++) {
      peers.push(await RawPeer.dial(context.net, at));
      await turns(3);
    }
    await until(() => peers.filter(({ closed }) => closed).length >= 7);
    assert.equal(connectionLimit.size, 5);
    for (const peer of peers) peer.connection.destroy();
    await until(() => connectionLimit.size === 0);
    await router.close();
  },
);

describe("descriptors are reserved from network connections", () => {
  const line = (soft: string) =>
    `Limit            Soft Limit  Hard Limit  Units\nMax open files   ${soft}        524288      files\n`;
  const absent = (): string => {
    throw new Error("ENOENT");
  };
  const rows: { name: string; readText: () => string; want: number }[] = [
    { name: "a fifth of few", readText: () => line("1024"), want: 819 },
    { name: "a thousand of many", readText: () => line("100000"), want: 99_000 },
    { name: "none without a bound", readText: () => line("unlimited"), want: Infinity },
    { name: "none where the system does not report a limit", readText: absent, want: Infinity },
  ];
  for (const { name, readText, want } of rows) {
    test(name, () => assert.equal(descriptorsForOthers({ readText }), want));
  }
});
