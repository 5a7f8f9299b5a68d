import assert from "node:assert/strict";
import { test } from "node:test";
import { BusEvent } from "../../../src/model/event/bus.ts";
import { causeOf, LoopGuard, WINDOW_MS } from "../../../src/feature/reactor/loop_guard.ts";

let last = 0;
const jid = () => String(++last).padStart(20, "0");
const event = (tag: string, data: Record<string, unknown> = {}, cause?: string) => BusEvent.fromData(tag, data, cause);

function guardOf(limit: number) {
  const clock = { now: 0 };
  return { clock, guard: new LoopGuard({ elapsed: () => clock.now, limit }) };
}

/** Runs an SLS for an event, and fires what its job causes. */
function react(guard: LoopGuard, seen: BusEvent, sls: string): { jid: string } | { stopped: string } {
  const entered = guard.enter(seen, sls);
  if ("stopped" in entered) return entered;
  const started = jid();
  guard.started(started, entered);
  return { jid: started };
}

test("a reaction that causes its own event runs so often as the limit says, and is named with its round", () => {
  const { guard } = guardOf(3);
  let seen = event("my/loop");
  for (let round = 0; round < 3; round++) {
    const found = react(guard, seen, "/loop.sls");
    assert.ok("jid" in found, String(round));
    seen = event("my/loop", {}, found.jid);
  }
  assert.deepEqual(react(guard, seen, "/loop.sls"), {
    stopped:
      "it ran 3 times within 60 s because of jobs that it started, first with the event my/loop: my/loop -> /loop.sls",
  });
});

test("two that cause each other are stopped as well, and others of the chain go on", () => {
  const { guard } = guardOf(2);
  let seen = event("a");
  const ran: string[] = [];
  for (let round = 0; round < 10; round++) {
    const sls = round % 2 === 0 ? "/a.sls" : "/b.sls";
    const found = react(guard, seen, sls);
    if ("stopped" in found) break;
    ran.push(sls);
    seen = event(round % 2 === 0 ? "b" : "a", {}, found.jid);
  }
  assert.deepEqual(ran, ["/a.sls", "/b.sls", "/a.sls", "/b.sls"]);
  assert.ok("jid" in react(guard, seen, "/c.sls"));
});

test("a job whose jid has its process behind it (unique_jid) is known by its tags as well", () => {
  const { guard } = guardOf(3);
  let seen = event("my/loop");
  for (let round = 0; round < 3; round++) {
    const entered = guard.enter(seen, "/loop.sls");
    assert.ok(!("stopped" in entered), String(round));
    const unique = `${jid()}_4242`;
    guard.started(unique, entered);
    seen = event(`salt/job/${unique}/ret/web1`);
    assert.equal(causeOf(seen), unique);
  }
  assert.ok("stopped" in guard.enter(seen, "/loop.sls"));
});

test("what merely comes often is not stopped", () => {
  const { guard } = guardOf(3);
  for (let n = 0; n < 1000; n++) assert.ok("jid" in react(guard, event("salt/beacon/m1/load/"), "/load.sls"));
});

test("a round that takes long is not stopped: it may be meant to try again and again", () => {
  const { guard, clock } = guardOf(3);
  let seen = event("again");
  for (let round = 0; round < 50; round++) {
    const found = react(guard, seen, "/again.sls");
    assert.ok("jid" in found, String(round));
    seen = event("again", {}, found.jid);
    clock.now += WINDOW_MS / 2;
  }
});

test("the jobs of a runner belong to the chain of the runner", () => {
  const { guard } = guardOf(1);
  const found = react(guard, event("start"), "/orch.sls");
  assert.ok("jid" in found);
  const below = jid();
  guard.saw(event(`salt/job/${below}/new`, { jid: below }, found.jid));
  assert.ok("stopped" in react(guard, event(`salt/job/${below}/ret/m1`, { jid: below }), "/orch.sls"));
});

for (
  const { name, seen, want } of [
    { name: "who fired it", seen: event("a", {}, "1".repeat(20)), want: "1".repeat(20) },
    { name: "a return", seen: event(`salt/job/${"2".repeat(20)}/ret/m1`), want: "2".repeat(20) },
    { name: "a bare jid", seen: event("3".repeat(20)), want: "3".repeat(20) },
    { name: "a state", seen: event(`salt/state_result/${"4".repeat(20)}/m1/one`), want: "4".repeat(20) },
    { name: "event.send of a minion", seen: event("a", { data: { __pub_jid: "5".repeat(20) } }), want: "5".repeat(20) },
    { name: "a field", seen: event("a", { jid: "6".repeat(20) }), want: "6".repeat(20) },
    { name: "nothing", seen: event("a", { jid: "req" }), want: undefined },
  ]
) {
  test(`causeOf: ${name}`, () => assert.equal(causeOf(seen), want));
}
