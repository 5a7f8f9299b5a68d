import assert from "node:assert/strict";
import { test } from "node:test";
import { LastErrors } from "../../../cli/daemon/last_errors.ts";
import { FakeClock } from "../../support/fake_clock.ts";

test("LastErrors keeps the constant text of errors alone, the latest first and each once", () => {
  const clock = new FakeClock();
  const errors = new LastErrors(() => clock.now());
  const note = (level: "error" | "warning" | "critical", message: string) =>
    errors.note({ level, name: "req", message, fields: { password: "hunter2" } });
  note("error", "one");
  note("warning", "not kept");
  note("critical", "two");
  clock.advance(1000);
  note("error", "one");
  assert.deepEqual(errors.list(), [
    { time: "2024-05-06T07:08:10.123Z", level: "error", part: "req", message: "one", count: 2 },
    { time: "2024-05-06T07:08:09.123Z", level: "critical", part: "req", message: "two", count: 1 },
  ]);
  for (let i = 0; i < 1000; i++) note("error", `message ${i}`);
  assert.equal(errors.list().length, 20);
});
