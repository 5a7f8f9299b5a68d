/** Jobs whose minion or master is unreachable, is stopped or has its clock set. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { type Deferred, deferred } from "../../src/base/async/deferred.ts";
import type { Output } from "../../src/client/job_collector.ts";
import type { LocalClient } from "../../src/client/local_client.ts";
import type { Outcome } from "../../src/client/outcome.ts";
import type { ExecutionModule } from "../../src/model/loader/family.ts";
import { memoryJobCache } from "../../src/plugins/job_caches/memory.ts";
import { unpack } from "../../src/protocol/wire/msgpack.ts";
import { type Cluster, type ClusterOptions, startCluster } from "../support/start_cluster.ts";

const TIMEOUT = { timeout: 120_000 };
const HOUR = 3_600_000;

/** A cluster whose jobs are counted at their minions, and end when the test says so. */
class Scene implements AsyncDisposable {
  readonly #options: ClusterOptions;
  /** `<minion> <token>` of each job that has begun. */
  readonly runs: string[] = [];
  /** The output of the functions that print. */
  written = 0;
  readonly #gates = new Map<string, Deferred<void>>();
  cluster!: Cluster;
  client!: LocalClient;

  private constructor(options: ClusterOptions) {
    this.#options = options;
  }

  static async start(options: ClusterOptions = {}): Promise<Scene> {
    const scene = new Scene(options);
    const module: ExecutionModule = {
      functions: {
        mark: {
          signature: "token",
          doc: "",
          run: ({ grains }, { token }) => void scene.runs.push(`${grains.id} ${token}`),
        },
        hold: {
          signature: "token",
          doc: "",
          async run({ grains, signal }, { token }) {
            scene.runs.push(`${grains.id} ${token}`);
            const ended = deferred<never>();
            signal.addEventListener("abort", () => ended.reject(signal.reason), { once: true });
            await Promise.race([scene.gate(String(token)).promise, ended.promise]);
            return token;
          },
        },
        print: {
          signature: "pieces, bytes",
          doc: "",
          async run({ output }, { pieces, bytes }) {
            for (let piece = 0; piece < Number(pieces); piece++) {
              const text = `${piece} `.padEnd(Number(bytes), "x");
              const room = output?.(piece % 2 === 0 ? "stdout" : "stderr", new TextEncoder().encode(text));
              scene.written += text.length;
              await room;
            }
          },
        },
      },
    };
    const jobs: ReturnType<typeof memoryJobCache> = memoryJobCache(() => scene.cluster.clock.now());
    scene.cluster = await startCluster({
      jobs,
      modules: { probe: () => Promise.resolve({ module }) },
      ...scene.#options,
    });
    await scene.connect();
    return scene;
  }

  /** A client of the master that is running now. */
  async connect(): Promise<void> {
    this.client = await this.cluster.client();
  }

  gate(token: string): Deferred<void> {
    let gate = this.#gates.get(token);
    if (gate === undefined) this.#gates.set(token, gate = deferred());
    return gate;
  }

  async publish(fun: string, token: string, more: { queue?: number; tgt?: string } = {}): Promise<string> {
    const published = await this.client.publish({ tgt: "*", fun: `probe.${fun}`, arg: [token], ...more });
    return published!.jid;
  }

  /** Advances the clock in small steps until a condition holds. */
  pass(holds: () => boolean | Promise<boolean>, stepMs = 50): Promise<void> {
    return until(holds, { clock: this.cluster.clock, stepMs });
  }

  passMs(ms: number): Promise<void> {
    const end = this.cluster.clock.now() + ms;
    return this.pass(() => this.cluster.clock.now() >= end, 250);
  }

  async state(jid: string, id = "web1"): Promise<string | undefined> {
    return (await this.cluster.master.services.ledger.outcomes(jid)).find(({ minion }) => minion === id)?.state;
  }

  async ended(jid: string, state: string, id = "web1"): Promise<void> {
    await this.pass(async () => await this.state(jid, id) === state);
  }

  async value(jid: string): Promise<unknown> {
    const [stored] = await this.cluster.master.services.jobs.returns(jid);
    return stored === undefined ? undefined : unpack(stored.return, "bin");
  }

  async stopMinion(id = "web1"): Promise<void> {
    await this.cluster.minions.get(id)!.close();
    const { presence } = this.cluster.master.services;
    await until(() => !presence.connected(id));
  }

  async startMinion(id = "web1"): Promise<void> {
    let ready = false;
    void (await this.cluster.startMinion(id)).ready.then(() => ready = true);
    await this.pass(() => ready);
  }

  /** Starts the master again; resolves when every minion has reported to it. */
  async startMaster(ids: readonly string[] = ["web1"]): Promise<void> {
    await this.cluster.startMaster();
    const { presence } = this.cluster.master.services;
    await this.pass(() => ids.every((id) => presence.isBrine(id)));
    await this.connect();
  }

  /** How many events of a return the bus has fired, once there is one. */
  async returned(jid: string): Promise<number> {
    const returns = () => this.cluster.events.filter(({ tag }) => tag.startsWith(`salt/job/${jid}/ret/`)).length;
    await until(() => returns() > 0);
    return returns();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.cluster.close();
  }
}

describe("jobs for an unreachable minion", TIMEOUT, () => {
  test("queued ones run when it reconnects, in order, one after the other and once", TIMEOUT, async () => {
    await using scene = await Scene.start();
    await scene.stopMinion();
    const jids: string[] = [];
    for (const [fun, token] of [["hold", "1"], ["mark", "2"], ["mark", "3"]] as const) {
      jids.push(await scene.publish(fun, token, { queue: 3600 }));
    }
    assert.deepEqual(await Promise.all(jids.map((jid) => scene.state(jid))), ["queued", "queued", "queued"]);
    await scene.passMs(120_000);
    await scene.startMinion();
    await scene.pass(() => scene.runs.length === 1);
    await scene.ended(jids[2]!, "started");
    assert.deepEqual(scene.runs, ["web1 1"], "the others wait for it");
    scene.gate("1").resolve();
    for (const jid of jids) await scene.ended(jid, "returned");
    assert.deepEqual(scene.runs, ["web1 1", "web1 2", "web1 3"]);
    for (const jid of jids) assert.equal(await scene.returned(jid), 1);
    assert.equal(scene.cluster.master.services.ledger.size, 0);
  });

  test("one that is queued for some minions and published to others runs once on each", TIMEOUT, async () => {
    await using scene = await Scene.start({ minions: ["web1", "web2"] });
    await scene.stopMinion("web2");
    const outcomes: Outcome[] = [];
    const request = { tgt: "*", fun: "probe.mark", arg: ["a"], queue: 3600 };
    for await (const outcome of scene.client.run(request)) outcomes.push(outcome);
    assert.deepEqual(outcomes.map(({ id, kind }) => [id, kind]), [["web1", "returned"], ["web2", "queued"]]);
    await scene.startMinion("web2");
    await scene.ended(outcomes[0]!.jid, "returned", "web2");
    assert.deepEqual(scene.runs.sort(), ["web1 a", "web2 a"]);
  });

  test("a queued one survives a restart of the master, and can be cancelled", TIMEOUT, async () => {
    await using scene = await Scene.start();
    await scene.stopMinion();
    const kept = await scene.publish("mark", "kept", { queue: 3600 });
    const cancelled = await scene.publish("mark", "cancelled", { queue: 3600 });
    await scene.cluster.master.close();
    await scene.cluster.startMaster();
    await scene.connect();
    assert.deepEqual(await scene.client.ask("job_dequeue", { jid: cancelled }), { cancelled: ["web1"] });
    await scene.startMinion();
    await scene.ended(kept, "returned");
    assert.equal(await scene.state(cancelled), "cancelled");
    assert.deepEqual(scene.runs, ["web1 kept"]);
  });

  test(
    "one of a restored queue that its minion has run since ends as lost, and is not run again",
    TIMEOUT,
    async () => {
      for (const restarted of [false, true]) {
        const now = () => scene.cluster.clock.now();
        let current = memoryJobCache(now);
        const jobs = Object.fromEntries(
          Object.entries(current).map(([name, member]) => [
            name,
            typeof member === "function"
              ? (...args: unknown[]) => (Reflect.get(current, name) as (...args: unknown[]) => unknown)(...args)
              : member,
          ]),
        ) as unknown as typeof current;
        const scene: Scene = await Scene.start({ jobs });
        await using _ = scene;
        await scene.stopMinion();
        const jid = await scene.publish("mark", "once", { queue: 3600 });
        const [load, outcomes] = [await current.load(jid), await current.outcomes(jid)];
        await scene.startMinion();
        await scene.ended(jid, "returned");
        // The backup is from before the minion came.
        await scene.cluster.master.close();
        current = memoryJobCache(now);
        await current.saveLoad(jid, load!, ["web1"]);
        await current.saveOutcomes(jid, outcomes);
        await current.flush();
        if (restarted) await scene.stopMinion();
        await scene.startMaster(restarted ? [] : ["web1"]);
        if (restarted) {
          assert.equal(await scene.state(jid), "queued");
          await scene.startMinion();
        }
        await scene.ended(jid, "lost");
        const [outcome] = await scene.cluster.master.services.ledger.outcomes(jid);
        assert.match(String(outcome!.note), /ran the job before/);
        assert.deepEqual(scene.runs, ["web1 once"]);
        assert.equal(scene.cluster.master.services.ledger.size, 0);
      }
    },
  );

  test(
    "one that was not queued is run if it comes back while the job may be delivered, and not after it",
    TIMEOUT,
    async () => {
      await using scene = await Scene.start();
      await scene.stopMinion();
      const late = await scene.publish("mark", "late");
      await scene.passMs(62_000);
      assert.equal(await scene.state(late), "lost");
      const soon = await scene.publish("mark", "soon");
      await scene.startMinion();
      await scene.ended(soon, "returned");
      assert.deepEqual(scene.runs, ["web1 soon"]);
      assert.equal(await scene.state(late), "lost");
    },
  );
});

describe("running jobs", TIMEOUT, () => {
  test("a long job is acknowledged, and not sent again", TIMEOUT, async () => {
    await using scene = await Scene.start();
    const jid = await scene.publish("hold", "1");
    await scene.ended(jid, "started");
    await scene.passMs(120_000);
    assert.equal(await scene.state(jid), "started");
    assert.doesNotMatch(scene.cluster.captured.text(), /job sent again/);
    scene.gate("1").resolve();
    await scene.ended(jid, "returned");
    assert.equal(await scene.returned(jid), 1);
  });

  test("a return that was spooled is sent after the minion's restart, once", TIMEOUT, async () => {
    await using scene = await Scene.start();
    const jid = await scene.publish("hold", "1");
    await scene.ended(jid, "started");
    await scene.cluster.master.close();
    scene.gate("1").resolve();
    await scene.pass(() => scene.cluster.captured.text().includes("job ended"));
    await scene.cluster.minions.get("web1")!.close();
    const starting = scene.cluster.startMinion("web1");
    await starting;
    await scene.startMaster();
    await scene.ended(jid, "returned");
    assert.equal(await scene.value(jid), "1");
    assert.deepEqual(scene.runs, ["web1 1"]);
    await scene.passMs(30_000);
    assert.equal(await scene.returned(jid), 1);
    assert.deepEqual(scene.cluster.master.services.refused["returned before"], 0);
  });

  test("a job whose minion is stopped fails with that reason, and is not begun again", TIMEOUT, async () => {
    await using scene = await Scene.start();
    const jid = await scene.publish("hold", "1");
    await scene.ended(jid, "started");
    await scene.stopMinion();
    await scene.startMinion();
    await scene.ended(jid, "failed");
    assert.match(String(await scene.value(jid)), /^The minion was stopped before this job ended/);
    assert.deepEqual(scene.runs, ["web1 1"]);
  });

  describe("that were taken and have not begun when their minion is stopped", TIMEOUT, () => {
    /** Two jobs that wait behind a running one. */
    async function waiting(scene: Scene, how: "queued" | "process_count_max"): Promise<[string, string, string]> {
      if (how === "queued") await scene.stopMinion();
      const more = how === "queued" ? { queue: 3600 } : {};
      const jids = [await scene.publish("hold", "1", more)];
      for (const token of ["2", "3"]) {
        scene.cluster.clock.advance(10);
        jids.push(await scene.publish("mark", token, more));
      }
      if (how === "queued") await scene.startMinion();
      for (const jid of jids) await scene.ended(jid, "started");
      assert.deepEqual(scene.runs, ["web1 1"]);
      return jids as [string, string, string];
    }
    const rows = [{ how: "queued", minion: {} }, {
      how: "process_count_max",
      minion: { process_count_max: 1 },
    }] as const;

    for (const { how, minion } of rows) {
      test(
        `they are run after its restart, once and in order, and the one that ran is not (${how})`,
        TIMEOUT,
        async () => {
          await using scene = await Scene.start({ minion });
          const [first, second, third] = await waiting(scene, how);
          await scene.stopMinion();
          await scene.startMinion();
          for (const jid of [second, third]) await scene.ended(jid, "returned");
          await scene.ended(first, "failed");
          assert.match(String(await scene.value(first)), /^The minion was stopped before this job ended/);
          assert.deepEqual(scene.runs, ["web1 1", "web1 2", "web1 3"]);
          await scene.stopMinion();
          await scene.startMinion();
          await scene.passMs(60_000);
          assert.deepEqual(scene.runs, ["web1 1", "web1 2", "web1 3"]);
        },
      );
    }

    test("they are not run if the master has given them up in the meantime", TIMEOUT, async () => {
      await using scene = await Scene.start();
      const [, second, third] = await waiting(scene, "queued");
      await scene.stopMinion();
      await scene.ended(second, "lost");
      await scene.startMinion();
      await scene.pass(() => scene.cluster.captured.text().includes("job that had not started is dropped"));
      await scene.passMs(60_000);
      assert.deepEqual(scene.runs, ["web1 1"]);
      assert.deepEqual([await scene.state(second), await scene.state(third)], ["lost", "lost"]);
    });
  });

  test(
    "open jobs continue over a restart of the master: those that run, and those that no minion has received",
    TIMEOUT,
    async () => {
      await using scene = await Scene.start();
      const running = await scene.publish("hold", "1");
      await scene.ended(running, "started");
      await scene.cluster.master.close();
      await scene.startMaster();
      assert.equal(await scene.state(running), "started");
      await scene.stopMinion();
      const unheard = await scene.publish("mark", "2");
      await scene.cluster.master.close();
      const starting = await scene.cluster.startMinion("web1");
      await scene.startMaster();
      await starting.ready;
      await scene.ended(unheard, "returned");
      await scene.ended(running, "failed");
      assert.deepEqual(scene.runs, ["web1 1", "web1 2"]);
    },
  );

  test("a job that is ended by saltutil.term_job is cancelled, and its caller gets that outcome", TIMEOUT, async () => {
    await using scene = await Scene.start();
    const outcomes: Outcome[] = [];
    const running = (async () => {
      for await (const outcome of scene.client.run({ tgt: "*", fun: "probe.hold", arg: ["1"] })) outcomes.push(outcome);
    })();
    await scene.pass(() => scene.runs.length === 1);
    const jid = (await scene.cluster.jids())[0]!;
    await scene.client.command({ tgt: "*", fun: "saltutil.term_job", arg: [jid] });
    await running;
    assert.deepEqual(outcomes.map((one) => one.kind), ["cancelled"]);
    assert.equal(await scene.state(jid), "cancelled");
    await scene.passMs(30_000);
    assert.equal(await scene.value(jid), undefined);
  });

  test("a return is not acknowledged before it is stored, nor is a second copy of it", TIMEOUT, async () => {
    let full = false;
    const cache = memoryJobCache(() => 0);
    // Nothing that is saved in the meantime is kept.
    const refusing = <Args extends unknown[], Result>(save: (...args: Args) => Result) => (...args: Args): Result => {
      if (full) throw new Error("no space left");
      return save(...args);
    };
    const jobs = {
      ...cache,
      flush: refusing(cache.flush),
      saveReturn: refusing(cache.saveReturn),
      saveOutcomes: refusing(cache.saveOutcomes),
    };
    await using scene = await Scene.start({ jobs });
    const jid = await scene.publish("hold", "1");
    await scene.ended(jid, "started");
    full = true;
    scene.gate("1").resolve();
    await scene.pass(() => /return not delivered.*attempt=2/.test(scene.cluster.captured.text()));
    assert.equal(await scene.state(jid), "started");
    await assert.rejects(scene.publish("mark", "2"), /no space left/);
    full = false;
    await scene.ended(jid, "returned");
    assert.deepEqual(scene.runs, ["web1 1"]);
    assert.equal(await scene.returned(jid), 1);
    assert.match(scene.cluster.captured.text(), /job cache can be written again/);
  });
});

describe("live output", TIMEOUT, () => {
  async function printed(
    scene: Scene,
    pieces: number,
    bytes: number,
    onOutput: (output: Output) => void = () => {},
  ): Promise<{ outputs: Output[]; early: boolean }> {
    const outputs: Output[] = [];
    let returned = false;
    let early = true;
    const take = (output: Output) => {
      if (returned) early = false;
      outputs.push(output);
      onOutput(output);
    };
    let over = false;
    const running = (async () => {
      const request = { tgt: "*", fun: "probe.print", arg: [pieces, bytes], stream: true };
      for await (const { kind } of scene.client.run(request, { onOutput: take })) {
        assert.equal(kind, "returned");
        returned = true;
      }
    })().finally(() => over = true);
    await scene.pass(() => over, 10);
    await running;
    return { outputs, early };
  }

  test("it arrives in order, without gaps, and before the return", TIMEOUT, async () => {
    await using scene = await Scene.start();
    const { outputs, early } = await printed(scene, 50, 1000);
    assert.deepEqual(outputs.map(({ seq }) => seq), outputs.map((_, at) => at));
    for (const [stream, first] of [["stdout", 0], ["stderr", 1]] as const) {
      const text = outputs.filter((one) => one.stream === stream).map(({ text }) => text).join("");
      const pieces = Array.from({ length: 25 }, (_, at) => `${first + 2 * at} `.padEnd(1000, "x"));
      assert.equal(text, pieces.join(""));
    }
    assert.equal(early, true);
  });

  test("no more is sent than stream_bytes allow, and the number of dropped bytes is reported", TIMEOUT, async () => {
    await using scene = await Scene.start({ minion: { stream_bytes: 2500 } });
    const { outputs } = await printed(scene, 10, 1000);
    assert.equal(outputs.reduce((sum, { text }) => sum + text.length, 0), 2000);
    assert.deepEqual(outputs.map(({ dropped }) => dropped).filter((dropped) => dropped !== undefined), [8000]);
  });

  test("a command that prints waits for the master", TIMEOUT, async () => {
    await using scene = await Scene.start();
    let received = 0;
    let ahead = 0;
    await printed(scene, 100, 50_000, ({ text }) => {
      ahead = Math.max(ahead, scene.written - received);
      received += text.length;
    });
    assert.equal(received, 5_000_000);
    assert.ok(ahead <= 500_000, `${ahead} bytes ahead`);
  });
});

describe("clocks that are set", TIMEOUT, () => {
  for (const host of ["master", "web1"]) {
    for (const by of [HOUR, -HOUR]) {
      test(
        `by an hour ${by > 0 ? "forward" : "back"} on ${host}: no job ends too early, is lost or runs twice`,
        TIMEOUT,
        async () => {
          await using scene = await Scene.start({ minions: ["web1", "web2"] });
          await scene.stopMinion("web2");
          const running = await scene.publish("hold", "1", { tgt: "web1" });
          const queued = await scene.publish("mark", "2", { tgt: "web2", queue: 600 });
          await scene.ended(running, "started");
          scene.cluster.setClock(host, by);
          const fresh = await scene.publish("mark", "3", { tgt: "web1" });
          await scene.ended(fresh, "returned");
          await scene.passMs(200_000);
          assert.equal(await scene.state(running), "started");
          assert.equal(await scene.state(queued, "web2"), "queued");
          scene.gate("1").resolve();
          await scene.ended(running, "returned");
          await scene.startMinion("web2");
          await scene.ended(queued, "returned", "web2");
          scene.cluster.setClock(host, 0);
          const last = await scene.publish("mark", "4", { tgt: "web1" });
          await scene.ended(last, "returned");
          await scene.passMs(60_000);
          assert.deepEqual(scene.runs.sort(), ["web1 1", "web1 3", "web1 4", "web2 2"]);
          for (const jid of [running, queued, fresh, last]) assert.equal(await scene.returned(jid), 1);
        },
      );
    }
  }
});
