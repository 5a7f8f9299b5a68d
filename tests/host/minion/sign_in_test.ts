/** What a minion logs while a master does not let it in, at the default level of the log. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SignIn } from "../../../src/host/minion/sign_in.ts";
import { completeOptions } from "../../../src/model/config/load.ts";
import { MINION_OPTIONS, type MinionOpts } from "../../../src/model/config/minion_opts.ts";
import { captureLog } from "../../support/capture_log.ts";
import { FakeClock } from "../../support/fake_clock.ts";

function bed(opts: Record<string, unknown>, outcome: () => Record<string, unknown>) {
  const clock = new FakeClock();
  const captured = captureLog();
  const signIn = new SignIn({
    runtime: { clock, random: () => 0.5 },
    opts: completeOptions(MINION_OPTIONS, { acceptance_wait_time: 10, ...opts }).opts as unknown as MinionOpts,
    log: captured.log,
    auth: { id: "web1", request: () => ({ bytes: new Uint8Array(0) }), outcome } as never,
    address: "tcp://m:4506",
    request: () => Promise.resolve(new Uint8Array(0)),
    signal: new AbortController().signal,
  });
  return { clock, signIn, said: () => captured.complaints() };
}

test("a key that waits is told at once and every ten minutes, not with every attempt, and the log says when it is accepted", async () => {
  let state = "pending";
  const { clock, signIn, said } = bed({}, () => ({ state, signedIn: {} }));
  const running = signIn.run();
  const waits = "the master has not accepted the key yet: accept it there with salt-key -a web1";
  for (let seconds = 0; seconds < 1500; seconds += 10) {
    await clock.waiting(10_000);
    clock.advance(10_000);
  }
  assert.deepEqual(said(), [waits, waits, waits]);
  await clock.waiting(10_000);
  state = "accepted";
  clock.advance(10_000);
  await running;
  assert.deepEqual(said().slice(3), ["signed in to the master"]);
});

test("a key that the master refuses may be rejected, or another host may have the id: the text names both", async () => {
  const retrying = bed({ rejected_retry: true }, () => ({ state: "rejected" }));
  void retrying.signIn.run();
  await retrying.clock.waiting(10_000);
  assert.match(retrying.said()[0]!, /salt-key -l rej .*salt-key -l den /);
  const { signIn } = bed({}, () => ({ state: "rejected" }));
  await assert.rejects(signIn.run(), (error: Error & { exitCode: number }) => {
    assert.equal(error.exitCode, 77);
    for (
      const part of [
        "salt-key -l rej",
        "salt-key -l den",
        "another host uses this id",
        "only if its host was reinstalled",
      ]
    ) {
      assert.ok(error.message.includes(part), part);
    }
    return true;
  });
});
