import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../../bench/bed/until.ts";
import { ConfigError, SystemError } from "../../../src/base/errors.ts";
import { untilReached } from "../../../src/host/master/cluster/until_reached.ts";
import { captureLog } from "../../support/capture_log.ts";
import { FakeClock } from "../../support/fake_clock.ts";

/** An attempt that fails so often. */
function failing(times: number, error: (count: number) => Error): { attempt(): Promise<string>; made: number } {
  const own = {
    made: 0,
    attempt: () => own.made++ < times ? Promise.reject(error(own.made)) : Promise.resolve("there"),
  };
  return own;
}

const away = () => new SystemError("ECONNREFUSED", "Cannot use the database: connection refused");

test("untilReached() tries again later and later, says why once, and that it is over", async () => {
  const [clock, { log, complaints, records }] = [new FakeClock(), captureLog()];
  const told: (string | undefined)[] = [];
  const server = failing(12, away);
  const reached = untilReached(server.attempt, { clock, log, told: (reason) => void told.push(reason) });
  const pauses: number[] = [];
  for (let pauseMs = 500; pauses.length < 12; pauseMs = Math.min(2 * pauseMs, 10_000)) {
    const { length } = pauses;
    await until(() => server.made === length + 1 && told.length === length + 1);
    await clock.advance(pauseMs - 1);
    assert.equal(server.made, length + 1, "not before its time");
    await clock.advance(1);
    pauses.push(pauseMs);
  }
  assert.equal(await reached, "there");
  assert.equal(told.length, 13);
  assert.equal(told[0], "Cannot use the database: connection refused");
  assert.equal(told.at(-1), undefined);
  // Once, and again after a minute.
  assert.equal(complaints().length, 2);
  assert.equal(records.filter(({ message }) => message === "the servers of the cluster are available").length, 1);
});

test("untilReached() says so when the reason is another one", async () => {
  const [clock, { log, complaints }] = [new FakeClock(), captureLog()];
  const server = failing(3, (count) => count < 3 ? away() : new SystemError("EAGAIN", "Too many connections"));
  const reached = untilReached(server.attempt, { clock, log });
  for (let pause = 0; pause < 3; pause++) {
    await until(() => server.made === pause + 1);
    await clock.advance(10_000);
  }
  assert.equal(await reached, "there");
  assert.equal(complaints().length, 2);
});

for (
  const error of [
    new SystemError("EACCES", "Cannot use the database: the password is refused"),
    new SystemError("ENOENT", "Cannot use the database: there is none"),
    new SystemError("ETLS", "The certificate is of another host"),
    new SystemError("ENOTSUP", "NATS has no JetStream"),
    new ConfigError("Cannot join the cluster: another master.pem"),
  ]
) {
  test(`untilReached() does not wait for what waiting does not mend: ${error.message}`, async () => {
    const told: (string | undefined)[] = [];
    const { log } = captureLog();
    const attempt = () => Promise.reject(error);
    await assert.rejects(
      untilReached(attempt, { clock: new FakeClock(), log, told: (reason) => void told.push(reason) }),
      error,
    );
    assert.deepEqual(told, [undefined]);
  });
}

for (
  const [what, attempt] of [
    ["between two attempts", () => Promise.reject(away())],
    ["in an attempt that does not end", () => new Promise<never>(() => {})],
  ] as const
) {
  test(`untilReached() ends at once when the master is to stop, ${what}`, async () => {
    const stop = new AbortController();
    const { log } = captureLog();
    const reached = untilReached(attempt, { clock: new FakeClock(), log, stopping: stop.signal });
    await Promise.resolve();
    stop.abort();
    await assert.rejects(reached, { code: "ECANCELED" });
  });
}
