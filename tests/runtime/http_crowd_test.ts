import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { HttpCrowd, type HttpGuest, type HttpLimits, limitsOf } from "../../src/runtime/http_crowd.ts";
import { networkOf } from "../../src/runtime/network.ts";

function crowdOf(limits: Partial<HttpLimits> = {}) {
  const now = { ms: 0 };
  const crowd = new HttpCrowd({ most: 4, mostOfOne: 4, idleMs: 1000, ...limits }, () => now.ms);
  const closed: string[] = [];
  const enter = (name: string, address = "10.0.0.1"): HttpGuest => {
    const guest = { address, close: () => void closed.push(name) };
    crowd.enter(guest);
    return guest;
  };
  return { crowd, now, closed, enter };
}

describe("the connections of an HTTP server", () => {
  test("without room, the oldest idle one goes of the address that has the most", () => {
    const { crowd, closed, enter } = crowdOf();
    enter("quiet", "10.0.0.9");
    for (const name of ["a", "b", "c", "d", "e"]) enter(name);
    assert.deepEqual(closed, ["a", "b"]);
    enter("honest", "10.0.0.8");
    assert.deepEqual(closed, ["a", "b", "c"]);
    assert.equal(crowd.size, 4);
    crowd.close();
  });

  test("one with a request stays while others are idle, and then goes only for an address with fewer", () => {
    const { crowd, closed, enter } = crowdOf();
    const busy = ["a", "b", "c"].map((name) => enter(name));
    for (const guest of busy) crowd.begin(guest);
    enter("idle", "10.0.0.7");
    enter("next", "10.0.0.8");
    assert.deepEqual(closed, ["idle"]);
    crowd.begin(enter("last", "10.0.0.9"));
    assert.deepEqual(closed, ["idle", "next"]);
    enter("honest", "10.0.0.6");
    assert.deepEqual(closed, ["idle", "next", "a"]);
    crowd.close();
  });

  test("known callers stay, whoever comes", () => {
    const { crowd, closed, enter } = crowdOf();
    for (const name of ["a", "b", "c", "d"]) {
      const guest = enter(name);
      crowd.begin(guest);
      crowd.known(guest);
    }
    enter("stranger", "10.0.0.9");
    assert.deepEqual(closed, ["stranger"]);
    crowd.close();
  });

  test("after its request, a known caller's connection is as idle as any", () => {
    const { crowd, closed, enter } = crowdOf({ most: 1 });
    const guest = enter("a");
    crowd.begin(guest);
    crowd.begin(guest);
    crowd.known(guest);
    crowd.end(guest);
    enter("b", "10.0.0.9");
    assert.deepEqual(closed, ["b"]);
    crowd.end(guest);
    enter("c", "10.0.0.9");
    assert.deepEqual(closed, ["b", "a"]);
    crowd.close();
  });

  test("idle ones end after their time, those that send an answer do not", () => {
    const { crowd, now, closed, enter } = crowdOf();
    const [a, b] = [enter("a"), enter("b")];
    enter("c");
    crowd.begin(b);
    now.ms = 900;
    crowd.active(a);
    now.ms = 1000;
    crowd.sweep();
    assert.deepEqual(closed, ["c"]);
    now.ms = 1900;
    crowd.sweep();
    assert.deepEqual(closed, ["c", "a"]);
    crowd.close();
    assert.deepEqual(closed, ["c", "a", "b"]);
    assert.equal(crowd.size, 0);
  });

  test("an IPv6 host counts once, whichever of its addresses it uses", () => {
    const { crowd, closed, enter } = crowdOf({ mostOfOne: 2 });
    for (const at of [1, 2, 3]) enter(`v6-${at}`, `2001:db8:0:1::${at}`);
    enter("other", "2001:db8:0:2::1");
    assert.deepEqual(closed, ["v6-1"]);
    crowd.close();
  });

  test("leaving twice, and news of a connection that is gone, change nothing", () => {
    const { crowd, closed, enter } = crowdOf();
    const guest = enter("a");
    crowd.leave(guest);
    for (const tell of [crowd.leave, crowd.begin, crowd.end, crowd.known, crowd.active]) tell.call(crowd, guest);
    assert.deepEqual([crowd.size, closed], [0, []]);
    crowd.close();
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
