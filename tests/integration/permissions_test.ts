/** Permissions, tested over the request port as any client uses it: what is refused has no effect. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import type { EauthModule } from "../../src/model/loader/eauth.ts";
import { masterId } from "../../src/host/master/master_id.ts";
import type { MasterRunnerJob } from "../../src/host/master/jobs/runners.ts";
import { decode, encode, unpack } from "../../src/protocol/wire/msgpack.ts";
import { type Cluster, type ClusterOptions, startCluster } from "../support/start_cluster.ts";
import type { Json } from "../support/vectors.ts";

const TIMEOUT = { timeout: 60_000 };
const USERS = "alice:wonder\nrita:rrr\nnadia:nnn\ngina:ggg\n";

/** The users behind the recorded exchanges of the HTTP API. */
const EXTERNAL_AUTH = {
  file: {
    "^filename": "/brine/users",
    alice: [".*", "@runner", "@wheel", "@jobs"],
    rita: [
      "test.ping",
      { "web*": ["grains.*", { "cmd.run": { args: ["echo .*"], kwargs: { cwd: "/tmp" } } }] },
      { "@runner": ["manage.up", "jobs.list_jobs"] },
      { "@wheel": ["key.list_all"] },
    ],
    gina: ["@jobs", { web1: ["test.*"] }],
  },
  sharedsecret: { "*": ["test.ping"] },
};

interface Site extends AsyncDisposable {
  cluster: Cluster;
  /** The runners that the master started. */
  started: MasterRunnerJob[];
  ask(load: Record<string, unknown>): Promise<Json>;
  publish(who: Record<string, unknown>, job: Record<string, unknown>): Promise<Json>;
  /** The same call while the clock advances, for replies that are delayed. */
  refused(call: () => Promise<Json>): Promise<Json>;
}

async function site(master: Record<string, unknown> = {}, options: ClusterOptions = {}): Promise<Site> {
  const started: MasterRunnerJob[] = [];
  const cluster = await startCluster({
    minions: ["web1", "db1"],
    ...options,
    master: { external_auth: EXTERNAL_AUTH, sharedsecret: "open-sesame", ...master },
    runners: {
      run(job) {
        started.push(job);
        const { fun, jid, user } = job;
        const common = { fun: `runner.${fun}`, jid, user, fun_args: [] };
        cluster.master.services.bus.fire(`salt/run/${jid}/ret`, { ...common, return: "done", success: true });
        return Promise.resolve({ status: "exit code 0", printed: "" });
      },
      close: () => {},
    },
    prepare(runtime, root) {
      runtime.fs.write("/brine/users", USERS, { mode: 0o600 });
      options.prepare?.(runtime, root);
    },
  });
  const exchange = cluster.exchange();
  const ask = async (load: Record<string, unknown>) =>
    decode(
      await exchange(encode({ enc: "clear", load, version: 3 }, "wire"), { timeoutMs: 60_000 }),
      { mode: "wire" },
    ) as Json;
  return {
    cluster,
    started,
    ask,
    publish: (who, job) =>
      ask({
        cmd: "publish",
        tgt: "*",
        tgt_type: "glob",
        fun: "test.ping",
        arg: [],
        ret: "",
        jid: "",
        user: "api",
        ...job,
        kwargs: who,
      }),
    async refused(call) {
      let answered = false;
      const answer = call().finally(() => answered = true);
      await until(() => answered, { clock: cluster.clock });
      return await answer;
    },
    [Symbol.asyncDispose]: () => cluster.close(),
  };
}

const login = (username: string, password: unknown, eauth = "file") => ({ eauth, username, password });
const alice = login("alice", "wonder");
const rita = login("rita", "rrr");
const AUTHORIZATION = { error: { name: "AuthorizationError", message: "Authorization error occurred." } };
const AUTHENTICATION = { error: { name: "AuthenticationError", message: "Authentication error occurred." } };
const notFor = (user: string, proof = "eauth") => ({
  error: {
    name: proof === "eauth" ? "EauthAuthenticationError" : "TokenAuthenticationError",
    message: `Authentication failure of type "${proof}" occurred for user ${user}.`,
  },
});

describe("tokens", TIMEOUT, () => {
  test("an authenticated caller gets one, which is valid for that user until it expires", async () => {
    await using here = await site({ token_expire: 100 });
    const token = await here.ask({ cmd: "mk_token", ...rita });
    assert.equal(token.name, "rita");
    assert.match(token.token, /^[0-9a-f]{64}$/);
    assert.equal(Number(token.expire) - Number(token.start), 100);
    assert.equal((await here.ask({ cmd: "get_token", token: token.token })).name, "rita");
    const published = await here.publish({ token: token.token }, { fun: "test.ping" });
    assert.deepEqual(published.load.minions, ["db1", "web1"]);
    const { data } = await here.cluster.event(`salt/job/${published.load.jid}/new`);
    assert.equal(data.user, "rita");

    await here.cluster.clock.advance(101_000);
    assert.deepEqual(await here.publish({ token: token.token }, { fun: "test.ping" }), AUTHENTICATION);
    assert.deepEqual(await here.ask({ cmd: "get_token", token: token.token }), {});
  });

  test("other credentials get none, and the refusal is delayed", async () => {
    await using here = await site();
    for (
      const wrong of [
        login("alice", "rrr"),
        login("alice", ""),
        login("nobody", "wonder"),
        login("", ""),
        login("alice", null),
        login("alice", { wonder: true }),
        login("alice", "x".repeat(20_000)),
        { eauth: "file", username: ["alice"], password: "wonder" },
      ]
    ) {
      const before = here.cluster.clock.now();
      assert.equal(await here.refused(() => here.ask({ cmd: "mk_token", ...wrong })), "", JSON.stringify(wrong));
      assert.ok(here.cluster.clock.now() - before >= 750, JSON.stringify(wrong));
    }
    for (const eauth of ["pam", "__proto__", "constructor", "", "../file", null, 7, undefined]) {
      assert.equal(await here.ask({ cmd: "mk_token", ...alice, eauth }), "", String(eauth));
    }
  });

  test("an ID token needs no name beside it", async () => {
    const provider: EauthModule = {
      authenticate: (_context, { username, password }) =>
        Promise.resolve(username === "" && password === "of ann" ? { name: "ann", groups: ["ops"] } : undefined),
    };
    await using here = await site({ external_auth: { oidc: { "ops%": ["test.ping"] } } }, {
      eauth: { oidc: () => Promise.resolve({ eauth: provider }) },
    });
    const { name, token, groups } = await here.ask({ cmd: "mk_token", eauth: "oidc", id_token: "of ann" });
    assert.deepEqual([name, groups], ["ann", ["ops"]]);
    assert.ok((await here.publish({ token }, {})).load.jid);
    const direct = await here.publish({ eauth: "oidc", id_token: "of ann" }, {});
    assert.ok(direct.load.jid);
    assert.doesNotMatch(
      JSON.stringify([here.cluster.events, await here.cluster.master.services.jobs.load(direct.load.jid)]),
      /of ann/,
    );
  });

  test("a flood of logins does not become a flood of requests to a backend", async () => {
    let [asked, most] = [0, 0];
    const release: (() => void)[] = [];
    const slow: EauthModule = {
      async authenticate(_context, { username }) {
        most = Math.max(most, ++asked);
        await new Promise<void>((resolve) => release.push(resolve));
        asked--;
        return { name: username };
      },
    };
    await using here = await site({ external_auth: { slow: { "*": ["test.ping"] } } }, {
      eauth: { slow: () => Promise.resolve({ eauth: slow }) },
    });
    const { externalAuth } = here.cluster.master.services;
    const logins = Array.from(
      { length: 400 },
      (_, at) => externalAuth.identify({ eauth: "slow", username: `u${at}`, password: "x" }),
    );
    let over = false;
    const all = Promise.all(logins).finally(() => over = true);
    await until(() => {
      for (const one of release.splice(0)) one();
      return over;
    });
    const known = (await all).filter((one) => one !== undefined);
    assert.equal(most, 16);
    assert.equal(known.length, 256);
    // Later logins are served again.
    const later = externalAuth.identify({ eauth: "slow", username: "late", password: "x" });
    await until(() => release.length > 0);
    release[0]!();
    assert.equal((await later)!.name, "late");
  });

  test("a custom expiry needs permission", async () => {
    await using here = await site({ token_expire: 100, token_expire_user_override: { file: ["alice"] } });
    const lasting = async (who: Record<string, unknown>) => {
      const { start, expire } = await here.ask({ cmd: "mk_token", ...who, token_expire: 5 });
      return Math.round(Number(expire) - Number(start));
    };
    assert.equal(await lasting(alice), 5);
    assert.equal(await lasting(rita), 100);
  });

  test("keep_acl_in_token freezes the permissions of its owner", async () => {
    await using here = await site({ keep_acl_in_token: true });
    const { token, auth_list } = await here.ask({ cmd: "mk_token", ...login("ann", "open-sesame", "sharedsecret") });
    assert.deepEqual(auth_list, ["test.ping"]);
    const opts = here.cluster.master.services.opts.external_auth as Json;
    opts.sharedsecret["*"] = [".*"];
    assert.deepEqual(await here.publish({ token }, { fun: "test.version" }), AUTHORIZATION);
    assert.ok((await here.publish({ token }, { fun: "test.ping" })).load.jid);
  });

  test("one whose backend was disabled is refused", async () => {
    await using here = await site();
    const { token } = await here.ask({ cmd: "mk_token", ...login("ann", "open-sesame", "sharedsecret") });
    delete (here.cluster.master.services.opts.external_auth as Json).sharedsecret;
    assert.deepEqual(await here.publish({ token }, { fun: "test.ping" }), AUTHENTICATION);
  });

  test("a revoked one is refused", async () => {
    await using here = await site();
    const { token } = await here.ask({ cmd: "mk_token", ...alice });
    assert.equal(await here.ask({ cmd: "del_token", token }), true);
    assert.equal(await here.ask({ cmd: "del_token", token }), false);
    assert.equal(await here.ask({ cmd: "del_token", token: "../../users" }), false);
    assert.deepEqual(await here.publish({ token }, { fun: "test.ping" }), AUTHENTICATION);
  });

  test("a malformed token is never looked up on disk", async () => {
    await using here = await site();
    for (const token of ["../../users", "", "x", null, 7, ["a"], "A".repeat(64), `${"a".repeat(63)}\n`]) {
      assert.deepEqual(await here.publish({ token }, { fun: "test.ping" }), AUTHENTICATION, String(token));
    }
    assert.equal(here.cluster.runtime.fs.readText("/brine/users"), USERS);
  });
});

describe("jobs", TIMEOUT, () => {
  test("run for users who may, under their name", async () => {
    await using here = await site();
    const published = await here.publish(rita, { tgt: "web*", fun: "grains.items" });
    assert.deepEqual(published.load.minions, ["web1"]);
    const { data } = await here.cluster.event(`salt/job/${published.load.jid}/new`);
    assert.equal(data.user, "rita");
  });

  test("do not run for other users, through any command", async () => {
    await using here = await site();
    const refused: Record<string, unknown>[] = [
      { tgt: "*", fun: "grains.items" },
      { tgt: "db1", fun: "grains.items" },
      { tgt: "web1,db1", tgt_type: "list", fun: "grains.items" },
      { tgt: "web1", fun: "cmd.run", arg: ["id"] },
      { tgt: "web1", fun: "cmd.run", arg: ["echo hi"] },
      { tgt: "web1", fun: "cmd.run", arg: ["echo hi", { __kwarg__: true, cwd: "/" }] },
      { tgt: "web1", fun: ["test.ping", "cmd.run"], arg: [[], ["id"]] },
      { tgt: "web1", fun: ["cmd.run", "test.ping"], arg: [["id"], []] },
      { tgt: "web1", fun: ["saltutil.find_job", "cmd.run"], arg: [["20240506070809123456"], ["id"]] },
      { tgt: "nobody", fun: "grains.items" },
      { tgt: "web1 or db1", tgt_type: "compound", fun: "grains.items" },
      { tgt: "color:b*", tgt_type: "pillar", fun: "grains.items" },
    ];
    for (const job of refused) assert.deepEqual(await here.publish(rita, job), AUTHORIZATION, JSON.stringify(job));
    for (const [tag, data] of Object.entries(here.cluster.events.map(({ data }) => data))) {
      assert.doesNotMatch(JSON.stringify(data), /rrr/, tag);
    }
    assert.deepEqual(await here.cluster.jids(), []);
    assert.equal(
      (await here.publish(rita, { tgt: "web1", fun: "cmd.run", arg: ["echo hi", { __kwarg__: true, cwd: "/tmp" }] }))
        .load.minions.length,
      1,
    );
  });

  test("a user without entries may only follow jobs", async () => {
    await using here = await site();
    const nadia = login("nadia", "nnn");
    assert.deepEqual(await here.publish(nadia, { fun: "test.ping" }), AUTHORIZATION);
    assert.ok((await here.publish(nadia, { fun: "saltutil.find_job", arg: ["20240506070809123456"] })).load.jid);
  });

  test("a key of this host does not help a caller with other credentials, nor the reverse", async () => {
    await using here = await site();
    const { runtime, root } = here.cluster;
    const user = runtime.host.user().name;
    const key = runtime.fs.readText(`${root}/cache/.${user}_key`);
    const wrong = login("alice", "wrong");
    assert.deepEqual(await here.refused(() => here.publish(wrong, { user, key })), AUTHENTICATION);
    assert.deepEqual(await here.publish({}, { user, ...alice }), AUTHENTICATION);
    assert.ok((await here.publish({}, { user, key })).load.jid);
  });

  test("publisher_acl_blacklist overrides all permissions, for the caller and for the login name", async () => {
    await using here = await site({
      publisher_acl_blacklist: { users: ["gina", "api2"], modules: ["cmd.*", "test.exc.*"] },
    });
    assert.deepEqual(await here.publish(alice, { fun: "cmd.run", arg: ["id"] }), AUTHORIZATION);
    assert.deepEqual(await here.publish(alice, { fun: ["test.ping", "cmd.run"], arg: [[], ["id"]] }), AUTHORIZATION);
    assert.deepEqual(await here.publish(login("gina", "ggg"), { tgt: "web1" }), AUTHORIZATION);
    assert.deepEqual(await here.publish(alice, { user: "api2" }), AUTHORIZATION);
    assert.ok((await here.publish(alice, { fun: "test.ping" })).load.jid);
  });

  test("credentials are never on the bus, in a record or in the log", async () => {
    await using here = await site();
    const { token } = await here.ask({ cmd: "mk_token", ...alice });
    await here.publish({ token }, { fun: "test.ping" });
    await here.publish(alice, { fun: "test.ping" });
    await here.refused(() => here.publish(login("alice", "hunter2"), {}));
    const everything = JSON.stringify([here.cluster.events, here.cluster.captured.records]);
    for (const secret of [token, "wonder", "hunter2"]) assert.ok(!everything.includes(secret), secret);
    for (const jid of await here.cluster.jids()) {
      const load = JSON.stringify(await here.cluster.master.services.jobs.load(jid));
      for (const secret of [token, "wonder"]) assert.ok(!load.includes(secret), load);
    }
  });
});

describe("what a publication carries", TIMEOUT, () => {
  const JID = "20240506070809123456";
  /** Every field beside function, arguments and target: as `kwargs` of the load, or in the load itself. */
  const FIELDS: { name: string; job?: Record<string, unknown>; kwargs?: Record<string, unknown> }[] = [
    { name: "ret", job: { ret: "rawfile_json" } },
    { name: "jid", job: { jid: "20200506070809123456" } },
    { name: "ret_config", kwargs: { ret_config: "other" } },
    { name: "ret_kwargs", kwargs: { ret_kwargs: { filename: "/root/.profile" } } },
    { name: "metadata", kwargs: { metadata: { ticket: 1 } } },
    { name: "module_executors", kwargs: { module_executors: ["direct_call"] } },
    { name: "executor_opts", kwargs: { executor_opts: { a: 1 } } },
    { name: "queue", kwargs: { queue: 60 } },
    { name: "job_timeout", kwargs: { job_timeout: 60 } },
  ];
  const USERS_OF = {
    "^filename": "/brine/users",
    alice: [".*"],
    rita: ["test.ping", "@runner", "@wheel"],
    nadia: [],
    gina: ["test.ping", { "@publish": ["metadata", { ret: ["redis"] }] }],
  };
  const nadia = login("nadia", "nnn");
  const gina = login("gina", "ggg");
  const withUsers = (more: Record<string, unknown> = {}) => site({ external_auth: { file: USERS_OF }, ...more });
  const find = { fun: "saltutil.find_job", arg: [JID] };

  for (const { name, job = {}, kwargs = {} } of FIELDS) {
    test(`${name} needs a right, by each proof and in each command`, async () => {
      await using here = await withUsers();
      const { token } = await here.ask({ cmd: "mk_token", ...rita });
      for (
        const [who, fun] of [[rita, {}], [{ token }, {}], [rita, find], [nadia, find]] as Record<string, unknown>[][]
      ) {
        assert.deepEqual(await here.publish({ ...who, ...kwargs }, { ...job, ...fun }), AUTHORIZATION);
        assert.deepEqual(
          await here.publish({ ...who, ...kwargs }, { cmd: "publish_preview", ...job, ...fun }),
          AUTHORIZATION,
        );
      }
      assert.deepEqual(await here.cluster.jids(), []);
      assert.match(here.cluster.captured.text(), new RegExp(`carries=?"?:? ?"?${name}`));
      const { fs, host } = here.cluster.runtime;
      const user = host.user().name;
      const key = fs.readText(`${here.cluster.root}/cache/.${user}_key`);
      const asRoot = await here.publish(kwargs, { user, key, ...job });
      assert.ok(asRoot.load.jid, "the user of the master carries everything");
      assert.ok(
        (await here.publish({ ...alice, ...kwargs }, {
          ...job,
          ...(name === "jid" ? { jid: "20200506070809123457" } : {}),
        })).load.jid,
      );
      const { data } = await here.cluster.event(`salt/job/${asRoot.load.jid}/publish`);
      for (const [field, value] of Object.entries(kwargs)) {
        if (field !== "queue" && field !== "job_timeout") assert.deepEqual(data[field], value);
      }
    });
  }

  test("@publish grants the fields that it names, with the values that it names", async () => {
    await using here = await withUsers();
    const published = await here.publish({ ...gina, metadata: { a: 1 } }, { ret: "redis" });
    const load = await here.cluster.master.services.jobs.load(published.load.jid) as Json;
    assert.deepEqual([load.ret, load.metadata], ["redis", { a: 1 }]);
    assert.deepEqual(await here.publish(gina, { ret: "redis,rawfile_json" }), AUTHORIZATION);
    assert.deepEqual(await here.publish({ ...gina, ret_kwargs: { host: "x" } }, { ret: "redis" }), AUTHORIZATION);
  });

  test("a question about a job carries none of it, whoever may carry it with a job of his own", async () => {
    await using here = await withUsers();
    const { load: { jid } } = await here.publish({ ...gina, metadata: { a: 1 } }, { ret: "redis", ...find });
    const load = await here.cluster.master.services.jobs.load(jid) as Json;
    assert.deepEqual([load.ret, load.metadata, load.kwargs], ["", undefined, {}]);
  });

  test("fields that nobody acts on are left out, and those of a target and of the eyes stay", async () => {
    await using here = await withUsers();
    const free = { delimiter: ":", show_timeout: true, show_jid: false, stream: true };
    const { load: { jid } } = await here.publish(
      { ...rita, ...free, master_id: "m", id: "db1", schedule: "x", tgt: "db1", full_return: true, ret_kwargs: {} },
      { __origin__: { cause: JID }, schedule: "x", id: "db1", delivery: { queue: 9 }, kwargs_: 1 },
    );
    const { cmd: _cmd, ...load } = await here.cluster.master.services.jobs.load(jid) as Json;
    assert.deepEqual(load, {
      fun: "test.ping",
      arg: [],
      tgt: "*",
      jid,
      ret: "",
      tgt_type: "glob",
      user: "rita",
      delivery: { stream: true },
      kwargs: free,
      ...load.owner === undefined ? {} : { owner: load.owner },
    });
  });

  test("a client may choose the jid of a job of now, and publish its own job again", async () => {
    await using here = await withUsers();
    const { clock, jids } = { clock: here.cluster.clock, jids: here.cluster.master.services.jids };
    const jid = jids.next();
    assert.equal((await here.publish(rita, { tgt: "web1", jid })).load.jid, jid);
    await clock.advance(2 * 3_600_000);
    assert.equal((await here.publish(rita, { tgt: "db1", jid })).load.jid, jid);
    assert.deepEqual(await here.publish(gina, { tgt: "db1", jid }), AUTHORIZATION);
  });

  test("the master's own job cache is named by every client", async () => {
    await using here = await withUsers({ ext_job_cache: "redis" });
    assert.ok((await here.publish(rita, { ret: "redis" })).load.jid);
    assert.deepEqual(await here.publish(rita, { ret: "redis,syslog" }), AUTHORIZATION);
  });

  test("who may not run some modules does not do everything", async () => {
    await using here = await withUsers({ publisher_acl_blacklist: { modules: ["cmd.*"] } });
    assert.deepEqual(await here.publish(alice, { ret: "redis" }), AUTHORIZATION);
    assert.ok((await here.publish(alice, {})).load.jid);
  });

  test("a delimiter counts where the minions obey it", async () => {
    await using here = await site();
    // A master that took it would find web1 alone, and the minions would not.
    for (const tgt_type of ["glob", "pcre", "list", "pillar_exact", "compound"]) {
      const answer = await here.publish({ ...rita, delimiter: "1" }, { tgt: "web1", tgt_type, fun: "grains.items" });
      assert.deepEqual(answer.load?.minions ?? [], tgt_type === "pillar_exact" ? [] : ["web1"], tgt_type);
    }
  });

  test("arguments of several functions are a list for each", async () => {
    await using here = await site();
    const several = await here.publish(rita, { tgt: "web1", fun: ["test.ping", "test.ping"], arg: ["x", {}] });
    assert.match(several.load.error, /not a list of arguments for each/);
    assert.ok((await here.publish(rita, { tgt: "web1", fun: ["test.ping", "test.ping"], arg: [[], []] })).load.jid);
  });

  test("a rule about arguments is not moved by words with a name, or by early maps", async () => {
    await using here = await site({
      external_auth: {
        file: { "^filename": "/brine/users", rita: [{ "*": [{ "file.copy": { args: [null, "/pub/.*"] } }] }] },
      },
    });
    const copy = (...arg: unknown[]) => here.publish(rita, { fun: "file.copy", arg });
    assert.ok((await copy("/a", "/pub/a", { __kwarg__: true, recurse: true })).load.jid);
    for (
      const arg of [
        ["recurse=False", "/pub/x", "/etc/passwd"],
        [{ __kwarg__: true, recurse: false }, "/pub/x", "/etc/passwd"],
        [new Map<unknown, unknown>([["__kwarg__", true], [1, 2]]), "/pub/x", "/etc/passwd"],
        ["/a", "/etc/passwd"],
      ]
    ) assert.deepEqual(await copy(...arg), AUTHORIZATION, JSON.stringify(arg));
  });
});

describe("publications of minions", TIMEOUT, () => {
  const peers = async (peer: Record<string, unknown>) => {
    const here = await site({ peer }, { minions: ["web2", "db1"] });
    here.cluster.acceptKey("web1");
    const web = await here.cluster.peer("web1");
    return {
      here,
      ask: (load: Json) =>
        web.send({ cmd: "minion_pub", id: "web1", tgt: "web2", ret: "", arg: [], fun: "test.ping", ...load }),
    };
  };

  test("carry a returner if peer says so, and nothing else ever", async () => {
    const { here, ask } = await peers({ "web1": ["test.*", { "@publish": [{ ret: ["redis"] }] }] });
    await using _ = here;
    const plain = {
      ret_kwargs: { filename: "/x" },
      ret_config: "x",
      metadata: { a: 1 },
      module_executors: ["sudo"],
      user: "x",
      jid: "20240506070809123456",
      kwargs: { ret: "x" },
      delimiter: "|",
      queue: 9,
      schedule: "x",
      master_id: "x",
    };
    const { jid } = await ask({ ...plain, ret: "redis" }) as Json;
    assert.notEqual(jid, plain.jid);
    const { cmd: _cmd, ...load } = await here.cluster.master.services.jobs.load(jid) as Json;
    assert.deepEqual(load, {
      fun: "test.ping",
      arg: [],
      tgt: "web2",
      jid,
      ret: "redis",
      id: "web1",
      tgt_type: "glob",
      user: here.cluster.runtime.host.user().name,
      kwargs: {},
    });
    for (const ret of ["rawfile_json", "redis,rawfile_json", " , x"]) assert.deepEqual(await ask({ ret }), {}, ret);
  });

  test("have no returner by default, and no function whose name is not one", async () => {
    const { here, ask } = await peers({ ".*": ["test.*", "publish.*"] });
    await using _ = here;
    const refused: Json[] = [
      { ret: "redis" },
      { fun: "test.ping\n" },
      { fun: "test.ping\nx" },
      { fun: "test.ping,test.x\n" },
      { fun: "" },
      { fun: "test.ping,publish.publish", arg: ["", ""] },
      { fun: "publish.publish" },
      { fun: "saltutil.find_job" },
      { fun: `test.${"x".repeat(300)}` },
      { tgt: { a: 1 } },
    ];
    for (const load of refused) assert.deepEqual(await ask(load), {}, JSON.stringify(load));
    assert.deepEqual(await here.cluster.jids(), []);
    const { jid } = await ask({ fun: "test.ping,test.echo", arg: ["", "a b=1"] }) as Json;
    const load = await here.cluster.master.services.jobs.load(jid) as Json;
    assert.deepEqual([load.fun, load.arg], [["test.ping", "test.echo"], [[], ["a", "b=1"]]]);
  });

  test("have the rules about targets and arguments that users have", async () => {
    const { here, ask } = await peers({ web1: [{ "web*": [{ "file.copy": { args: [null, "/pub/.*"] } }] }] });
    await using _ = here;
    const fun = "file.copy";
    assert.ok(((await ask({ fun, arg: ["/a", "/pub/a"] })) as Json).jid);
    for (
      const load of [
        { arg: ["/a", "/etc/a"] },
        { arg: ["recurse=False", "/pub/a", "/etc/a"] },
        { arg: [{ __kwarg__: true, recurse: false }, "/pub/a", "/etc/a"] },
        { arg: ["/a", "/pub/a"], tgt: "*" },
        { arg: ["/a", "/pub/a"], tgt: "db1" },
        { fun: "file.copy,file.copy", arg: ["/a /pub/a", "/a /etc/a"] },
      ]
    ) assert.deepEqual(await ask({ fun, ...load }), {}, JSON.stringify(load));
  });

  test("are allowed for the minion whose whole id the rule names", async () => {
    const { here, ask } = await peers({ "web": ["test.*"], "eb1": ["test.*"], "web1.+": ["test.*"] });
    await using _ = here;
    assert.deepEqual(await ask({}), {});
  });
});

describe("users of this host", TIMEOUT, () => {
  const passwd = "root:x:0:0::/root:/bin/sh\nann:x:1001:1001::/home/ann:/bin/sh\nbob:x:1002:1002::/home/bob:/bin/sh\n";
  const local = (master: Record<string, unknown>) =>
    site(master, {
      prepare: ({ fs }) => {
        fs.mkdir("/etc");
        fs.write("/etc/passwd", passwd);
      },
    });
  const keyOf = ({ cluster }: Site, user: string) => cluster.runtime.fs.readText(`${cluster.root}/cache/.${user}_key`);

  test("publisher_acl gives them their own keys, with exactly its permissions", async () => {
    await using here = await local({
      publisher_acl: { ann: ["test.*", { "web*": ["cmd.run"] }], "b.*": ["test.ping"] },
    });
    const { fs } = here.cluster.runtime;
    const path = `${here.cluster.root}/cache/.ann_key`;
    assert.equal(fs.stat(path)!.mode, 0o600);
    assert.equal(fs.stat(path)!.uid, 1001);
    const as = (user: string, job: Record<string, unknown>) =>
      here.publish({}, { user, key: keyOf(here, user), ...job });
    assert.ok((await as("ann", { fun: "test.version" })).load.jid);
    assert.ok((await as("ann", { fun: "cmd.run", arg: ["id"], tgt: "web1" })).load.jid);
    assert.deepEqual(await as("ann", { fun: "cmd.run", arg: ["id"] }), AUTHORIZATION);
    assert.ok((await as("bob", { fun: "test.ping" })).load.jid);
    assert.deepEqual(await as("bob", { fun: "test.version" }), AUTHORIZATION);
    // A key is valid for its own user only.
    for (const user of ["root", "bob", "sudo_ann", "sudo_root", here.cluster.masterOpts.user]) {
      assert.deepEqual(await here.publish({}, { user, key: keyOf(here, "ann") }), AUTHENTICATION, user);
    }
  });

  test("what a publication carries is a right of its own for them, too", async () => {
    await using here = await local({ publisher_acl: { ann: ["test.*"], bob: ["test.*", { "@publish": ["ret"] }] } });
    const as = (user: string, kwargs: Record<string, unknown>, job: Record<string, unknown>) =>
      here.publish(kwargs, { user, key: keyOf(here, user), ...job });
    assert.deepEqual(await as("ann", {}, { ret: "syslog" }), AUTHORIZATION);
    assert.deepEqual(
      await as("ann", { ret_kwargs: { a: 1 } }, { fun: "saltutil.find_job", arg: ["x"] }),
      AUTHORIZATION,
    );
    assert.ok((await as("bob", {}, { ret: "syslog" })).load.jid);
    assert.deepEqual(await as("bob", { ret_kwargs: { a: 1 } }, { ret: "syslog" }), AUTHORIZATION);
  });

  test("they may run no runners and wheel functions", async () => {
    await using here = await local({ publisher_acl: { ann: ["test.*"] } });
    const who = { user: "ann", key: keyOf(here, "ann") };
    for (const cmd of ["runner", "wheel"]) {
      const answer = await here.ask({ cmd, fun: cmd === "wheel" ? "key.list_all" : "manage.up", ...who });
      assert.equal(answer.error.name, "UserAuthenticationError", cmd);
    }
    assert.deepEqual(here.started, []);
  });

  test("sudo_acl restricts users who call through sudo", async () => {
    await using here = await local({ publisher_acl: { ann: ["test.ping"] }, sudo_acl: true });
    const user = "sudo_ann";
    const key = keyOf(here, here.cluster.masterOpts.user);
    assert.ok((await here.publish({}, { user, key })).load.jid);
    assert.deepEqual(await here.publish({}, { user, key, fun: "test.version" }), AUTHORIZATION);
    assert.deepEqual(await here.publish({}, { user: "sudo_bob", key }), AUTHENTICATION);
  });
});

describe("runners", TIMEOUT, () => {
  test("start for users who may; the reply names the tag of their return", async () => {
    await using here = await site();
    const { tag, jid } = await here.ask({ cmd: "runner", fun: "manage.up", kwarg: { arg: [], kwarg: {} }, ...rita });
    assert.equal(tag, `salt/run/${jid}`);
    assert.deepEqual(here.started, [{ fun: "manage.up", low: { arg: [], kwarg: {} }, jid, user: "rita" }]);
    const { data } = await here.cluster.event(`${tag}/ret`);
    assert.equal(data.return, "done");
  });

  test("do not start for other users", async () => {
    await using here = await site();
    assert.deepEqual(await here.ask({ cmd: "runner", fun: "manage.down", kwarg: {}, ...rita }), notFor("rita"));
    assert.deepEqual(
      await here.ask({ cmd: "runner", fun: "manage.up", kwarg: {}, ...login("gina", "ggg") }),
      notFor("gina"),
    );
    assert.deepEqual(
      (await here.ask({ cmd: "runner", fun: "manage.up", kwarg: {} })).error.name,
      "UserAuthenticationError",
    );
    assert.deepEqual(
      (await here.refused(() => here.ask({ cmd: "runner", fun: "manage.up", ...login("rita", "x") }))).error.name,
      "EauthAuthenticationError",
    );
    assert.deepEqual((await here.ask({ cmd: "runner", fun: "manage.up", token: "f".repeat(64) })).error, {
      name: "TokenAuthenticationError",
      message: 'Authentication failure of type "token" occurred.',
    });
    for (const fun of ["manage", "a.b.c", "", "../x.y", null, ["manage.up"], "__proto__.x y"]) {
      const answer = await here.ask({ cmd: "runner", fun, kwarg: {}, ...alice });
      assert.equal(answer.error.name, "SaltInvocationError", String(fun));
    }
    assert.deepEqual(here.started, []);
  });

  test("one that ends without a return gets a failure as its return", async () => {
    await using here = await site({}, {});
    (here.cluster.master.services as Json).runners = {
      run: () => Promise.resolve({ status: "signal SIGKILL", printed: "out of memory" }),
      close: () => {},
    };
    const { tag } = await here.ask({ cmd: "runner", fun: "manage.up", kwarg: {}, ...alice });
    const { data } = await here.cluster.event(`${tag}/ret`);
    assert.equal(data.success, false);
    assert.match(String(data.return), /signal SIGKILL\nout of memory/);
  });

  test("a minion may run those that peer_run permits", async () => {
    await using here = await site({ peer_run: { "web.*": ["manage.up"] } }, { minions: [] });
    here.cluster.acceptKey("web1");
    here.cluster.acceptKey("db1");
    const web = await here.cluster.peer("web1");
    const db = await here.cluster.peer("db1");
    const load = { cmd: "minion_runner", fun: "manage.up", arg: ["a", "b=2"] };
    assert.equal(await web.send({ ...load, id: "web1" }), "done");
    assert.deepEqual(here.started[0]!.low, { arg: ["a"], kwarg: { b: 2 } });
    assert.deepEqual(await db.send({ ...load, id: "db1" }), {});
    assert.deepEqual(await web.send({ ...load, id: "web1", fun: "manage.down" }), {});
    assert.equal(here.started.length, 1);
  });
});

describe("wheel functions", TIMEOUT, () => {
  test("one that sets a return code has failed, whatever it returns", async () => {
    const run = (code: number) => (context: { retcode?: number }) => {
      context.retcode = code;
      return false;
    };
    const functions = {
      good: { signature: "", doc: "", run: run(0) },
      bad: { signature: "", doc: "", run: run(1) },
    };
    await using here = await site({}, { wheels: { mine: () => Promise.resolve({ wheel: { functions } }) } });
    for (const [fun, success] of [["mine.good", true], ["mine.bad", false]] as const) {
      const { data } = await here.ask({ cmd: "wheel", fun, ...alice });
      assert.deepEqual([data.return, data.success], [false, success], fun);
    }
  });

  test("run for users who may, with events", async () => {
    await using here = await site();
    const { tag, data } = await here.ask({ cmd: "wheel", fun: "key.list_all", ...rita });
    assert.deepEqual(data.return, {
      minions: ["db1", "web1"],
      minions_pre: [],
      minions_rejected: [],
      minions_denied: [],
      local: ["master.pem", "master.pub"],
    });
    assert.deepEqual([data.success, data.user, data.fun], [true, "rita", "wheel.key.list_all"]);
    assert.ok(await here.cluster.event(`${tag}/new`));
    assert.deepEqual((await here.cluster.event(`${tag}/ret`)).data.return, data.return);
  });

  test("are recorded as jobs, without private keys; refused ones are not recorded", async () => {
    await using here = await site();
    const { jobs, opts } = here.cluster.master.services;
    const own = async () => (await here.cluster.jids()).length;
    await here.ask({ cmd: "wheel", fun: "key.delete", match: "*", ...rita });
    await here.ask({ cmd: "wheel", fun: "key.list_all" });
    assert.equal(await own(), 0);
    const kept = async (load: Record<string, unknown>) => {
      const { data } = await here.ask({ cmd: "wheel", ...load, ...alice });
      const [stored] = await jobs.returns(data.jid);
      assert.equal(stored!.minion, masterId(opts, here.cluster.runtime.host.hostname()));
      const { _stamp, ...value } = unpack(stored!.return, "bin") as Json;
      const { tag: _tag, _stamp: stamp, ...told } = data;
      assert.equal(_stamp, stamp);
      return { value, told };
    };
    const listed = await kept({ fun: "key.list", match: "all" });
    assert.deepEqual(listed.value, { ...listed.told, fun_args: ["all"] });
    const named = await kept({ fun: "key.finger", match: "web1" });
    assert.deepEqual(named.value, { ...named.told, fun_args: ["web1", { hash_type: null }] });
    const whole = await kept({ fun: "key.finger", arg: ["web1"], kwarg: {} });
    assert.deepEqual(whole.value, { ...whole.told, fun_args: ["web1"] });
    const failed = await kept({ fun: "no.such" });
    assert.deepEqual(failed.value, { ...failed.told, fun_args: [], retcode: 1 });
    const generated = await kept({ fun: "key.gen" });
    assert.match(generated.told.return.priv, /PRIVATE KEY/);
    assert.equal(generated.value.return, "** hidden **");
    assert.deepEqual(await jobs.unsettled(), []);
    assert.equal(await own(), 5);
  });

  test("do not run for other users: nothing is accepted, deleted or written", async () => {
    await using here = await site();
    const { fs } = here.cluster.runtime;
    fs.write(`${here.cluster.root}/pki/minions_pre/new1`, fs.readText(`${here.cluster.root}/pki/minions/web1`));
    for (const fun of ["key.accept", "key.delete", "file_roots.write", "config.update_config"]) {
      const load = { cmd: "wheel", fun, match: "*", data: "x", path: "x", file_name: "x", yaml_contents: {} };
      assert.deepEqual(await here.ask({ ...load, ...rita }), notFor("rita"), fun);
      assert.equal((await here.ask(load)).error.name, "UserAuthenticationError", fun);
      assert.equal((await here.ask({ ...load, token: "a".repeat(64) })).error.name, "TokenAuthenticationError", fun);
    }
    assert.deepEqual(here.cluster.master.services.keys.list("pre"), ["new1"]);
    assert.deepEqual(here.cluster.master.services.keys.list("accepted"), ["db1", "web1"]);
  });

  test("conditions are checked against the arguments that the function really gets", async () => {
    await using here = await site({
      external_auth: {
        file: { "^filename": "/brine/users", rita: [{ "@key": [{ delete: { kwargs: { match: "db.*" } } }] }] },
      },
    });
    const call = (more: Record<string, unknown>) => here.ask({ cmd: "wheel", fun: "key.delete", ...rita, ...more });
    assert.deepEqual(await call({ match: "*", kwarg: { match: "db1" } }), notFor("rita"));
    assert.deepEqual(await call({ match: "db1", arg: ["*"], kwarg: {} }), notFor("rita"));
    assert.deepEqual(await call({ arg: ["*"], kwarg: { match: "db1" } }).then(({ data }) => data.success), false);
    assert.deepEqual(here.cluster.master.services.keys.list("accepted"), ["db1", "web1"]);
    assert.equal((await call({ match: "db1" })).data.success, true);
    assert.deepEqual(here.cluster.master.services.keys.list("accepted"), ["web1"]);
  });

  test("a condition on positional arguments is not met by arguments that the function never gets", async () => {
    await using here = await site({
      external_auth: { file: { "^filename": "/brine/users", rita: [{ "@key": [{ delete: { args: ["db.*"] } }] }] } },
    });
    const call = (more: Record<string, unknown>) => here.ask({ cmd: "wheel", fun: "key.delete", ...rita, ...more });
    assert.deepEqual(await call({ arg: ["db1"], match: "*" }), notFor("rita"));
    assert.deepEqual(await call({ arg: ["*"], kwarg: {} }), notFor("rita"));
    assert.deepEqual(here.cluster.master.services.keys.list("accepted"), ["db1", "web1"]);
    assert.equal((await call({ arg: ["db1"], kwarg: {} })).data.success, true);
    assert.deepEqual(here.cluster.master.services.keys.list("accepted"), ["web1"]);
  });

  test("wrong arguments are reported in a return like any other", async () => {
    await using here = await site();
    const call = async (load: Record<string, unknown>) => (await here.ask({ cmd: "wheel", ...load, ...alice })).data;
    assert.match((await call({ fun: "key.accept" })).return, /accept takes at least 1 argument \(0 given\)\n$/);
    assert.match(
      (await call({ fun: "key.list_all", x: 1 })).return,
      /'x' is an invalid keyword argument for 'key.list_all'\n$/,
    );
    assert.match((await call({ fun: "no.such" })).return, /'no.such' is not available.\n$/);
    assert.match((await call({ fun: "constructor.constructor" })).return, /is not available.\n$/);
    assert.match((await call({ fun: "error.error", name: "Boom", message: "hey" })).return, /Boom: hey\n$/);
    assert.equal((await call({ fun: "error.error", name: "Boom" })).success, false);
  });
});
