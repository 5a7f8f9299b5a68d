/** `ping_interval`: an event for each connected master, and a new connection where there is no reply. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../../bench/bed/until.ts";
import { keepPinging, type PingedMaster } from "../../../src/host/minion/keep_pinging.ts";
import { captureLog } from "../../support/capture_log.ts";
import { FakeClock } from "../../support/fake_clock.ts";

test("keepPinging() pings connected masters each ping_interval, and connects again to one that is silent", async () => {
  const clock = new FakeClock();
  const { log, complaints } = captureLog();
  const done: string[] = [];
  const master = (address: string, isConnected: boolean, answers: boolean): PingedMaster => ({
    address,
    isConnected,
    connection: {
      requests: {
        send: (load, how) => {
          assert.deepEqual(load, { cmd: "_minion_event", pretag: null, data: "ping", tag: "minion_ping" });
          assert.deepEqual(how, { timeoutMs: 5000, tries: 3 });
          done.push(`ping ${address}`);
          return answers ? Promise.resolve() : Promise.reject(new Error("no reply"));
        },
      },
    },
    reconnect: () => Promise.resolve(void done.push(`reconnect ${address}`)),
  });
  const stopping = new AbortController();
  const masters = [master("a", true, true), master("b", true, false), master("c", false, false)];
  const options = { runtime: { clock }, opts: { ping_interval: 2, auth_timeout: 5 }, log };
  const over = keepPinging(masters, options, stopping.signal);
  for (const times of [1, 2]) {
    await clock.waiting(120_000);
    clock.advance(120_000);
    await until(() => done.length >= 3 * times);
    assert.deepEqual(done.slice(-3), ["ping a", "ping b", "reconnect b"]);
  }
  assert.deepEqual(complaints(), Array(2).fill("the master did not reply to a ping: connecting again"));
  stopping.abort();
  await over;
  await keepPinging(masters, { ...options, opts: { ping_interval: 0, auth_timeout: 5 } }, new AbortController().signal);
  assert.equal(done.length, 6);
});
