/** The end of a daemon is bounded: by a second signal, and by time. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { boundStop, stopSignal } from "../../../cli/daemon/stop_signal.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { captureLog } from "../../support/capture_log.ts";
import { FakeClock } from "../../support/fake_clock.ts";

async function bed() {
  const clock = new FakeClock();
  const handlers = new Map<string, Set<() => void>>();
  const done: (string | number)[] = [];
  const base = await currentRuntime();
  const process = {
    ...base.process,
    onSignal(signal: string, handler: () => void) {
      const all = handlers.get(signal) ?? new Set();
      handlers.set(signal, all.add(handler));
      return () => void all.delete(handler);
    },
    exit(code: number) {
      done.push(code);
      return undefined as never;
    },
  };
  const { log, text } = captureLog();
  return {
    runtime: { process, clock },
    clock,
    done,
    log,
    text,
    leave: () => void done.push("left"),
    send: (signal: string) => {
      for (const handler of [...handlers.get(signal) ?? []]) handler();
    },
  };
}

describe("the end of a daemon", () => {
  for (const [signal, code] of [["SIGTERM", 143], ["SIGINT", 130]] as const) {
    test(`comes at once with a second signal, ${signal}`, async () => {
      const { runtime, log, leave, send, done } = await bed();
      const stop = stopSignal(runtime);
      send("SIGTERM");
      assert.equal(await stop, "SIGTERM");
      boundStop(runtime, log, leave);
      send(signal);
      assert.deepEqual(done, ["left", code]);
    });
  }

  test("comes in time although work is unfinished, and that is logged", async () => {
    const { runtime, clock, log, leave, done, text } = await bed();
    boundStop(runtime, log, leave);
    clock.advance(14_999);
    assert.deepEqual(done, []);
    clock.advance(1);
    assert.deepEqual(done, ["left", 1]);
    assert.match(text(), /stopping with unfinished work: seconds=15/);
  });

  test("is bounded no more once it has come by itself", async () => {
    const { runtime, clock, log, leave, send, done } = await bed();
    boundStop(runtime, log, leave)();
    send("SIGTERM");
    clock.advance(60_000);
    assert.deepEqual(done, []);
  });
});
