/** Many minions, and slow, fast and crashing jobs at the same time. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import type { Outcome } from "../../src/client/outcome.ts";
import type { ExecutionModule } from "../../src/model/loader/family.ts";
import { startCluster } from "../support/start_cluster.ts";

const TIMEOUT = { timeout: 60_000 };

/** A module whose functions end when the test says so, or crash. */
function temper() {
  const gate = Promise.withResolvers<void>();
  const running: string[] = [];
  const module: ExecutionModule = {
    functions: {
      slow: {
        signature: "",
        doc: "",
        async run(context) {
          running.push(String(context.grains.id));
          await gate.promise;
          return "at last";
        },
      },
      crash: {
        signature: "",
        doc: "",
        run() {
          throw new TypeError("all is lost");
        },
      },
      reject: { signature: "", doc: "", run: () => Promise.reject(null) },
      late: {
        signature: "",
        doc: "",
        run(context) {
          context.runtime.later(() => void Promise.reject(new Error("this is not awaited")).catch(() => {}));
          return 1;
        },
      },
    },
  };
  return { open: () => gate.resolve(), running, modules: { temper: () => Promise.resolve({ module }) } };
}

describe("fan-out", TIMEOUT, () => {
  test("fifty minions answer one job, each once", TIMEOUT, async () => {
    const ids = Array.from({ length: 50 }, (_, n) => `web${n}`);
    await using cluster = await startCluster({ minions: ids });
    const client = await cluster.client();
    const outcomes: Outcome[] = [];
    for await (const outcome of client.run({ tgt: "*", fun: "test.echo", arg: ["all"] })) outcomes.push(outcome);
    assert.deepEqual(outcomes.map(({ id }) => id).sort(), [...ids].sort());
    assert.ok(outcomes.every((outcome) => outcome.kind === "returned" && outcome.return === "all"));
    const some = await client.command({ tgt: "web1?", fun: "test.ping" });
    assert.equal(Object.keys(some).length, 10);
    const { services } = cluster.master;
    const [last] = await cluster.jids();
    assert.equal((await services.jobs.returns(last!)).length, 10);
  });

  test("fifty jobs at once to one minion each get their own return", TIMEOUT, async () => {
    await using cluster = await startCluster();
    const client = await cluster.client();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => client.command({ tgt: "web1", fun: "test.echo", arg: [n] })),
    );
    assert.deepEqual(answers.map(({ web1 }) => web1), Array.from({ length: 50 }, (_, n) => n));
  });

  test("publications by topic reach their targets", TIMEOUT, async () => {
    const opts = { zmq_filtering: true };
    await using cluster = await startCluster({ minions: ["web1", "web2", "db1"], master: opts, minion: opts });
    const client = await cluster.client();
    const ask = async (tgt: string | string[], tgt_type: string) =>
      Object.keys(await client.command({ tgt, tgt_type, fun: "test.ping" })).sort();
    assert.deepEqual(await ask("web*", "glob"), ["web1", "web2"]);
    assert.deepEqual(await ask(["db1", "web1"], "list"), ["db1", "web1"]);
    assert.deepEqual(await ask("os:Test", "grain"), ["db1", "web1", "web2"]);
  });

  test("a slow and a crashing job delay no other job", TIMEOUT, async () => {
    const { open, running, modules } = temper();
    await using cluster = await startCluster({ minions: ["web1", "web2"], modules });
    const client = await cluster.client();
    const slow = client.command({ tgt: "*", fun: "temper.slow" });
    await until(() => running.length === 2);
    for (const fun of ["temper.crash", "temper.reject"]) {
      for await (const outcome of client.run({ tgt: "*", fun })) {
        assert.ok(outcome.kind === "failed");
        assert.equal(outcome.success, false);
        assert.equal(outcome.retcode, 1);
      }
    }
    assert.deepEqual(await client.command({ tgt: "*", fun: "temper.late" }), { web1: 1, web2: 1 });
    assert.deepEqual(await client.command({ tgt: "*", fun: "test.ping" }), { web1: true, web2: true });
    open();
    assert.deepEqual(await slow, { web1: "at last", web2: "at last" });
  });

  test("with process_count_max a job waits its turn, except one that manages other jobs", TIMEOUT, async () => {
    const { open, running, modules } = temper();
    await using cluster = await startCluster({ modules, minion: { process_count_max: 1 } });
    const client = await cluster.client();
    const slow = client.command({ tgt: "*", fun: "temper.slow" });
    await until(() => running.length === 1);
    let pinged = false;
    const ping = client.command({ tgt: "*", fun: "test.ping" }).then((answer) => {
      pinged = true;
      return answer;
    });
    const found = await client.command({ tgt: "*", fun: "saltutil.running" });
    assert.equal((found.web1 as { fun: string }[])[0]!.fun, "temper.slow");
    assert.equal(pinged, false);
    open();
    assert.deepEqual(await slow, { web1: "at last" });
    assert.deepEqual(await ping, { web1: true });
  });

  test("with cache_jobs a copy of each return stays on the minion", TIMEOUT, async () => {
    await using cluster = await startCluster({ minion: { cache_jobs: true } });
    const client = await cluster.client();
    await client.command({ tgt: "*", fun: "test.ping" });
    const { fs } = cluster.runtimeOf("web1");
    const directory = `${cluster.minionDirectory("web1")}/cache/minion_jobs`;
    const [jid] = fs.list(directory);
    assert.match(jid!, /^\d{20}$/);
    assert.equal(fs.stat(`${directory}/${jid}/return.p`)!.mode, 0o600);
  });

  test("a return that cannot be sent becomes a failure with that reason", TIMEOUT, async () => {
    const module: ExecutionModule = {
      functions: { odd: { signature: "", doc: "", run: () => ({ inner: () => 1 }) } },
    };
    await using cluster = await startCluster({ modules: { strange: () => Promise.resolve({ module }) } });
    const client = await cluster.client();
    for await (const outcome of client.run({ tgt: "*", fun: "strange.odd" })) {
      assert.ok(outcome.kind === "failed");
      assert.match(String(outcome.return), /cannot be sent/);
      assert.equal(outcome.retcode, 1);
      assert.equal(outcome.success, false);
    }
  });
});
