import assert from "node:assert/strict";
import { test } from "node:test";
import { EventBus } from "../../../../src/model/event/bus.ts";
import { RefusalEvents } from "../../../../src/host/master/access/refusal_events.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

const ERROR = { error: { name: "AuthorizationError", message: "Authorization error occurred." } };

test("a user who may not do something causes few events, and none with many arguments", () => {
  const clock = new FakeClock();
  const bus = new EventBus(() => clock.now());
  const events: { tag: string; data: Record<string, unknown> }[] = [];
  bus.on(({ tag, data }) => void events.push({ tag, data }));
  const refusals = new RefusalEvents(bus, clock);
  const load = {
    cmd: "publish",
    fun: "cmd.run",
    arg: ["id"],
    tgt: "*",
    jid: "20240506070809123456",
    user: "root",
    x: "y",
  };
  refusals.notPermitted("bob", load, ERROR);
  const { _stamp, ...data } = events[0]!.data;
  const { x: _x, user: _user, ...told } = load;
  assert.deepEqual(events[0]!.tag, "salt/job/20240506070809123456/error");
  assert.deepEqual(data, { ...told, tgt_type: undefined, user: "bob", ...ERROR });
  refusals.notPermitted("bob", { ...load, arg: ["x".repeat(5000)] }, ERROR);
  assert.deepEqual([events[1]!.data.arg, events[1]!.data.tgt], [undefined, undefined]);
  for (let count = 0; count < 100; count++) refusals.notPermitted("bob", load, ERROR);
  assert.equal(events.length, 20);
  refusals.notPermitted("ann", load, ERROR);
  assert.equal(events.length, 21);
});
