/** Workers that answer, die, hang and cannot be started, and what becomes of their requests. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { turns } from "../../../bench/bed/until.ts";
import type { WorkerPool } from "../../../src/feature/supervise/worker_pool.ts";
import { type SuperviseBed, superviseBed, text } from "./bed.ts";

function pool(bed: SuperviseBed, more: Partial<Parameters<SuperviseBed["supervisor"]["workers"]>[0]> = {}): WorkerPool {
  return bed.supervisor.workers({ name: "requests", argv: ["worker"], config: () => ({}), size: 2, ...more });
}

const ask = (workers: WorkerPool, kind: string, owner: string, body = owner, wanted = () => true) =>
  workers.call({ kind, owner, label: `the pillar of ${owner}`, body: text(body), wanted });

/** How a call ended: `ok: …`, or the name and message of its error. */
const outcome = (call: Promise<unknown>) =>
  call.then((value) => `ok: ${value}`, (error: Error) => `${error.name}: ${error.message}`);

describe("WorkerPool", () => {
  test("starts a process for the first request, uses it again, and lets it end when it is idle", async () => {
    const bed = await superviseBed();
    const workers = pool(bed);
    assert.equal(bed.started(), 0);
    assert.equal(await ask(workers, "echo", "web1"), "web1");
    assert.equal(await ask(workers, "echo", "web2"), "web2");
    assert.equal(bed.started(), 1);
    assert.deepEqual(workers.status().processes.map(({ state }) => state), ["idle"]);
    await bed.beats(61);
    assert.deepEqual(workers.status().processes, []);
    assert.equal(workers.status().restarts, 0);
    await bed.supervisor.close();
  });

  test("an error of the handler is the caller's, and the process goes on", async () => {
    const bed = await superviseBed();
    const workers = pool(bed);
    assert.equal(await outcome(ask(workers, "fail", "web1")), "Error: failed: web1");
    assert.equal(await ask(workers, "echo", "web1"), "web1");
    assert.equal(bed.started(), 1);
    await bed.supervisor.close();
  });

  test("a request that kills its worker twice is refused, and named, for a while", async () => {
    const bed = await superviseBed();
    const workers = pool(bed);
    const died = outcome(ask(workers, "die", "web1"));
    await bed.beats(1);
    assert.equal(
      await died,
      "WorkerError: Cannot make the pillar of web1: its worker process crashed twice (exit code 3). It is refused for 60 s",
    );
    assert.equal(bed.got.length, 2);
    assert.match(await outcome(ask(workers, "die", "web1")), /crashed each time\. It is refused for 60 s more/);
    assert.equal(bed.got.length, 2);
    const { poisoned, last_words, refused, restarts } = workers.status();
    assert.deepEqual([poisoned, last_words, refused, restarts], [
      ["die web1"],
      { how: "exit code 3", words: "cannot go on with web1" },
      2,
      2,
    ]);
    // The requests of others are answered.
    const other = ask(workers, "echo", "web2");
    await bed.beats(1);
    assert.equal(await other, "web2");
    // Later it is tried again, and refused for twice as long.
    await bed.beats(60);
    const again = outcome(ask(workers, "die", "web1"));
    await bed.beats(1);
    assert.match(await again, /crashed twice \(exit code 3\)\. It is refused for 120 s/);
    assert.match(
      JSON.stringify(bed.captured.records),
      /worker process crashed again during a request.*the pillar of web1.*cannot go on/,
    );
    await bed.supervisor.close();
  });

  test("a worker that is killed loses no request: another one answers", async () => {
    const bed = await superviseBed();
    const workers = pool(bed, { size: 1 });
    const answer = ask(workers, "hold", "web1");
    await turns(30);
    const { pid } = workers.status().processes[0]!;
    bed.runtime.process.kill(pid, "SIGKILL");
    await turns(30);
    await bed.beats(1);
    assert.equal(bed.started(), 2);
    bed.release();
    assert.equal(await answer, "web1");
    assert.deepEqual(workers.status().last_words, { how: "signal SIGKILL", words: "" });
    await bed.supervisor.close();
  });

  test("a worker that gives no sign of life is killed and replaced; one that is only slow is not", async () => {
    const bed = await superviseBed();
    const workers = pool(bed, { health: { hungMs: 5000 } });
    const slow = ask(workers, "hold", "web1");
    const hung = outcome(ask(workers, "hang", "web2"));
    await bed.beats(14);
    assert.match(await hung, /its worker process crashed twice \(killed: it did not answer for 5 s\)/);
    bed.release();
    assert.equal(await slow, "web1");
    await bed.supervisor.close();
  });

  for (
    const [argv, why] of [["mute", "not ready within 5 s"], [
      "stuck",
      "it ended: killed: it did not answer for 5 s",
    ]] as const
  ) {
    test(`a worker that hangs while it starts is replaced as soon as any other: ${argv}`, async () => {
      const bed = await superviseBed();
      const argvOf: string[] = [argv];
      const workers = pool(bed, { argv: argvOf, health: { hungMs: 5000 } });
      const answer = ask(workers, "echo", "web1");
      await bed.beats(2);
      argvOf[0] = "worker";
      await bed.beats(5);
      assert.equal(await answer, "web1");
      assert.equal(bed.started(), 2);
      assert.deepEqual(workers.status().last_words?.how, `could not be started: ${why}`);
      await bed.supervisor.close();
    });
  }

  test("a request that never ends ends its worker", async () => {
    const bed = await superviseBed();
    const workers = pool(bed, { limitMs: 3000 });
    const never = outcome(ask(workers, "never", "web1"));
    await bed.beats(9);
    assert.match(await never, /crashed twice \(killed: a request took longer than 3 s\)/);
    await bed.supervisor.close();
  });

  test("a worker that takes too much memory is killed", async () => {
    const bed = await superviseBed();
    const workers = pool(bed, { health: { maxMemory: 1_000_000 } });
    const greedy = outcome(ask(workers, "never", "web1"));
    await turns(30);
    for (const turn of [1, 2]) {
      const { pid } = workers.status().processes[0]!;
      bed.runtime.fs.mkdir(`/proc/${pid}`);
      bed.runtime.fs.write(`/proc/${pid}/status`, `Name:\tworker\nVmRSS:\t    ${1000 * turn} kB\n`);
      await bed.beats(2);
    }
    assert.match(await greedy, /killed: it used 2048000 bytes of memory, more than the limit of 1000000/);
    await bed.supervisor.close();
  });

  test("one owner has one worker, kinds take turns, and identical requests share an answer", async () => {
    const bed = await superviseBed();
    const workers = pool(bed);
    const calls = [
      ask(workers, "hold", "web1", "a"),
      ask(workers, "hold", "web1", "b"),
      ask(workers, "hold", "web1", "b"),
      ask(workers, "echo", "web2", "c"),
    ];
    await turns(30);
    // The second of web1 waits although a worker is free.
    assert.deepEqual(bed.got, ["a", "c"]);
    assert.equal(workers.status().queue, 1);
    bed.release();
    await turns(30);
    bed.release();
    assert.deepEqual(await Promise.all(calls), ["a", "b", "b", "c"]);
    assert.deepEqual(bed.got, ["a", "c", "b"]);
    await bed.supervisor.close();
  });

  test("a request whose caller has gone is dropped; who asks again joins the one that runs", async () => {
    const bed = await superviseBed();
    const workers = pool(bed, { size: 1 });
    let waits = true;
    const first = ask(workers, "hold", "web1", "a", () => waits);
    await turns(30);
    const gone = outcome(ask(workers, "echo", "web2", "b", () => waits));
    waits = false;
    const again = ask(workers, "hold", "web1", "a");
    bed.release();
    assert.deepEqual(await Promise.all([first, again]), ["a", "a"]);
    assert.match(await gone, /^NotTakenError/);
    assert.deepEqual(bed.got, ["a"]);
    await bed.supervisor.close();
  });

  test("what waits is bounded, for one owner and in all", async () => {
    const bed = await superviseBed();
    const workers = pool(bed, { size: 1, queue: { limit: 3, perOwner: 2 } });
    const first = ask(workers, "hold", "web1", "1");
    await turns(30);
    const calls = [
      ["web1", "2"],
      ["web1", "3"],
      // Too many of web1.
      ["web1", "4"],
      ["web2", "5"],
      // Too many in all.
      ["web3", "6"],
    ].map(([owner, body]) => outcome(ask(workers, "echo", owner!, body)));
    bed.release();
    await first;
    const refused = "NotTakenError: The request was refused: its caller has disconnected, or too many requests wait";
    assert.deepEqual(await Promise.all(calls), ["ok: 2", "ok: 3", refused, "ok: 5", refused]);
    await bed.supervisor.close();
  });

  test("the memory of what waits is bounded, so that no owner can take all of it", async () => {
    const bed = await superviseBed();
    const workers = pool(bed, { size: 1, queue: { maxBytes: 320 } });
    const first = ask(workers, "hold", "web1", "1");
    await turns(30);
    const calls = [["web1", 10], ["web1", 10], ["web1", 1], ["web2", 20], ["web3", 21]]
      .map(([owner, bytes], at) => outcome(ask(workers, "echo", String(owner), String(at).repeat(Number(bytes)))));
    bed.release();
    await first;
    const taken = (await Promise.all(calls)).map((text) => text.startsWith("ok"));
    assert.deepEqual(taken, [true, true, false, true, false]);
    await bed.supervisor.close();
  });

  test("where no process can be started, requests are refused after some tries, with longer and longer pauses", async () => {
    for (const argv of [["missing"], ["broken"]]) {
      const bed = await superviseBed();
      const workers = pool(bed, { argv, size: 1 });
      const refused = outcome(ask(workers, "echo", "web1"));
      await turns(30);
      assert.equal(workers.status().state, "waiting");
      // The pauses are 75, 150, 300 and 600 ms, since chance is one half here.
      for (const ms of [75, 150, 300, 600]) {
        bed.clock.advance(ms - 1);
        await turns(30);
        assert.equal(workers.status().queue, 1);
        bed.clock.advance(1);
        await turns(30);
      }
      assert.match(await refused, /^WorkerError: Cannot make the pillar of web1: no worker process can be started/);
      assert.match(JSON.stringify(workers.status().last_words), argv[0] === "missing" ? /ENOENT/ : /no such module/);
      await bed.supervisor.close();
    }
  });

  test("closing ends processes, also those that hang, and what waits is not answered", async () => {
    const bed = await superviseBed();
    const workers = pool(bed, { size: 1 });
    const calls = [outcome(ask(workers, "hang", "web1")), outcome(ask(workers, "echo", "web2"))];
    await turns(30);
    const closed = bed.supervisor.close();
    await turns(30);
    bed.clock.advance(2000);
    await closed;
    for (const call of calls) assert.match(await call, /^NotTakenError/);
    assert.match(await outcome(ask(workers, "echo", "web3")), /^NotTakenError/);
    assert.deepEqual([workers.status().state, workers.status().processes], ["stopped", []]);
  });

  test("renewed while its only process is idle, it serves the next request by another", async () => {
    const bed = await superviseBed();
    const workers = pool(bed, { size: 1 });
    assert.equal(await ask(workers, "echo", "web1"), "web1");
    bed.supervisor.renew();
    assert.equal(await ask(workers, "echo", "web2"), "web2");
    assert.equal(bed.started(), 2);
    await bed.supervisor.close();
  });

  test("renewed, it uses no process that was started before", async () => {
    const bed = await superviseBed();
    const workers = pool(bed);
    const held = ask(workers, "hold", "web1");
    assert.equal(await ask(workers, "echo", "web2"), "web2");
    bed.supervisor.renew();
    bed.release();
    assert.equal(await held, "web1");
    assert.equal(await ask(workers, "echo", "web3"), "web3");
    assert.equal(bed.started(), 3);
    assert.equal(workers.status().restarts, 0);
    await bed.supervisor.close();
  });
});
