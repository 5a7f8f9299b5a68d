/** Live output, with a fake clock. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../../../bench/bed/until.ts";
import { type Deferred, deferred } from "../../../../src/base/async/deferred.ts";
import { JobOutput, type OutputEvent } from "../../../../src/host/minion/jobs/live_output.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

function desk(bytes = 1_000_000) {
  const clock = new FakeClock();
  const sent: (OutputEvent & Deferred<void>)[] = [];
  const output = new JobOutput({
    clock,
    jid: "20240506070809000001",
    id: "web1",
    bytes,
    send: (event) => {
      const answer = deferred<void>();
      sent.push({ ...event, ...answer });
      return answer.promise;
    },
  });
  /** Answers everything until the stream has ended. */
  const drain = async (ended: Promise<void>) => {
    let over = false;
    void ended.then(() => over = true);
    await until(() => {
      for (const { resolve } of sent) resolve();
      clock.advance(30);
      return over;
    });
  };
  return { clock, sent, output, drain };
}

describe("JobOutput", () => {
  test("pieces of a stream that come together are sent together, in order and counted", async () => {
    const { clock, sent, output, drain } = desk();
    void output.write("stdout", bytesOf("one "));
    void output.write("stdout", bytesOf("two"));
    void output.write("stderr", bytesOf("oops"));
    void output.write("stdout", bytesOf("three"));
    assert.equal(sent.length, 0);
    clock.advance(30);
    await until(() => sent.length >= 1);
    await drain(output.end());
    assert.deepEqual(sent.map(({ seq, stream, text }) => [seq, stream, text]), [
      [0, "stdout", "one two"],
      [1, "stderr", "oops"],
      [2, "stdout", "three"],
    ]);
    assert.ok(sent.every(({ id, jid }) => id === "web1" && jid === "20240506070809000001"));
  });

  test("one piece is sent at a time", async () => {
    const { clock, sent, output } = desk();
    void output.write("stdout", bytesOf("a".repeat(200_000)));
    await until(() => sent.length >= 1);
    clock.advance(1000);
    assert.equal(sent.length, 1);
    assert.equal(sent[0]!.text.length, 65_536);
    sent[0]!.resolve();
    await until(() => sent.length >= 2);
  });

  test("a character that is split between pieces arrives whole; one that is never finished is replaced", async () => {
    const { sent, output, drain } = desk();
    const [first, second] = [bytesOf("zo\u00eb").subarray(0, 3), bytesOf("zo\u00eb").subarray(3)];
    void output.write("stdout", first);
    void output.write("stdout", second);
    void output.write("stderr", first);
    await drain(output.end());
    assert.deepEqual(sent.map(({ text }) => text), ["zo\u00eb", "zo\ufffd"]);
  });

  test("write() waits while too many bytes are unsent, and resolves when there is room", async () => {
    const { sent, output } = desk();
    assert.equal(output.write("stdout", bytesOf("a".repeat(100_000))), undefined);
    const room = output.write("stdout", bytesOf("b".repeat(300_000)));
    assert.ok(room instanceof Promise);
    let open = false;
    void room.then(() => open = true);
    for (let answered = 0; answered < 2; answered++) {
      await until(() => sent.length === answered + 1);
      assert.equal(open, false);
      sent[answered]!.resolve();
    }
    await until(() => {
      for (const { resolve } of sent) resolve();
      return open;
    });
  });

  test("bytes beyond the bound are not sent, and the last event has their number", async () => {
    const { sent, output, drain } = desk(10);
    void output.write("stdout", bytesOf("12345"));
    void output.write("stdout", bytesOf("too much"));
    void output.write("stderr", bytesOf("fits"));
    await drain(output.end());
    assert.deepEqual(sent.map(({ seq, stream, text, dropped }) => [seq, stream, text, dropped]), [
      [0, "stdout", "12345", undefined],
      [1, "stderr", "fits", undefined],
      [2, "stdout", "", 8],
    ]);
  });

  test("a master that does not reply stops nothing", async () => {
    const { clock, sent, output } = desk();
    void output.write("stdout", bytesOf("one"));
    clock.advance(30);
    const ended = output.end();
    await until(() => sent.length >= 1);
    sent[0]!.reject(new Error("no reply"));
    await ended;
    assert.equal(sent.length, 1);
  });
});
