import assert from "node:assert/strict";
import { test } from "node:test";
import { LastingTrouble } from "../../../src/host/minion/lasting_trouble.ts";
import { captureLog } from "../../support/capture_log.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const MINUTES = 60_000;

test("a trouble is told at once, again every ten minutes, and once when it is over", () => {
  const clock = new FakeClock();
  const { log, records } = captureLog();
  const trouble = new LastingTrouble({ clock, log });
  const fields = { master: "tcp://m:4506" };
  trouble.end("back", fields);
  assert.deepEqual(records, []);
  trouble.begin("away", fields);
  trouble.begin("away", fields);
  clock.advance(25 * MINUTES);
  trouble.end("back", fields);
  trouble.end("back", fields);
  clock.advance(60 * MINUTES);
  assert.deepEqual(records.map(({ level, message, fields: { seconds } }) => [level, message, seconds]), [
    ["warning", "away", undefined],
    ["warning", "away", 600],
    ["warning", "away", 1200],
    ["warning", "back", 1500],
  ]);
  trouble.begin("away", fields);
  trouble.forget();
  clock.advance(60 * MINUTES);
  assert.equal(records.length, 5);
});
