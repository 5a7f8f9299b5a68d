import assert from "node:assert/strict";
import { test } from "node:test";
import { isNoise, shownEventFilter, ShownEvents } from "../../src/console/event_log.ts";

const event = (tag: string, data: Record<string, unknown> = {}) => ({ tag, data });

for (
  const { filter, tag, data = {}, want } of [
    { filter: "", tag: "salt/auth", want: true },
    { filter: "salt/job/*/ret/*", tag: "salt/job/1/ret/web1", want: true },
    { filter: "salt/job/*", tag: "salt/run/1/new", want: false },
    { filter: "AUTH", tag: "salt/auth", want: true },
    { filter: "test.ping", tag: "salt/job/1/new", data: { fun: "test.ping" }, want: true },
    { filter: "-test.ping", tag: "salt/job/1/new", data: { fun: "test.ping" }, want: false },
    { filter: "salt/job/* web1", tag: "salt/job/1/ret/web1", want: true },
    { filter: "salt/job/* web2", tag: "salt/job/1/ret/web1", want: false },
    { filter: "- ", tag: "salt/auth", want: true },
  ]
) {
  test(`the filter "${filter}" ${want ? "matches" : "does not match"} ${tag}`, () => {
    assert.equal(shownEventFilter(filter)(event(tag, data)), want);
  });
}

test("a log keeps the last events, and so does the list of matching events", () => {
  const log = new ShownEvents(100);
  log.filter = ({ tag }) => tag.endsWith("0");
  for (let at = 0; at < 1000; at++) {
    log.add(event(`t${at}`), at);
    assert.ok(log.size <= 110);
    const oldest = log.all[0]!.number;
    assert.deepEqual(log.matching, log.all.filter(({ tag }) => tag.endsWith("0")));
    assert.ok(log.matching.every(({ number }) => number >= oldest));
  }
  assert.equal(log.all.at(-1)?.tag, "t999");
  assert.equal(log.total, 1000);
});

test("a paused log shows no new events and loses none", () => {
  const log = new ShownEvents(100);
  log.add(event("a"), 0);
  log.pause();
  log.add(event("b"), 0);
  assert.deepEqual([log.matching.length, log.waiting, log.all.length], [1, 1, 2]);
  log.resume();
  assert.deepEqual(log.matching.map(({ tag }) => tag), ["a", "b"]);
  log.clear();
  assert.deepEqual([log.size, log.waiting, log.matching.length], [0, 0, 0]);
});

test("large events push the oldest out, so that a flood of them takes bounded memory", () => {
  const log = new ShownEvents(100, 1000);
  for (let at = 0; at < 50; at++) log.add({ ...event(`small${at}`), size: 10 }, 0);
  assert.equal(log.size, 50);
  log.filter = () => true;
  for (let at = 0; at < 20; at++) log.add({ ...event(`large${at}`), size: 400 }, 0);
  assert.deepEqual(log.matching.map(({ tag }) => tag), ["large18", "large19"]);
  log.pause();
  for (let at = 0; at < 20; at++) log.add({ ...event(`later${at}`), size: 400 }, 0);
  assert.equal(log.waiting, 2);
  log.resume();
  assert.deepEqual(log.all.map(({ tag }) => tag), ["later18", "later19"]);
  // One that is larger than all may be is kept until the next.
  log.add({ ...event("huge"), size: 5000 }, 0);
  assert.deepEqual(log.all.map(({ tag }) => tag), ["huge"]);
});

test("the events that a list has drawn stay in their places while the oldest are dropped", () => {
  const log = new ShownEvents(100);
  for (let at = 0; at < 110; at++) log.add(event(`a${at}`), 0);
  const drawn = log.matching;
  log.add(event("b"), 0);
  assert.equal(drawn[109]!.tag, "a109");
  assert.deepEqual([log.matching.length, log.matching[0]!.tag, log.matching.at(-1)!.tag], [100, "a11", "b"]);
});

for (
  const { tag, data = {}, want } of [
    { tag: "20261121084331391697", want: true },
    { tag: "salt/job/20261121084331391697/new", data: { fun: "cmd.run" }, want: false },
    { tag: "salt/job/20261121084331391697/ret/web1", data: { fun: "saltutil.running" }, want: true },
    { tag: "salt/run/20261121084331391697/ret", data: { fun: "runner.jobs.tally" }, want: true },
    { tag: "salt/run/20261121084331391697/ret", data: { fun: "runner.state.orch" }, want: false },
    { tag: "salt/wheel/20261121084331391697/new", data: { fun: "wheel.key.finger" }, want: true },
    { tag: "salt/wheel/20261121084331391697/new", data: { fun: "wheel.key.accept" }, want: false },
    { tag: "salt/auth", data: { act: "pend", id: "web1" }, want: false },
  ] as { tag: string; data?: Record<string, unknown>; want: boolean }[]
) {
  test(`${tag} of ${data.fun ?? "no function"} ${want ? "is hidden at first" : "is shown"}`, () => {
    assert.equal(isNoise({ tag, data }), want);
  });
}
