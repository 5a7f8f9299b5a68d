/** Which minions are connected, as connections open and close. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Presence } from "../../../src/host/master/presence.ts";

test("a minion is present from its first request until its connection closes", () => {
  let now = 1000;
  const presence = new Presence(() => now);
  assert.deepEqual([presence.connected("web1"), presence.goneSince("web1")], [false, undefined]);
  assert.equal(presence.heard("web1", "tcp://a:1"), true);
  assert.equal(presence.heard("web1", "tcp://a:1"), false);
  assert.equal(presence.connected("web1"), true);
  assert.equal(presence.upSince("web1"), 1000);
  now = 2000;
  presence.left("tcp://a:1");
  assert.equal(presence.upSince("web1"), undefined);
  assert.deepEqual([presence.connected("web1"), presence.goneSince("web1")], [false, 2000]);
  assert.equal(presence.heard("web1", "tcp://a:2"), true);
  assert.deepEqual([presence.connected("web1"), presence.goneSince("web1"), presence.upSince("web1")], [
    true,
    undefined,
    2000,
  ]);
  assert.deepEqual([...presence.remotes()], [["web1", "tcp://a:2"]]);
});

test("a minion stays present while one of its connections is open, whichever it used last", () => {
  const presence = new Presence(() => 7);
  presence.heard("web1", "tcp://a:1");
  assert.equal(presence.heard("web1", "tcp://a:2"), false);
  presence.heard("web1", "tcp://a:3");
  assert.deepEqual([...presence.connectionsOf("web1")], ["tcp://a:1", "tcp://a:2", "tcp://a:3"]);
  assert.deepEqual([...presence.connectionsOf("web2")], []);
  for (let port = 1; port <= 1000; port++) presence.heard("greedy", `tcp://b:${port}`);
  assert.deepEqual(presence.connectionsOf("greedy"), ["tcp://b:997", "tcp://b:998", "tcp://b:999", "tcp://b:1000"]);
  presence.left("tcp://a:3");
  assert.equal(presence.connected("web1"), true);
  presence.left("tcp://a:1");
  assert.equal(presence.connected("web1"), true);
  presence.left("tcp://a:1");
  assert.equal(presence.heard("web1", "tcp://a:2"), false);
  presence.left("tcp://a:2");
  assert.equal(presence.goneSince("web1"), 7);
});

test("connections that take publications, and whose minions have sent nothing, are counted by host", () => {
  const presence = new Presence(() => 7);
  assert.equal(presence.unnamed(), 0, "where the socket library does not list connections");
  presence.subscribers = () => ["tcp://a:11", "tcp://a:12", "tcp://b:11"];
  assert.equal(presence.unnamed(), 3);
  presence.heard("web1", "tcp://a:1");
  presence.heard("web1", "tcp://a:2");
  assert.equal(presence.unnamed(), 2);
  presence.heard("elsewhere", "tcp://c:1");
  for (const [id, port] of [["db1", 1], ["db2", 2]] as const) presence.heard(id, `tcp://b:${port}`);
  assert.equal(presence.unnamed(), 1, "a host has less than one connection of nobody else's");
  presence.left("tcp://a:1");
  presence.left("tcp://a:2");
  assert.equal(presence.unnamed(), 2, "its minion has gone, and the connection is there");
});

test("a minion of Brine that was away and has started without stating its jobs is one of real Salt by now", () => {
  const presence = new Presence(() => 7);
  const comes = (port: number, states: boolean) => {
    presence.heard("web1", `tcp://a:${port}`);
    if (states) presence.markBrine("web1");
    presence.started("web1");
    return presence.isBrine("web1");
  };
  assert.deepEqual([comes(1, true), comes(2, false)], [true, true], "a second connection is not a second program");
  presence.left("tcp://a:1");
  assert.deepEqual([presence.isBrine("web1"), comes(2, false)], [true, true]);
  presence.left("tcp://a:2");
  assert.equal(comes(3, true), true);
  presence.left("tcp://a:3");
  assert.deepEqual([presence.isBrine("web1"), comes(4, false)], [true, false], "not before it has started");
});

test("minions of one connection leave together; an unknown connection changes nothing", () => {
  const presence = new Presence(() => 7);
  presence.heard("web1", "tcp://a:1");
  presence.heard("web2", "tcp://a:1");
  presence.left("tcp://b:1");
  assert.deepEqual(["web1", "web2"].map((id) => presence.connected(id)), [true, true]);
  presence.left("tcp://a:1");
  assert.deepEqual(["web1", "web2"].map((id) => presence.goneSince(id)), [7, 7]);
});

test("where the sockets report no connection, every minion that sent a request is present", () => {
  const presence = new Presence(() => 7);
  presence.heard("web1", "");
  presence.left("");
  assert.equal(presence.connected("web1"), true);
});

test("the minions of a host send 1 MiB each at once, and what the largest of their messages had", () => {
  const presence = new Presence(() => 7);
  assert.equal(presence.bytesOf("a"), 0);
  presence.heard("web1", "tcp://a:1", 500);
  presence.heard("web2", "tcp://a:2", 30_000_000);
  presence.heard("web2", "tcp://a:2", 20_000_000);
  assert.deepEqual([presence.bytesOf("a"), presence.bytesOf("b")], [2 * 2 ** 20 + 30_000_000, 0]);
  presence.heard("web1", "tcp://b:1");
  presence.heard("web2", "tcp://b:2");
  assert.deepEqual([presence.bytesOf("a"), presence.bytesOf("b")], [0, 2 * 2 ** 20]);
});
