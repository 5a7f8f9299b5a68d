import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  HttpConnectionLimit,
  type HttpGuest,
  type HttpLimits,
  limitsOf,
} from "../../src/runtime/http_connection_limit.ts";
import { networkOf } from "../../src/runtime/net.ts";

function limitOf(limits: Partial<HttpLimits> = {}) {
  const now = { ms: 0 };
  const connectionLimit = new HttpConnectionLimit({ most: 4, mostOfOne: 4, idleMs: 1000, ...limits }, () => now.ms);
  const closed: string[] = [];
  const enter = (name: string, address = "10.0.0.1"): HttpGuest => {
    const guest = { address, close: () => void closed.push(name) };
    connectionLimit.enter(guest);
    return guest;
  };
  return { connectionLimit, now, closed, enter };
}

describe("the connections of an HTTP server", () => {
  test("without room, the oldest idle one goes of the address that has the most", () => {
    const { connectionLimit, closed, enter } = limitOf();
    enter("quiet", "10.0.0.9");
    for (const name of ["a", "b", "c", "d", "e"]) enter(name);
    assert.deepEqual(closed, ["a", "b"]);
    enter("honest", "10.0.0.8");
    assert.deepEqual(closed, ["a", "b", "c"]);
    assert.equal(connectionLimit.size, 4);
    connectionLimit.close();
  });

  test("one with a request stays while others are idle, and then goes only for an address with fewer", () => {
    const { connectionLimit, closed, enter } = limitOf();
    const busy = ["a", "b", "c"].map((name) => enter(name));
    for (const guest of busy) connectionLimit.begin(guest);
    enter("idle", "10.0.0.7");
    enter("next", "10.0.0.8");
    assert.deepEqual(closed, ["idle"]);
    connectionLimit.begin(enter("last", "10.0.0.9"));
    assert.deepEqual(closed, ["idle", "next"]);
    enter("honest", "10.0.0.6");
    assert.deepEqual(closed, ["idle", "next", "a"]);
    connectionLimit.close();
  });

  test("known callers stay, whoever comes", () => {
    const { connectionLimit, closed, enter } = limitOf();
    for (const name of ["a", "b", "c", "d"]) {
      const guest = enter(name);
      connectionLimit.begin(guest);
      connectionLimit.known(guest);
    }
    enter("stranger", "10.0.0.9");
    assert.deepEqual(closed, ["stranger"]);
    connectionLimit.close();
  });

  test("after its request, a known caller's connection is as idle as any", () => {
    const { connectionLimit, closed, enter } = limitOf({ most: 1 });
    const guest = enter("a");
    connectionLimit.begin(guest);
    connectionLimit.begin(guest);
    connectionLimit.known(guest);
    connectionLimit.end(guest);
    enter("b", "10.0.0.9");
    assert.deepEqual(closed, ["b"]);
    connectionLimit.end(guest);
    enter("c", "10.0.0.9");
    assert.deepEqual(closed, ["b", "a"]);
    connectionLimit.close();
  });

  test("idle ones end after their time, those that send an answer do not", () => {
    const { connectionLimit, now, closed, enter } = limitOf();
    const [a, b] = [enter("a"), enter("b")];
    enter("c");
    connectionLimit.begin(b);
    now.ms = 900;
    connectionLimit.active(a);
    now.ms = 1000;
    connectionLimit.sweep();
    assert.deepEqual(closed, ["c"]);
    now.ms = 1900;
    connectionLimit.sweep();
    assert.deepEqual(closed, ["c", "a"]);
    connectionLimit.close();
    assert.deepEqual(closed, ["c", "a", "b"]);
    assert.equal(connectionLimit.size, 0);
  });

  test("an IPv6 host counts once, whichever of its addresses it uses", () => {
    const { connectionLimit, closed, enter } = limitOf({ mostOfOne: 2 });
    for (const at of [1, 2, 3]) enter(`v6-${at}`, `2001:db8:0:1::${at}`);
    enter("other", "2001:db8:0:2::1");
    assert.deepEqual(closed, ["v6-1"]);
    connectionLimit.close();
  });

  test("leaving twice, and news of a connection that is gone, change nothing", () => {
    const { connectionLimit, closed, enter } = limitOf();
    const guest = enter("a");
    connectionLimit.leave(guest);
    for (
      const tell of [
        connectionLimit.leave,
        connectionLimit.begin,
        connectionLimit.end,
        connectionLimit.known,
        connectionLimit.active,
      ]
    ) tell.call(connectionLimit, guest);
    assert.deepEqual([connectionLimit.size, closed], [0, []]);
    connectionLimit.close();
  });

  test("a server that takes several descriptors for each has room for fewer", () => {
    assert.equal(
      limitsOf({ host: "", port: 0, connections: { most: 100, mostOfOne: 9, descriptors: 90 } }, 3).most,
      30,
    );
    assert.equal(limitsOf({ host: "", port: 0, connections: { most: 10, mostOfOne: 9, descriptors: 90 } }, 3).most, 10);
    assert.equal(limitsOf({ host: "", port: 0 }, 1).most, Infinity);
  });
});

for (
  const [address, network] of [
    ["10.0.0.1", "10.0.0.1"],
    ["::ffff:10.0.0.1", "10.0.0.1"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:0db8:0:0:1:2:3:4", "2001:db8:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["", ""],
  ] as const
) {
  test(`the network of ${JSON.stringify(address)} is ${JSON.stringify(network)}`, () => {
    assert.equal(networkOf(address), network);
  });
}
