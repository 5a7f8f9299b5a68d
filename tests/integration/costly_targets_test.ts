/** The work that minions and users without permissions can cause at the master is bounded, and reveals nothing of pillars. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { decode, encode } from "../../src/protocol/wire/msgpack.ts";
import { type Cluster, type ClusterOptions, startCluster } from "../support/start_cluster.ts";
import type { Json } from "../support/vectors.ts";

const TIMEOUT = { timeout: 60_000 };
const HOSTILE = `x:${".?".repeat(28)}y`;
const AUTHORIZATION = { error: { name: "AuthorizationError", message: "Authorization error occurred." } };

async function site(options: ClusterOptions = {}): Promise<Cluster> {
  return await startCluster({
    minions: ["web1", "db1"],
    ...options,
    grains: (id) => ({ x: "a".repeat(28), role: id.replace(/\d/, "") }),
    compilePillar: (request) =>
      Promise.resolve(request.id === "db1" ? { secret: { password: "hunter2" }, role: "db" } : { role: "web" }),
    master: {
      external_auth: {
        file: {
          "^filename": "/brine/users",
          carol: [{ "*": ["test.ping"] }],
          nobody: ["@runner"],
          dave: ["test.ping"],
        },
      },
      peer: { ".*": ["test.*"] },
      nodegroups: { dbs: "I@role:d*", guess: "I@secret:password:h*" },
      ...options.master,
    },
    prepare(runtime) {
      runtime.fs.write("/brine/users", "carol:c\nnobody:n\ndave:d\n", { mode: 0o600 });
    },
  });
}

async function publish(cluster: Cluster, username: string, job: Record<string, unknown>): Promise<Json> {
  const kwargs = { eauth: "file", username, password: username[0] };
  const load = { cmd: "publish", fun: "test.ping", arg: [], ret: "", jid: "", user: username, kwargs, ...job };
  const reply = await cluster.exchange()(encode({ enc: "clear", load, version: 3 }, "wire"), { timeoutMs: 60_000 });
  return decode(reply, { mode: "wire" }) as Json;
}

describe("publications of users", TIMEOUT, () => {
  test("are refused before their target is expanded, if the function is permitted on no target", async () => {
    await using cluster = await site();
    let asked = 0;
    const { services } = cluster.master;
    const { expand } = services;
    Object.assign(services, {
      expand: (...args: Parameters<typeof expand>) => {
        asked++;
        return expand(...args);
      },
    });
    for (const username of ["nobody", "carol"]) {
      const job = { fun: "cmd.run", arg: ["id"], tgt: HOSTILE, tgt_type: "grain_pcre" };
      assert.deepEqual(await publish(cluster, username, job), AUTHORIZATION);
    }
    assert.equal(asked, 0);
  });

  for (const tgt_type of ["grain_pcre", "compound"]) {
    test(`with a hostile ${tgt_type} target are answered`, async () => {
      await using cluster = await site();
      const tgt = tgt_type === "compound" ? `P@${HOSTILE}` : HOSTILE;
      assert.match((await publish(cluster, "dave", { tgt, tgt_type })).load.error, /could not resolve minions/);
    });
  }

  test("name the reason why a pattern was refused", async () => {
    await using cluster = await site();
    const { load } = await publish(cluster, "dave", { tgt: "(web)\\1", tgt_type: "pcre" });
    assert.match(load.error, /^Cannot publish: .*backreference/);
  });

  for (
    const [tgt, tgt_type] of [
      ["secret:password:h*", "pillar"],
      ["secret:password:x*", "pillar"],
      ["secret:password:h.*", "pillar_pcre"],
      ["secret:password:x.*", "pillar_pcre"],
      ["role:web or I@secret:password:h*", "compound"],
      ["I@role:web or I@secret:password:h*", "compound"],
      ["I@role:web or I@secret:password:x*", "compound"],
      ["J@secret:password:x.*", "compound"],
    ]
  ) {
    test(`get the same answer whether or not a pattern matches pillar: ${tgt_type} ${tgt}`, async () => {
      await using cluster = await site();
      assert.deepEqual(await publish(cluster, "dave", { tgt, tgt_type }), AUTHORIZATION);
    });
  }
});

describe("publications of minions", TIMEOUT, () => {
  for (
    const { tgt, tgt_type, want } of [
      { tgt: "secret:password:h*", tgt_type: "pillar", want: [] },
      { tgt: "secret:password:h.*", tgt_type: "pillar_pcre", want: [] },
      { tgt: "I@secret:password:h*", tgt_type: "compound", want: [] },
      { tgt: "web1 or J@secret:password:h.*", tgt_type: "compound", want: ["web1"] },
      { tgt: "N@guess", tgt_type: "compound", want: [] },
      { tgt: "guess", tgt_type: "nodegroup", want: [] },
      { tgt: "role:db", tgt_type: "pillar", want: ["db1"] },
      { tgt: "I@role:db and G@role:db", tgt_type: "compound", want: ["db1"] },
      { tgt: "G@role:w*", tgt_type: "compound", want: ["web1"] },
      { tgt: HOSTILE, tgt_type: "grain_pcre", want: [] },
    ]
  ) {
    test(`${tgt_type} ${tgt.slice(0, 40)} means ${want.join(", ") || "nobody"}`, async () => {
      await using cluster = await site();
      const peer = await cluster.peer("web1");
      const load = { cmd: "minion_pub", fun: "test.ping", arg: [], ret: "", tgt, tgt_type };
      const { jid, minions } = await peer.send(load) as Json;
      assert.deepEqual(minions, want);
      // The publication that minions receive reveals no more than that.
      const sent = await cluster.event(`salt/job/${jid}/publish`);
      if (tgt.includes("secret") || tgt.includes("guess")) {
        assert.deepEqual([sent.data.tgt, sent.data.tgt_type], [want, "list"]);
      }
    });
  }

  test("match no minion by pillar if the master caches none", async () => {
    await using cluster = await site({ master: { minion_data_cache: false } });
    const peer = await cluster.peer("web1");
    const load = { cmd: "minion_pub", fun: "test.ping", arg: [], ret: "", tgt: "I@role:x", tgt_type: "compound" };
    assert.deepEqual((await peer.send(load) as Json).minions, []);
  });

  for (const tgt_type of ["pillar", "pillar_pcre", "compound", "nodegroup"]) {
    test(`reveal through the mine no more of pillar than exact targets do: ${tgt_type}`, async () => {
      await using cluster = await site();
      const db1 = await cluster.peer("db1");
      await db1.send({ cmd: "_mine", id: "db1", data: { "test.ping": true } });
      const web1 = await cluster.peer("web1");
      const ask = (tgt: string, type: string) =>
        web1.send({ cmd: "_mine_get", id: "web1", fun: "test.ping", tgt, tgt_type: type });
      const tgt = {
        pillar: "secret:password:h*",
        pillar_pcre: "secret:password:h.*",
        compound: "J@secret:password:h.*",
      };
      assert.deepEqual(await ask(tgt_type === "nodegroup" ? "guess" : tgt[tgt_type as keyof typeof tgt], tgt_type), {});
      assert.deepEqual(await ask("secret:password:hunter2", "pillar"), { db1: true });
    });
  }

  test("like their events have tags of at most 1,024 characters", async () => {
    await using cluster = await site();
    const peer = await cluster.peer("web1");
    for (const length of [1024, 1025]) {
      await peer.send({ cmd: "_minion_event", id: "web1", tag: "x".repeat(length), data: {} });
    }
    assert.deepEqual(
      cluster.events.map(({ tag }) => tag).filter((tag) => tag.startsWith("xx")).map((tag) => tag.length),
      [
        1024,
      ],
    );
  });

  test("are matched against the option peer in bounded time", async () => {
    await using cluster = await site({ master: { peer: { "(web|db)(\\d?)+": ["(test|[a-z.]+)+x"] } } });
    const peer = await cluster.peer("web1");
    const load = { cmd: "minion_pub", fun: `test.${"a".repeat(5000)}`, arg: [], ret: "", tgt: "*" };
    assert.deepEqual(await peer.send(load), {});
  });
});
