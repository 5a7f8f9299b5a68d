/** The client over HTTP through the salt-api of real Salt 3006, before its master and its minion: what works, and what is refused by name. */
import assert from "node:assert/strict";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { freePort } from "../../bench/bed/ports.ts";
import { connect, type HttpClient, type Outcome, type SaltEvent } from "../../mod.ts";
import { commandOf, Daemon } from "./daemon.ts";
import { Fleet } from "./fleet.ts";
import { installSalt } from "./release.ts";

const RELEASE = "3006";
const skip = process.env.BRINE_INTEROP === undefined
  ? "set BRINE_INTEROP=quick to run against real Salt"
  : installSalt(RELEASE);
const LONG = { timeout: 180_000 };
const SECRET = "open-sesame";
const login = (username: string, password = SECRET) => ({ username, password, eauth: "sharedsecret" });
const ID = "salt3006";
const QUICK = { timeoutMs: 5000, gatherMs: 5000 };

describe("the client through the salt-api of 3006", { skip: skip ?? false, timeout: 600_000 }, () => {
  let fleet: Fleet;
  let api: Daemon;
  let url: string;
  let salt: HttpClient;

  before(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    fleet = new Fleet({
      master: RELEASE,
      minions: [RELEASE],
      masterOptions: (directory) => ({
        netapi_enable_clients: ["local", "local_async", "runner", "wheel"],
        sharedsecret: SECRET,
        external_auth: { sharedsecret: { alice: [".*", "@runner", "@wheel", "@jobs"], rita: ["test.ping"] } },
        api_pidfile: path.join(directory, "master", "run", "api.pid"),
        api_logfile: path.join(directory, "master", "api.log"),
        rest_cherrypy: { port, host: "127.0.0.1", disable_ssl: true },
      }),
    });
    await fleet.start();
    const log = fleet.path("master", "api.log");
    api = new Daemon("salt-api", [...commandOf(RELEASE, "salt-api"), "-c", fleet.path("master", "etc")], [log]);
    await fleet.until("salt-api answers", () => fetch(url).then(({ ok }) => ok, () => false));
    salt = await connect(url, { login: login("alice") });
  }, LONG);
  after(async () => {
    await salt?.close();
    await api?.stop(5000);
    await fleet?.stop();
  }, LONG);

  const kinds = (outcomes: Outcome[]) => outcomes.map(({ id, kind }) => [id, kind]);

  test("a login that is not accepted is AUTHENTICATION, and the server is known as Salt's own", LONG, async () => {
    assert.equal(salt.isBrine, false);
    await assert.rejects(connect(url, { login: login("alice", "wrong") }), { code: "AUTHENTICATION" });
    await assert.rejects(connect(url, { token: "0".repeat(40) }), { code: "AUTHENTICATION" });
  });

  test("jobs have their outcomes", LONG, async () => {
    const [echo] = await salt.run({ tgt: ID, fun: "test.arg", arg: ["1", "a b"], kwarg: { n: 7 } }, QUICK).all();
    assert.ok(echo?.kind === "returned");
    const { args, kwargs } = echo.return as { args: unknown[]; kwargs: Record<string, unknown> };
    assert.deepEqual([args, kwargs.n], [["1", "a b"], 7]);
    assert.deepEqual(kinds(await salt.run({ tgt: "*", fun: "test.retcode", kwarg: { code: 3 } }, QUICK).all()), [
      [ID, "failed"],
    ]);
    assert.deepEqual(kinds(await salt.run({ tgt: "*", fun: "no.such" as string }, QUICK).all()), [[ID, "failed"]]);
    assert.deepEqual(kinds(await salt.run({ tgt: [ID, "nobody"], fun: "test.ping" }, QUICK).all()), [
      [ID, "returned"],
      ["nobody", "missing"],
    ]);
    assert.deepEqual(await salt.run({ tgt: "none*", fun: "test.ping" }, QUICK).all(), []);
    assert.deepEqual(await salt.command({ tgt: "role:web", tgt_type: "grain", fun: "test.ping" }, QUICK), {
      [ID]: true,
    });
    assert.deepEqual(await salt.command({ tgt: "everyone", tgt_type: "nodegroup", fun: "test.ping" }, QUICK), {
      [ID]: true,
    });
  });

  test("runners and wheel functions return, and fail with their words", LONG, async () => {
    const found = await salt.runner({ fun: "test.arg", arg: ["1", "a: 1", '# "x" ü'], kwarg: { x: "20", y: "a=1" } });
    assert.deepEqual(found, { args: ["1", "a: 1", '# "x" ü'], kwargs: { x: "20", y: "a=1" } });
    // Salt's master reads each text a second time, as a command line.
    assert.deepEqual(await salt.runner({ fun: "test.arg", arg: ["a=1"] }), { args: [], kwargs: { a: 1 } });
    await assert.rejects(salt.runner({ fun: "error.error", kwarg: { name: "ValueError", message: "boom" } }), {
      code: "FAILED",
      message: /boom/,
    });
    await assert.rejects(salt.runner({ fun: "no.such" as string }), { code: "FAILED" });
    assert.deepEqual(await salt.wheel({ fun: "key.name_match", kwarg: { match: "*" } }), { minions: [ID] });
    await assert.rejects(salt.wheel({ fun: "no.such" as string }), { code: "FAILED" });
    // A value of the wrong kind is no failure to Salt's master.
    assert.equal(typeof await salt.wheel({ fun: "key.accept_dict", kwarg: { match: "x" as never } }), "object");
  });

  test("keys, minions and jobs are listed", LONG, async () => {
    assert.deepEqual((await salt.keys.list()).accepted, [ID]);
    const [key] = await salt.keys.fingerprint(ID);
    assert.match(key!.fingerprint, /^([0-9a-f]{2}:){31}[0-9a-f]{2}$/);
    await assert.rejects(salt.keys.fingerprint("nobody"), { code: "UNKNOWN_KEY" });
    assert.deepEqual(await salt.keys.accept("nobody"), []);
    const [minion] = await salt.minions.list();
    assert.deepEqual([minion!.id, minion!.grains?.role], [ID, "web"]);
    assert.deepEqual(await salt.minions.presence(), { connected: [ID], away: [] });
    const [outcome] = await salt.run({ tgt: ID, fun: "test.echo", arg: ["kept"] }, QUICK).all();
    const { jid } = outcome!;
    assert.ok((await salt.jobs.list({ limit: 20 })).some((job) => job.jid === jid && job.fun === "test.echo"));
    const job = await salt.jobs.one(jid);
    assert.deepEqual(job.outcomes.map((one) => one.kind === "returned" && one.return), ["kept"]);
    assert.deepEqual(kinds(await salt.jobs.follow(jid, QUICK).all()), [[ID, "returned"]]);
    await assert.rejects(salt.jobs.one("20200101000000000000"), { code: "UNKNOWN_JOB" });
  });

  test("a job is followed while it works, and ended", LONG, async () => {
    const started = Promise.withResolvers<string>();
    const run = salt.run({ tgt: ID, fun: "cmd.run", arg: ["sleep 300"] }, { ...QUICK, onPublished: started.resolve });
    const outcomes = run.all();
    const jid = await started.promise;
    await fleet.until("the job runs", async () => {
      const running = await salt.command({ tgt: ID, fun: "saltutil.find_job", arg: [jid] }, QUICK);
      return Object.keys(Object(running[ID])).length > 0;
    });
    assert.deepEqual(await salt.jobs.cancel(jid), [ID]);
    const [ended] = await outcomes;
    assert.equal(ended!.id, ID);
    assert.notEqual(ended!.kind, "returned");
  });

  test("events come without ids, and what was before is reported as missed", LONG, async () => {
    const missed: unknown[] = [];
    const feed = salt.events({ tag: "my/*", after: "x-1", onMissed: (count) => missed.push(count) });
    await feed.ready();
    await salt.runner({ fun: "event.send", kwarg: { tag: "my/own", data: { n: 1 } } });
    const { tag, data, id } = (await feed.next()).value as SaltEvent;
    assert.deepEqual([tag, data.n, id], ["my/own", 1, ""]);
    assert.deepEqual(missed, [undefined]);
    await feed.return();
  });

  test("what Salt's own master does not have is NOT_BRINE, before anything is sent", LONG, async () => {
    const none = { code: "NOT_BRINE" };
    const ping = { tgt: ID, fun: "test.ping" } as const;
    await assert.rejects(salt.run({ ...ping, queue: 60 }).all(), none);
    await assert.rejects(salt.run({ ...ping, stream: true }).all(), none);
    await assert.rejects(salt.publish({ ...ping, jobTimeout: 60 }), none);
    await assert.rejects(salt.targets.preview({ tgt: "*" }), none);
  });

  test("what a user may not do is PERMISSION; closing ends the login", LONG, async () => {
    const rita = await connect(url, { login: login("rita") });
    assert.deepEqual(kinds(await rita.run({ tgt: ID, fun: "test.ping" }, QUICK).all()), [[ID, "returned"]]);
    const denied = { code: "PERMISSION" };
    await assert.rejects(rita.run({ tgt: ID, fun: "cmd.run", arg: ["id"] }, QUICK).all(), denied);
    await assert.rejects(rita.runner({ fun: "manage.up" }), denied);
    await assert.rejects(rita.keys.list(), denied);
    await rita.close();
    await assert.rejects(rita.keys.list(), { code: "CLOSED" });
  });

  test("an abort ends the wait, and the job goes on", LONG, async () => {
    const stop = new AbortController();
    const started = Promise.withResolvers<string>();
    const command = { tgt: ID, fun: "cmd.run", arg: ["sleep 2; echo done"] as [string] };
    const run = salt.run({ ...command, fun: "cmd.run" }, { signal: stop.signal, onPublished: started.resolve }).all();
    run.catch(() => {});
    const jid = await started.promise;
    stop.abort(new Error("enough"));
    await assert.rejects(run, /enough/);
    const [outcome] = await salt.jobs.follow(jid, { ...QUICK, timeoutMs: 15_000 }).all();
    assert.equal(outcome!.kind === "returned" && outcome!.return, "done");
  });
});
