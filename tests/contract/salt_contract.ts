/** What every {@link Salt} promises a script, however it reaches the master. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import type { Outcome, Salt, SaltEvent } from "../../mod.ts";

const TIMEOUT = { timeout: 60_000 };

export interface SaltUnderTest {
  /** Before a Brine master whose minions are `web1`, `db1` and `slow1`, where the user may do everything. */
  salt: Salt;
  /** The same as a user who may do `test.ping` alone; undefined where there is none. */
  limited: Salt | undefined;
  /** Fires an event on the master's bus. */
  fire(tag: string, data: Record<string, unknown>): Promise<void>;
  /** Makes a key wait that has no minion. */
  addKey(id: string): void;
  /** Accepts the key of a minion that never connects. */
  addGhost(id: string): void;
  /** Removes the key of either. */
  removeKey(id: string): void;
  close(): Promise<void>;
}

export const QUICK = { timeoutMs: 2000, gatherMs: 2000 };
const kinds = (outcomes: Outcome[]) => outcomes.map(({ id, kind }) => [id, kind]).sort();

export function saltContract(name: string, open: () => Promise<SaltUnderTest>): void {
  describe(`${name} Salt`, TIMEOUT, () => {
    let made: SaltUnderTest;
    let salt: Salt;
    before(async () => {
      made = await open();
      salt = made.salt;
    }, TIMEOUT);
    after(() => made.close(), TIMEOUT);

    test("run() yields the outcome of each target, then returns what was published", TIMEOUT, async () => {
      const run = salt.run({ tgt: ["web1", "db1"], fun: "test.echo", arg: ["a b"] }, QUICK);
      const outcomes: Outcome[] = [];
      let step = await run.next();
      for (; !step.done; step = await run.next()) outcomes.push(step.value);
      assert.deepEqual(kinds(outcomes), [["db1", "returned"], ["web1", "returned"]]);
      for (const outcome of outcomes) {
        assert.ok(outcome.kind === "returned");
        assert.equal(outcome.return, "a b");
        assert.equal(outcome.retcode, 0);
        assert.equal(outcome.jid, step.value?.jid);
      }
      assert.deepEqual(step.value?.minions.toSorted(), ["db1", "web1"]);
    });

    test("run() tells a failure from a return, and who is missing", TIMEOUT, async () => {
      const outcomes = await salt.run({ tgt: ["web1", "nobody"], fun: "test.retcode", kwarg: { code: 3 } }, QUICK)
        .all();
      assert.deepEqual(kinds(outcomes), [["nobody", "missing"], ["web1", "failed"]]);
      assert.ok(outcomes[0]!.kind === "failed");
      assert.equal(outcomes[0]!.retcode, 3);
    });

    test("arguments arrive as they are", TIMEOUT, async () => {
      const arg = ["1", "a: 1", "[x]", 2, 1.5, true, null, { k: ["v"] }, "20261121101500000000"];
      const [outcome] = await salt.run({ tgt: "web1", fun: "test.arg", arg, kwarg: { who: "x y", n: 7 } }, QUICK).all();
      assert.ok(outcome?.kind === "returned");
      const got = outcome.return as { args: unknown[]; kwargs: Record<string, unknown> };
      assert.deepEqual(JSON.parse(JSON.stringify(got.args)), arg);
      assert.deepEqual(Object.fromEntries(Object.entries(got.kwargs).filter(([key]) => !key.startsWith("__"))), {
        who: "x y",
        n: 7,
      });
    });

    test("a target that matches nobody has no outcomes", TIMEOUT, async () => {
      assert.deepEqual(await salt.run({ tgt: "none*", fun: "test.ping" }, QUICK).all(), []);
      assert.equal(await salt.publish({ tgt: "none*", fun: "test.ping" }), undefined);
      assert.deepEqual(await salt.command({ tgt: "none*", fun: "test.ping" }, QUICK), {});
    });

    test(
      "run() can be left at its first outcome, and nothing is published before it is asked for",
      TIMEOUT,
      async () => {
        const jobs = await salt.jobs.list({ limit: 1 });
        salt.run({ tgt: "*", fun: "test.ping" });
        for await (const outcome of salt.run({ tgt: ["web1", "db1"], fun: "test.fib", arg: [3] }, QUICK)) {
          assert.equal(outcome.kind, "returned");
          break;
        }
        const later = (await salt.jobs.list({ limit: 2 })).map(({ jid, fun }) => [jid, fun]);
        assert.equal(later[0]![1], "test.fib");
        assert.deepEqual(later[1], [jobs[0]!.jid, jobs[0]!.fun]);
      },
    );

    test("unknown keys are refused with the nearest right one, before anything is sent", TIMEOUT, async () => {
      // deno-lint-ignore no-explicit-any
      const any = salt as any;
      for (
        const [call, message] of [
          [() => any.run({ tgt: "*", fun: "test.ping", timeout: 3 }).all(), /timeoutMs/],
          [() => any.run({ tgt: "*", fun: "test.ping" }, { timeout: 3 }).all(), /timeoutMs/],
          [() => any.publish({ tgt: "*", fnu: "test.ping" }), /fun/],
          [() => any.runner({ fun: "manage.up", args: [] }), /"arg"/],
          [() => any.runner({ fun: "up" }), /manage\.up/],
          [() => any.wheel({ fun: "key.list_all", arg: [] }), /use kwarg/],
          [async () => any.events({ tags: "x" }), /tag/],
          [async () => any.events({ buffer: 0 }), /buffer/],
          [() => any.keys.accept(undefined), /minion id or a glob/],
          [() => any.jobs.one("7"), /20 digits/],
          [() => any.jobs.list({ limit: 0 }), /limit/],
        ] as const
      ) await assert.rejects(call, (error: Error) => message.test(error.message) && /Type|Range/.test(error.name));
    });

    test("an abort ends each wait with its reason", TIMEOUT, async () => {
      const reason = new Error("enough");
      const aborted = AbortSignal.abort(reason);
      const isReason = (error: unknown) => error === reason;
      await assert.rejects(salt.run({ tgt: "web1", fun: "test.ping" }, { ...QUICK, signal: aborted }).all(), isReason);
      await assert.rejects(salt.publish({ tgt: "web1", fun: "test.ping" }, { signal: aborted }), isReason);
      await assert.rejects(salt.runner({ fun: "test.arg" }, { signal: aborted }), isReason);
      await assert.rejects(salt.wheel({ fun: "key.list_all" }, { signal: aborted }), isReason);
      await assert.rejects(salt.jobs.list({ signal: aborted }), isReason);
      await assert.rejects(salt.minions.list({ signal: aborted }), isReason);
      await assert.rejects(salt.keys.list({ signal: aborted }), isReason);
      await assert.rejects(salt.targets.preview({ tgt: "*" }, { signal: aborted }), isReason);
      await assert.rejects(salt.events({ signal: aborted }).next(), isReason);
      const stop = new AbortController();
      const feed = salt.events({ signal: stop.signal, tag: "nothing/*" });
      await feed.ready();
      const next = feed.next();
      next.catch(() => {});
      stop.abort(reason);
      await assert.rejects(next, isReason);
    });

    test("runner() returns what the runner returned, and rejects with what it said", TIMEOUT, async () => {
      const found = await salt.runner({
        fun: "test.arg",
        arg: ["1", "a=1", '# "x" ü\n|', "!", "", 2],
        kwarg: { x: "20", y: [1] },
      });
      assert.deepEqual(JSON.parse(JSON.stringify(found)), {
        args: ["1", "a=1", '# "x" ü\n|', "!", "", 2],
        kwargs: { x: "20", y: [1] },
      });
      await assert.rejects(salt.runner({ fun: "error.error", kwarg: { name: "ValueError", message: "boom" } }), {
        code: "FAILED",
        message: /runner "error.error" failed: .*boom/,
      });
      await assert.rejects(salt.runner({ fun: "no.such" }), { code: "FAILED" });
    });

    test("wheel() returns what the function returned, and rejects with what it said", TIMEOUT, async () => {
      const found = await salt.wheel({ fun: "key.name_match", kwarg: { match: "web*" } });
      assert.deepEqual(found, { minions: ["web1"] });
      await assert.rejects(salt.wheel({ fun: "key.accept_dict", kwarg: { match: "web1" as never } }), {
        code: "FAILED",
      });
    });

    test("events() yields events of its tag from ready() on", TIMEOUT, async () => {
      const feed = salt.events({ tag: "my/*/tag" });
      await feed.ready();
      await made.fire("other/thing", {});
      await made.fire("my/own/tag", { n: 1 });
      await made.fire("my/own/tag", { n: 2 });
      const found: SaltEvent[] = [];
      for await (const event of feed) {
        found.push(event);
        if (found.length === 2) break;
      }
      assert.deepEqual(found.map(({ tag, data }) => [tag, data.n]), [["my/own/tag", 1], ["my/own/tag", 2]]);
      assert.deepEqual(await feed.next(), { done: true, value: undefined });
    });

    test("events() with an id that is unknown says that events were missed", TIMEOUT, async () => {
      const missed: (number | undefined)[] = [];
      const feed = salt.events({ tag: "resumed/*", after: "unknown-7", onMissed: (count) => missed.push(count) });
      const next = feed.next();
      await feed.ready();
      await made.fire("resumed/now", {});
      assert.equal((await next).value?.tag, "resumed/now");
      assert.deepEqual(missed, [undefined]);
      await feed.return();
    });

    test("a feed that is disposed while it waits ends", TIMEOUT, async () => {
      const feed = salt.events({ tag: "nothing/*" });
      await feed.ready();
      const next = feed.next();
      await feed[Symbol.asyncDispose]();
      assert.deepEqual(await next, { done: true, value: undefined });
    });

    test("jobs.list() pages through the latest jobs, jobs.one() has what came of one", TIMEOUT, async () => {
      const [outcome] = await salt.run({ tgt: "web1", fun: "test.echo", arg: ["kept"] }, QUICK).all();
      const { jid } = outcome!;
      const [latest] = await salt.jobs.list({ limit: 1 });
      assert.deepEqual(latest, {
        jid,
        fun: "test.echo",
        arg: ["kept"],
        tgt: "web1",
        tgtType: "glob",
        user: latest!.user,
        startMs: latest!.startMs,
      });
      const older = await salt.jobs.list({ limit: 2, before: jid });
      assert.equal(older.length, 2);
      assert.ok(older.every((job) => job.jid < jid && job.fun !== "saltutil.find_job"));
      assert.ok(older[0]!.jid > older[1]!.jid);
      const job = await salt.jobs.one(jid);
      assert.deepEqual([job.fun, job.minions], ["test.echo", ["web1"]]);
      assert.deepEqual(job.outcomes.map((one) => one.kind === "returned" && one.return), ["kept"]);
      assert.deepEqual(await salt.jobs.outcomes(jid), job.outcomes);
      await assert.rejects(salt.jobs.one("20200101000000000000"), { code: "UNKNOWN_JOB" });
    });

    test("jobs.follow() yields what is on record, then what comes", TIMEOUT, async () => {
      const published = await salt.publish({ tgt: ["web1", "db1"], fun: "test.ping" });
      const outcomes = await salt.jobs.follow(published!.jid, QUICK).all();
      assert.deepEqual(kinds(outcomes), [["db1", "returned"], ["web1", "returned"]]);
      await assert.rejects(salt.jobs.follow("20200101000000000000", QUICK).all(), { code: "UNKNOWN_JOB" });
    });

    test("a job that works is followed and ended", TIMEOUT, async () => {
      const published = Promise.withResolvers<string>();
      const outcomes = salt.run({ tgt: "web1", fun: "gate.wait" }, { ...QUICK, onPublished: published.resolve }).all();
      const jid = await published.promise;
      await until(async () => (await salt.jobs.one(jid)).outcomes[0]?.kind === "started");
      assert.deepEqual(await salt.jobs.cancel(jid), ["web1"]);
      assert.deepEqual(kinds(await outcomes), [["web1", "cancelled"]]);
      assert.deepEqual(await salt.jobs.cancel(jid), []);
    });

    test("a job for a minion that is away is queued, and taken from the queue", TIMEOUT, async () => {
      made.addGhost("ghost");
      const run = salt.run({ tgt: ["ghost", "web1"], fun: "test.ping", queue: 600 }, QUICK);
      const outcomes = await run.all();
      assert.deepEqual(kinds(outcomes), [["ghost", "queued"], ["web1", "returned"]]);
      assert.deepEqual(await salt.jobs.cancel(outcomes[0]!.jid), ["ghost"]);
      const [ghost] = await salt.jobs.outcomes(outcomes[0]!.jid);
      assert.equal(ghost?.kind, "cancelled");
      made.removeKey("ghost");
    });

    test("minions.list() has grains and presence; presence() the ids", TIMEOUT, async () => {
      made.addGhost("ghost");
      const minions = await salt.minions.list();
      assert.deepEqual(minions.map(({ id, connected }) => [id, connected]), [
        ["db1", true],
        ["ghost", false],
        ["slow1", true],
        ["web1", true],
      ]);
      assert.equal(minions.find(({ id }) => id === "web1")!.grains!.role, "web1");
      assert.equal(minions.find(({ id }) => id === "ghost")!.grains, undefined);
      const some = await salt.minions.list({ tgt: "role:db1", tgtType: "grain" });
      assert.deepEqual(some.map(({ id }) => id), ["db1"]);
      assert.deepEqual(await salt.minions.presence(), { connected: ["db1", "slow1", "web1"], away: ["ghost"] });
      made.removeKey("ghost");
    });

    test("keys are listed, compared, accepted, rejected and deleted", TIMEOUT, async () => {
      made.addKey("new1");
      const { pre, accepted } = await salt.keys.list();
      assert.ok(pre.includes("new1") && accepted.includes("web1"));
      const [key] = await salt.keys.fingerprint("new1");
      assert.deepEqual([key!.id, key!.status], ["new1", "pre"]);
      assert.match(key!.fingerprint, /^[0-9a-f]{2}(:[0-9a-f]{2})+$/);
      assert.deepEqual(await salt.keys.accept("new1"), ["new1"]);
      assert.deepEqual(await salt.keys.reject("new1", { accepted: true }), ["new1"]);
      assert.deepEqual(await salt.keys.delete("new1"), ["new1"]);
      assert.deepEqual(await salt.keys.delete("new1"), []);
      await assert.rejects(salt.keys.fingerprint("new1"), { code: "UNKNOWN_KEY" });
      assert.deepEqual(await salt.keys.fingerprint("new*"), []);
    });

    test("targets.preview() has the minions of a target and sends them nothing", TIMEOUT, async () => {
      const before = (await salt.jobs.list({ limit: 1 }))[0]!.jid;
      assert.deepEqual(await salt.targets.preview({ tgt: "*1 and G@role:web1", tgt_type: "compound" }), {
        minions: ["web1"],
        missing: [],
      });
      assert.deepEqual(await salt.targets.preview({ tgt: ["web1", "nobody"] }), {
        minions: ["web1"],
        missing: ["nobody"],
      });
      assert.equal((await salt.jobs.list({ limit: 1 }))[0]!.jid, before);
    });

    test("a user without permission is told so by the code PERMISSION", TIMEOUT, async () => {
      const { limited } = made;
      if (limited === undefined) return;
      assert.deepEqual(kinds(await limited.run({ tgt: "web1", fun: "test.ping" }, QUICK).all()), [[
        "web1",
        "returned",
      ]]);
      const denied = { code: "PERMISSION" };
      await assert.rejects(limited.run({ tgt: "web1", fun: "cmd.run", arg: ["id"] }, QUICK).all(), denied);
      await assert.rejects(limited.runner({ fun: "jobs.list_job", kwarg: { jid: "1" } }), denied);
      await assert.rejects(limited.keys.accept("web1"), denied);
      await assert.rejects(limited.targets.preview({ tgt: "*", fun: "cmd.run" }), denied);
    });

    test("closing twice is harmless, and ends what waits", TIMEOUT, async () => {
      const other = await open();
      const feed = other.salt.events({ tag: "nothing/*" });
      await feed.ready();
      const next = feed.next();
      next.catch(() => {});
      await other.salt.close();
      await other.salt[Symbol.asyncDispose]();
      await assert.rejects(next);
      await assert.rejects(other.salt.publish({ tgt: "*", fun: "test.ping" }));
      await other.close();
    });
  });
}
