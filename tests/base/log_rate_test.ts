/** What is logged is bounded, also when remote peers cause it: by message, by logger, and in the length of a line. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createLogger, formatText, type LogRecord } from "../../src/base/log.ts";
import { LogRate } from "../../src/base/log_rate.ts";
import { FakeClock } from "../support/fake_clock.ts";

function setup() {
  const clock = new FakeClock();
  const records: LogRecord[] = [];
  const rate = new LogRate((record) => records.push(record), clock);
  return { clock, rate, log: createLogger(rate.sink, "all"), messages: () => records.map(({ message }) => message) };
}

describe("LogRate", () => {
  test("passes rare records, with their fields", () => {
    const { log, messages } = setup();
    for (let count = 0; count < 20; count++) log.warning("refused", { id: count });
    log.child("other").warning("refused");
    log.error("refused");
    assert.equal(messages().length, 22);
  });

  test("counts hundreds of thousands of records, and reports the number when the window is over", () => {
    const { clock, log, messages } = setup();
    for (let count = 0; count < 102_000; count++) {
      if (count === 50_000) clock.advance(9000);
      log.warning("return refused", { id: `m${count}` });
    }
    assert.equal(messages().length, 20);
    clock.advance(1000);
    assert.deepEqual(messages().slice(20), ["return refused … and 101,980 more like this in 10 s"]);
    log.warning("return refused");
    assert.equal(messages().length, 22);
    clock.advance(60_000);
    assert.equal(messages().length, 22);
  });

  test("counts the messages of one logger separately, and above a limit together", () => {
    const { clock, log, messages } = setup();
    for (let count = 0; count < 5000; count++) log.warning(`the id of ${count} is refused`);
    assert.equal(messages().length, 200);
    clock.advance(10_000);
    assert.deepEqual(messages().slice(200), ["… and 4,800 other messages in 10 s"]);
  });

  test("passes many records below warning, and bounds even those", () => {
    const { log, messages } = setup();
    for (let count = 0; count < 10_000; count++) log.info("job published", { jid: count });
    assert.equal(messages().length, 1000);
  });

  test("keeps no more loggers than a program has", () => {
    const { log, messages } = setup();
    for (let count = 0; count < 10_000; count++) log.child(`name ${count}`).warning("refused");
    assert.ok(messages().length < 600, `${messages().length} lines`);
  });

  test("reports what it held back before the program ends, once", () => {
    const { clock, rate, log, messages } = setup();
    for (let count = 0; count < 25; count++) log.error("refused");
    rate.flush();
    assert.equal(messages().at(-1), "refused … and 5 more like this in 10 s");
    rate.flush();
    clock.advance(60_000);
    assert.equal(messages().length, 21);
  });

  test("continues when the clock is set back", () => {
    const { clock, log, messages } = setup();
    for (let count = 0; count < 25; count++) log.error("refused");
    clock.set(clock.now() - 3_600_000);
    log.error("refused");
    assert.deepEqual(messages().slice(20), ["refused … and 5 more like this in 10 s", "refused"]);
  });
});

test("a line shows a bounded part of each value, and no control character", () => {
  const line = formatText({
    level: "warning",
    name: "x",
    message: "refused: \x1b[2J",
    fields: { id: `\r\x1b]0;gotcha\x07\u009b\u202e${"x".repeat(100_000)}`, list: Array(50_000).fill("y") },
  });
  assert.ok(line.length < 3000);
  assert.match(line, /^\[WARNING \] refused: \\x1b\[2J: id=\\x0d\\x1b\]0;gotcha\\x07\\x9b\\u202exxx/);
  assert.match(line, /… \(99014 characters more\) list=\["y",/);
});
