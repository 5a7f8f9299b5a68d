/** The audit log of a running master: who asked for what, and no secret of theirs. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { auditReader } from "../../src/host/runner/runner_context.ts";
import { decode, encode } from "../../src/protocol/wire/msgpack.ts";
import { Breaker } from "../support/failing.ts";
import { type Cluster, type ClusterOptions, PAIRS, startCluster } from "../support/start_cluster.ts";
import type { Json } from "../support/vectors.ts";

const TIMEOUT = { timeout: 60_000 };

interface Site extends AsyncDisposable {
  cluster: Cluster;
  ask(load: Record<string, unknown>): Promise<Json>;
  publish(who: Record<string, unknown>, job: Record<string, unknown>): Promise<Json>;
  lines(filter?: Record<string, unknown>): Json[];
  /** The log's bytes. */
  text(): string;
}

async function site(master: Record<string, unknown> = {}, options: ClusterOptions = {}): Promise<Site> {
  const cluster = await startCluster({
    minions: ["web1", "db1"],
    ...options,
    master: {
      audit_log: true,
      audit_dir: "/audit",
      external_auth: { file: { "^filename": "/brine/users", alice: [".*", "@wheel", "@runner"], rita: ["test.ping"] } },
      peer: { web1: ["test.ping"] },
      ...master,
    },
    prepare(runtime: Runtime, root: string) {
      runtime.fs.write("/brine/users", "alice:wonder\nrita:rrr\n", { mode: 0o600 });
      options.prepare?.(runtime, root);
    },
  });
  const exchange = cluster.exchange();
  const reader = auditReader(cluster.runtime, "/audit", `${cluster.root}/pki`);
  // Wrong passwords are answered after a delay.
  const ask = async (load: Record<string, unknown>) => {
    const bytes = encode({ enc: "clear", load, version: 3 }, "wire");
    let answered = false;
    const answer = exchange(bytes, { timeoutMs: 60_000 }).finally(() => answered = true);
    await until(() => answered, { clock: cluster.clock });
    return decode(await answer, { mode: "wire" }) as Json;
  };
  const common = {
    cmd: "publish",
    tgt: "*",
    tgt_type: "glob",
    fun: "test.ping",
    arg: [],
    ret: "",
    jid: "",
    user: "api",
  };
  return {
    cluster,
    ask,
    publish: (who, job) => ask({ ...common, ...job, kwargs: who }),
    lines: (filter = {}) => reader.search({ limit: 1000, ...filter }),
    text: () => cluster.runtime.fs.readText("/audit/audit-00000001.jsonl"),
    [Symbol.asyncDispose]: () => cluster.close(),
  };
}

const alice = { eauth: "file", username: "alice", password: "wonder" };
const rita = { eauth: "file", username: "rita", password: "rrr" };

describe("the audit log", TIMEOUT, () => {
  test("has each command with its user, targets and outcome before the answer", TIMEOUT, async () => {
    await using here = await site();
    const { load } = await here.publish(alice, { tgt: "web*", fun: "test.arg", arg: ["x", "password=hunter2"] });
    const [job] = here.lines({ kind: ["publish"] });
    assert.deepEqual(
      [job.user, job.proof, job.fun, job.tgt, job.minions, job.targets, job.jid, job.outcome, job.from],
      ["alice", "eauth", "test.arg", "web*", ["web1"], 1, load.jid, "ok", "127.0.0.1"],
    );
    assert.deepEqual(job.args, ["x", "password=***"]);
    await here.publish(rita, { fun: "cmd.run", arg: ["id"] });
    const [refused] = here.lines({ user: "rita" });
    assert.deepEqual([refused.outcome, refused.fun], ["AuthorizationError", "cmd.run"]);
    await here.publish({ ...alice, password: "wrong-one" }, { fun: "cmd.run" });
    const [unknown] = here.lines({ outcome: "AuthenticationError" });
    assert.deepEqual([unknown.user, unknown.proof], ["alice", "none"]);
    await here.ask({ cmd: "wheel", fun: "key.accept", match: "nobody", ...alice });
    const [wheel] = here.lines({ kind: ["wheel"] });
    assert.deepEqual([wheel.user, wheel.fun, wheel.args.match, wheel.outcome], ["alice", "key.accept", "nobody", "ok"]);
    const token = await here.ask({ cmd: "mk_token", ...alice });
    await here.ask({ cmd: "mk_token", ...alice, password: "wrong-one" });
    await here.ask({ cmd: "del_token", token: token.token });
    assert.deepEqual(
      here.lines({ kind: ["login", "logout"] }).map(({ kind, user, outcome }) => [kind, user, outcome]),
      [
        ["login", "alice", "ok"],
        ["login", "alice", "AuthenticationError"],
        ["logout", undefined, "ok"],
      ],
    );
    for (const secret of ["wonder", "wrong-one", "rrr", "hunter2", token.token]) {
      assert.equal(here.text().includes(secret), false, secret);
    }
  });

  test("has the end of a job, decisions on keys, refused sign-ins, and the master itself", TIMEOUT, async () => {
    await using here = await site();
    const { fs } = here.cluster.runtime;
    const { load } = await here.publish(alice, {});
    await until(() => here.lines({ kind: ["job-end"] }).length > 0);
    const [end] = here.lines({ kind: ["job-end"] });
    assert.deepEqual([end.jid, end.returned, end.without_return], [load.jid, 2, 0]);
    fs.write(`${here.cluster.root}/pki/minions_pre/new1`, PAIRS.other.publicPem);
    await here.ask({ cmd: "wheel", fun: "key.accept", match: "new1", ...alice });
    await here.cluster.clock.advance(1000);
    await until(() => here.lines({ kind: ["key"] }).length > 0);
    const [key] = here.lines({ kind: ["key"] });
    assert.deepEqual([key.act, key.id, key.was, key.user, key.via], ["accept", "new1", "pre", "alice", "wheel"]);
    await here.ask({ cmd: "_auth", id: "web1", pub: PAIRS.other.publicPem, nonce: "1" }).catch(() => {});
    await until(() => here.lines({ kind: ["sign-in"] }).length > 0);
    assert.deepEqual(here.lines({ kind: ["sign-in"] }).map(({ id, outcome }) => [id, outcome]), [["web1", "denied"]]);
    await here.cluster.master.close();
    assert.deepEqual(here.lines({ kind: ["begin", "start", "stop"] }).map(({ kind }) => kind), [
      "begin",
      "start",
      "stop",
    ]);
    const report = auditReader(here.cluster.runtime, "/audit", `${here.cluster.root}/pki`).verify();
    assert.deepEqual([report.problems, report.unsigned], [[], 0]);
    await here.cluster.startMaster();
    assert.equal(here.lines({ kind: ["start"] }).length, 2);
  });

  test("is not filled by a stranger", TIMEOUT, async () => {
    await using here = await site();
    for (let at = 0; at < 200; at++) {
      await here.ask({ cmd: "runner", fun: `manage.up${at}`, user: "nobody", key: "x".repeat(500) });
    }
    assert.ok(here.lines({ kind: ["runner"] }).length <= 20);
    await here.cluster.clock.advance(120_000);
    await until(() => here.lines({ kind: ["more"] }).length > 0);
  });

  test("audit_failure: refuse refuses commands while nothing can be recorded, continue does not", TIMEOUT, async () => {
    for (const audit_failure of ["refuse", "continue"]) {
      const breaker = new Breaker();
      await using here = await site({ audit_failure });
      const { fs } = here.cluster.runtime;
      const files = breaker.files(fs);
      // The log alone finds its disk full.
      const append = fs.append;
      fs.append = (path, ...rest) => path.startsWith("/audit/") ? files.append(path, ...rest) : append(path, ...rest);
      breaker.fail();
      await here.publish(alice, {});
      const { load } = await here.publish(alice, {});
      if (audit_failure === "refuse") assert.match(load.error, /audit_failure is refuse/);
      else assert.equal(load.minions.length, 2);
      breaker.mend();
      const mended = await here.publish(alice, {});
      assert.equal(mended.load.minions.length, 2);
      assert.equal(here.lines({ kind: ["publish"] }).length, audit_failure === "refuse" ? 2 : 3);
    }
  });
});
