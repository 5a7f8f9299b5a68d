/** A job that is kept for a minion which is away runs by the right that its owner has when it is delivered. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { outcomeFields } from "../../src/model/job/outcome.ts";
import { memoryJobCache } from "../../src/plugins/job_caches/memory.ts";
import { decode, encode } from "../../src/protocol/wire/msgpack.ts";
import { until } from "../../bench/bed/until.ts";
import { type Cluster, startCluster } from "../support/start_cluster.ts";
import type { Json } from "../support/vectors.ts";

const TIMEOUT = { timeout: 60_000 };
const PASSWD = "root:x:0:0::/root:/bin/sh\nann:x:1001:1001::/home/ann:/bin/sh\n";
const RITA = ["test.*", { "@publish": ["queue", "metadata"] }];
const users = (rita: unknown[] | undefined) => ({
  file: { "^filename": "/brine/users", ...(rita === undefined ? {} : { rita }), "*": [] },
});
const login = { eauth: "file", username: "rita", password: "rrr" };

interface Site extends AsyncDisposable {
  cluster: Cluster;
  ask(load: Json): Promise<Json>;
  /** Queues a job for web9, which is away. */
  queue(who: Json, job?: Json): Promise<string>;
  /** What web9 is given when it comes. */
  given(): Promise<string[]>;
  outcome(jid: string): Promise<Json>;
  reload(opts: Json): void;
}

async function site(): Promise<Site> {
  const cluster = await startCluster({
    minions: [],
    jobs: memoryJobCache(() => Date.now()),
    master: { external_auth: users(RITA), publisher_acl: { ann: RITA } },
    prepare({ fs }) {
      fs.mkdir("/etc");
      fs.write("/etc/passwd", PASSWD);
      fs.write("/brine/users", "rita:rrr\n", { mode: 0o600 });
    },
  });
  cluster.acceptKey("web9");
  const exchange = cluster.exchange();
  const ask = async (load: Json) =>
    decode(await exchange(encode({ enc: "clear", load, version: 3 }, "wire"), { timeoutMs: 60_000 }), {
      mode: "wire",
    }) as Json;
  return {
    cluster,
    ask,
    async queue({ user = "api", key, ...kwargs }, job = {}) {
      const load = { cmd: "publish", tgt: "web9", tgt_type: "glob", fun: "test.ping", arg: [], ret: "", jid: "" };
      const { load: published } = await ask({ ...load, ...job, user, key, kwargs: { queue: 3600, ...kwargs } });
      assert.deepEqual(published.queued, ["web9"]);
      return published.jid;
    },
    async given() {
      const peer = await cluster.peer("web9");
      const { jobs } = await peer.send({ cmd: "_jobs", present: true, known: [] }) as Json;
      return jobs.map(({ jid, owner }: Json) => {
        assert.equal(owner, undefined);
        return jid;
      });
    },
    async outcome(jid) {
      const { ledger } = cluster.master.services;
      return outcomeFields((await ledger.outcomes(jid)).find(({ minion }) => minion === "web9")!);
    },
    reload: (opts) => void cluster.master.reload({ ...cluster.master.services.opts, ...opts }),
    [Symbol.asyncDispose]: () => cluster.close(),
  };
}

const restart = async ({ cluster }: Site) => {
  await cluster.master.close();
  await cluster.startMaster();
};

describe("a queued job", TIMEOUT, () => {
  const rows: {
    name: string;
    who: (here: Site) => Promise<Json> | Json;
    after: (here: Site) => unknown;
    note?: RegExp;
  }[] = [
    { name: "is delivered if nothing has changed", who: () => login, after: () => {} },
    { name: "is delivered after a restart", who: () => login, after: restart },
    {
      name: "is not delivered if its user is no more in the file",
      who: () => login,
      after: ({ cluster }) => cluster.runtime.fs.write("/brine/users", "ann:aaa\n"),
      note: /can no longer log in/,
    },
    {
      name: "is not delivered if its user is no more in the file, after a restart",
      who: () => login,
      after: async (here) => {
        here.cluster.runtime.fs.write("/brine/users", "ann:aaa\n");
        await restart(here);
      },
      note: /can no longer log in/,
    },
    {
      name: "is not delivered if the configuration has no entry of its user",
      who: () => login,
      after: ({ reload }) => reload({ external_auth: users(undefined) }),
      note: /no longer has permission to run it/,
    },
    {
      name: "is not delivered if the function is no more permitted",
      who: () => login,
      after: ({ reload }) => reload({ external_auth: users(["test.version", "@publish"]) }),
      note: /no longer has permission to run it/,
    },
    {
      name: "is not delivered if the minion is no more permitted",
      who: () => login,
      after: ({ reload }) => reload({ external_auth: users([{ "web1": ["test.*"] }, "@publish"]) }),
      note: /no longer has permission to run it/,
    },
    {
      name: "is not delivered if its user may queue no more jobs",
      who: () => login,
      after: ({ reload }) => reload({ external_auth: users(["test.*"]) }),
      note: /no longer has permission to run it/,
    },
    {
      name: "is not delivered if its user may carry no more metadata",
      who: () => ({ ...login, metadata: { a: 1 } }),
      after: ({ reload }) => reload({ external_auth: users(["test.*", { "@publish": ["queue"] }]) }),
      note: /no longer has permission to run it/,
    },
    {
      name: "is not delivered if the blacklist has its user",
      who: () => login,
      after: ({ cluster }) =>
        Object.assign(cluster.master.services.opts, { publisher_acl_blacklist: { users: ["rita"] } }),
      note: /no longer has permission to run it/,
    },
    {
      name: "is not delivered if the backend is off",
      who: () => login,
      after: ({ reload }) => reload({ external_auth: {} }),
      note: /can no longer log in/,
    },
    {
      name: "of a token is delivered as long as the token is there",
      who: async ({ ask }) => ({ token: (await ask({ cmd: "mk_token", ...login })).token }),
      after: restart,
    },
    {
      name: "of a token that was revoked is not delivered",
      who: async ({ ask }) => ({ token: (await ask({ cmd: "mk_token", ...login })).token }),
      after: async ({ ask, cluster }) => {
        const [token] = cluster.master.services.tokens.list();
        assert.equal(await ask({ cmd: "del_token", token }), true);
      },
      note: /token of its owner was revoked/,
    },
    {
      name: "of a user of this host is delivered",
      who: ({ cluster }) => ({ user: "ann", key: cluster.runtime.fs.readText(`${cluster.root}/cache/.ann_key`) }),
      after: restart,
    },
    {
      name: "of a user that publisher_acl has no more is not delivered",
      who: ({ cluster }) => ({ user: "ann", key: cluster.runtime.fs.readText(`${cluster.root}/cache/.ann_key`) }),
      after: ({ reload }) => reload({ publisher_acl: { bob: RITA } }),
      note: /no longer has permission to publish/,
    },
    {
      name: "of the master's own user is delivered, whatever the rules say",
      who: ({ cluster }) => {
        const user = cluster.runtime.host.user().name;
        return { user, key: cluster.runtime.fs.readText(`${cluster.root}/cache/.${user}_key`) };
      },
      after: ({ reload }) => reload({ external_auth: {}, publisher_acl: {} }),
    },
  ];
  for (const { name, who, after, note } of rows) {
    test(name, async () => {
      await using here = await site();
      const jid = await here.queue(await who(here));
      await after(here);
      assert.deepEqual(await here.given(), note === undefined ? [jid] : []);
      const { outcome, note: told } = await here.outcome(jid);
      if (note === undefined) return;
      assert.equal(outcome, "cancelled");
      assert.match(told, note);
      // Nor later, by any other way.
      assert.deepEqual(await here.given(), []);
      await until(() =>
        here.cluster.events.some(({ tag, data }) => tag.endsWith("/outcome/web9") && data.outcome === "cancelled")
      );
    });
  }

  test("whose owner cannot be asked for waits", async () => {
    await using here = await site();
    const jid = await here.queue(login);
    const { fs } = here.cluster.runtime;
    fs.remove("/brine/users");
    assert.deepEqual(await here.given(), []);
    assert.equal((await here.outcome(jid)).outcome, "queued");
    fs.write("/brine/users", "rita:rrr\n");
    assert.deepEqual(await here.given(), [jid]);
  });

  test("has no secret of its owner in its record", async () => {
    await using here = await site();
    const { token } = await here.ask({ cmd: "mk_token", ...login });
    const record = JSON.stringify(await here.cluster.master.services.jobs.load(await here.queue({ token })));
    assert.match(record, /"owner":\{"user":"rita"/);
    assert.ok(!record.includes(token));
  });
});
