/** Answers of salt-api 3006 that are not among the recorded exchanges, compared with ours. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "../../../bench/bed/until.ts";
import { createGateway, type Flavour, FLAVOURS, type Gateway, gatewaySettings } from "../../../src/host/gateway/mod.ts";
import type { WebSocketHandlers } from "../../../src/runtime/http.ts";
import { lowstateOutcomes } from "../../../src/client/http/lowstate.ts";
import { encode } from "../../../src/protocol/wire/msgpack.ts";
import { openDoor, PASSWORD, TOKEN } from "./fake_backend.ts";
import { type Site, startSite } from "./site.ts";

const TIMEOUT = { timeout: 60_000 };

describe("before a Brine master", TIMEOUT, () => {
  let site: Site;
  const gateways = {} as Record<Flavour, Gateway>;
  const tokens = {} as Record<Flavour, string>;

  async function ask(flavour: Flavour, method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await gateways[flavour].fetch(
      new Request(`http://gateway.example${path}`, {
        method,
        headers: {
          "X-Auth-Token": tokens[flavour] ?? "",
          "Content-Type": "application/json",
          Accept: "application/json",
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    return await answer.json();
  }

  before(async () => {
    site = await startSite({ minions: ["web1"] });
    for (const flavour of FLAVOURS) {
      const section = { port: 0, disable_ssl: true };
      const clients = ["local", "local_async", "runner", "wheel"];
      const settings = gatewaySettings(
        { ...site.master.opts, netapi_enable_clients: clients, [flavour]: section },
        flavour,
      );
      gateways[flavour] = createGateway({ runtime: site.master.runtime, settings, backend: site.backend });
      const login = await ask(flavour, "POST", "/login", { username: "alice", password: "wonder", eauth: "file" });
      tokens[flavour] = (login as { return: { token: string }[] }).return[0]!.token;
    }
  }, TIMEOUT);
  after(async () => {
    for (const gateway of Object.values(gateways)) gateway.drain();
    await site[Symbol.asyncDispose]();
  }, TIMEOUT);

  for (
    const { jid, StartTime } of [
      { jid: "abc", StartTime: "" },
      { jid: "123", StartTime: "" },
      { jid: "2020010100000000000x", StartTime: "2020, Jan 01 00:00:00.00000x" },
    ]
  ) {
    test(`GET /jobs/${jid}, which is not a jid`, TIMEOUT, async () => {
      const report = { jid, Error: "Cannot contact returner or no job with this jid", StartTime, Result: {} };
      assert.deepEqual(await ask("rest_cherrypy", "GET", `/jobs/${jid}`), { info: [report], return: [{}] });
      assert.deepEqual(await ask("rest_tornado", "GET", `/jobs/${jid}`), { return: [report] });
    });
  }

  test(
    "a lowstate with the jid of another user's open job starts nothing and does not change that job",
    TIMEOUT,
    async () => {
      const { cluster } = site;
      const jid = "20240506070809123456";
      cluster.acceptKey("db1");
      const key = cluster.runtime.fs.readText(`${cluster.root}/cache/.root_key`);
      const roots = { tgt: ["db1"], tgt_type: "list", fun: "test.echo", arg: ["root's"], kwargs: { queue: 3600 } };
      const load = { cmd: "publish", ret: "", user: "root", key, jid, ...roots };
      await cluster.exchange()(encode({ enc: "clear", load, version: 3 }, "wire"), { timeoutMs: 60_000 });
      for (const flavour of FLAVOURS) {
        for (const client of ["local", "local_async"]) {
          const low = { client, tgt: "web1", fun: "test.echo", arg: ["alice's"], jid };
          const answer = JSON.stringify(await ask(flavour, "POST", "/", [low]));
          assert.doesNotMatch(answer, /alice's|"minions":\["web1"\]/, `${flavour} ${client}`);
          if (flavour === "rest_cherrypy") assert.match(answer, /Cannot publish: /);
        }
      }
      // What is refused above is the jid: without it the same call is run.
      const low = { client: "local", tgt: "web1", fun: "test.echo", arg: ["alice's"] };
      assert.deepEqual(await ask("rest_cherrypy", "POST", "/", [low]), { return: [{ web1: "alice's" }] });
      const job = (await ask("rest_cherrypy", "GET", `/jobs/${jid}`) as { info: Record<string, unknown>[] }).info[0]!;
      assert.deepEqual([job.Function, job.Arguments, job.Target, job.User], ["test.echo", ["root's"], ["db1"], "root"]);
      assert.deepEqual(job.Minions, ["db1"]);
    },
  );

  test(
    "a list names a minion without a key: its answer is what salt says of it, with full_return as well",
    TIMEOUT,
    async () => {
      const low = { client: "local", tgt: ["web1", "nope"], tgt_type: "list", fun: "test.echo", arg: ["x"] };
      const answer = await ask("rest_cherrypy", "POST", "/", [low]) as { return: [{ web1: string; nope: string }] };
      assert.equal(answer.return[0].web1, "x");
      assert.match(
        answer.return[0].nope,
        /^Minion did not return\. \[No response\]\nThe minions may not have [^\n]*:\n\nsalt-run jobs\.lookup_jid \d{20}$/,
      );
      const full = await ask("rest_cherrypy", "POST", "/", [{ ...low, full_return: true }]) as {
        return: [{ web1: Record<string, unknown>; nope: { out: string; ret: string; retcode: number } }];
      };
      const { out, ret, retcode } = full.return[0].nope;
      assert.deepEqual([out, retcode, ret.split("\n")[0]], ["no_return", 1, "Minion did not return. [No response]"]);
      const { jid, outcomes } = lowstateOutcomes(full.return[0]);
      assert.deepEqual(outcomes.map(({ kind, id }) => [id, kind]).sort(), [["nope", "missing"], ["web1", "returned"]]);
      assert.match(jid, /^\d{20}$/);
    },
  );

  test("a wheel function that fails returns a traceback in Python's format", TIMEOUT, async () => {
    for (
      const { low, last } of [
        { low: { fun: "nosuch.fun" }, last: "salt.exceptions.CommandExecutionError: 'nosuch.fun' is not available." },
        {
          low: { fun: "key.accept" },
          last: "salt.exceptions.SaltInvocationError: accept takes at least 1 argument (0 given)",
        },
      ]
    ) {
      const answer = await ask("rest_cherrypy", "POST", "/", [{ client: "wheel", ...low }]);
      const [{ data }] = (answer as { return: [{ data: { return: string; success: boolean } }] }).return;
      const lines = data.return.split("\n");
      assert.equal(data.success, false);
      assert.equal(lines[0], `Exception occurred in wheel ${low.fun}: Traceback (most recent call last):`);
      assert.match(lines[1]!, /^ {2}File ".*", line \d+/);
      assert.deepEqual(lines.slice(-2), [last, ""]);
    }
  });

  test("a job without a matching minion is an empty map where its returns are not waited for", TIMEOUT, async () => {
    const low = { tgt: "zzz*", fun: "test.ping" };
    for (const flavour of FLAVOURS) {
      const started = await ask(flavour, "POST", "/", [{ client: "local_async", ...low }]);
      assert.deepEqual(started, { return: [{}] }, flavour);
      const { return: jobs } = await ask(flavour, "POST", "/minions", [low]) as { return: unknown };
      assert.deepEqual(jobs, [{}], flavour);
    }
  });
});

describe("kwarg that is not a map is ignored", () => {
  const rows: { type: string; body: string }[] = [
    ...["abc", "7", "[1,2]", "true", "null"].map((kwarg) => ({
      type: "application/x-www-form-urlencoded",
      body: `client=local_async&tgt=*&fun=test.kwarg&arg=1&kwarg=${kwarg}`,
    })),
    {
      type: "application/x-www-form-urlencoded",
      body: "client=local_async&tgt=*&fun=test.kwarg&arg=1&kwarg=a&kwarg=b",
    },
    ...['"abc"', "7", "[1]", "true", "false", "0", "[]"].map((kwarg) => ({
      type: "application/json",
      body: `[{"client":"local_async","tgt":"*","fun":"test.kwarg","arg":[1],"kwarg":${kwarg}}]`,
    })),
  ];
  for (const flavour of FLAVOURS) {
    for (const { type, body } of rows) {
      test(`${flavour}: ${body}`, async () => {
        const door = await openDoor({}, { flavour });
        const { token } = (await door.backend.login({ username: "somebody", password: PASSWORD, eauth: "pam" }))!;
        const session = flavour === "rest_cherrypy" ? await door.login() : { "X-Auth-Token": token };
        const answer = await door.send("POST", "/", { headers: { ...session, "Content-Type": type }, body });
        assert.equal(answer.status, 200, await answer.text());
        const [{ request }] = door.backend.acts as [{ request: { arg: unknown[] } }];
        assert.deepEqual(request.arg.map(String), ["1"]);
      });
    }
  }
});

test("/formatted_events sends nothing before all grains have returned, then everything except that job", async () => {
  const door = await openDoor({ websockets: true }, { flavour: "rest_tornado" });
  const { backend } = door;
  await backend.login({ username: "somebody", password: PASSWORD, eauth: "pam" });
  const grains = Promise.withResolvers<void>();
  const jid = "20260101000000000000";
  backend.run = async function* () {
    await grains.promise;
    yield { kind: "returned", id: "web1", return: { os: "x" }, retcode: 0, success: true, out: undefined, jid };
    return { jid, minions: ["web1"], missing: [], queued: [] };
  };
  let handlers: WebSocketHandlers | undefined;
  const sent: string[] = [];
  const socket = { buffered: 0, send: (text: string) => void sent.push(text), close() {} };
  const peer = {
    address: "127.0.0.1",
    upgrade(given: WebSocketHandlers) {
      handlers = given;
      return new Response(null);
    },
    keepOpen() {},
    known() {},
  };
  const request = new Request(`http://gateway.example/formatted_events/${TOKEN}`, {
    headers: { Upgrade: "websocket" },
  });
  await door.gateway.fetch(request, peer);
  handlers!.onMessage!("websocket client ready", socket);
  const happens = (tag: string, data: Record<string, unknown>) => {
    backend.event(tag, data);
    door.clock.advance(20);
  };
  const job = { jid: "2", fun: "test.ping", tgt: "*", tgt_type: "glob", minions: ["web1"] };
  happens(`salt/job/${jid}/new`, { ...job, jid, fun: "grains.items" });
  happens("salt/job/2/new", job);
  happens(`salt/job/${jid}/ret/web1`, { jid, fun: "grains.items", success: true, return: { os: "x" }, retcode: 0 });
  assert.deepEqual(sent, []);
  grains.resolve();
  await until(() => {
    happens("salt/job/2/ret/web1", { jid: "2", fun: "test.ping", success: true, return: true, retcode: 0 });
    return Promise.resolve(sent.length > 0);
  });
  const { jobs } = JSON.parse(sent[0]!) as { jobs: Record<string, { state: string; tgt: string }> };
  assert.deepEqual(Object.keys(jobs), ["2"]);
  assert.deepEqual([jobs["2"]!.state, jobs["2"]!.tgt], ["complete", "*"]);
  happens("salt/key", { act: "accept", id: "db1" });
  assert.deepEqual(JSON.parse(sent.at(-1)!), {
    minions: { web1: { grains: { os: "x" }, id: "web1" }, db1: { id: "db1" } },
  });
  handlers!.onClose!();
});
