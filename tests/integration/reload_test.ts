/** A master whose configuration is read again: new requests go by the new options, those under way by the former ones. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { masterOptions } from "../../src/model/config/given.ts";
import type { KEY_DIRECTORIES } from "../../src/host/master/keys/key_directories.ts";
import { decode, encode } from "../../src/protocol/wire/msgpack.ts";
import { type Cluster, type ClusterOptions, startCluster } from "../support/start_cluster.ts";
import type { Json } from "../support/vectors.ts";

const TIMEOUT = { timeout: 60_000 };
const ALICE = { "external_auth": { slow: { alice: ["test.*"] } } };

async function site(master: Record<string, unknown> = {}, options: ClusterOptions = {}) {
  const cluster = await startCluster({ minions: ["web1", "db1"], ...options, master });
  const publish = async (who: Record<string, unknown>, job: Record<string, unknown> = {}) => {
    const load = {
      cmd: "publish",
      tgt: "*",
      tgt_type: "glob",
      fun: "test.ping",
      arg: [],
      ret: "",
      jid: "",
      user: "api",
    };
    const bytes = encode({ enc: "clear", load: { ...load, ...job, kwargs: who }, version: 3 }, "wire");
    // Each over a connection of its own: one carries a request at a time.
    return decode(await cluster.exchange()(bytes, { timeoutMs: 60_000 }), { mode: "wire" }) as Json;
  };
  return { cluster, publish, [Symbol.asyncDispose]: () => cluster.close() };
}

const reload = ({ master }: Cluster, values: Record<string, unknown>) =>
  master.reload({ ...master.services.opts, ...values });

describe("Master.reload()", TIMEOUT, () => {
  test("takes who may do what; a request that is under way goes by the former options", async () => {
    const asked: (() => void)[] = [];
    const eauth = {
      authenticate: (_context: unknown, { username }: { username: string }) =>
        new Promise<{ name: string }>((resolve) => asked.push(() => resolve({ name: username }))),
    };
    await using here = await site(ALICE, { eauth: { slow: () => Promise.resolve({ eauth }) } });
    const who = { eauth: "slow", username: "alice", password: "x" };
    const before = here.publish(who);
    await Promise.race([before.then((answer) => assert.fail(JSON.stringify(answer))), until(() => asked.length >= 1)]);
    assert.deepEqual(reload(here.cluster, { external_auth: { slow: { bob: ["test.*"] } } }), ["external_auth"]);
    const after = here.publish(who);
    await until(() => asked.length >= 2);
    for (const answer of asked) answer();
    assert.deepEqual((await before).load.minions, ["db1", "web1"]);
    assert.equal((await after).error.name, "AuthorizationError");
  });

  test("takes node groups, and names nothing that did not change or that needs a restart", async () => {
    await using here = await site({ nodegroups: { web: "web*" } });
    const expand = () => here.cluster.master.services.expand({ tgt: "web", tgt_type: "nodegroup" }).minions;
    assert.deepEqual(expand(), ["web1"]);
    assert.deepEqual(reload(here.cluster, { nodegroups: { web: "*1" }, pub_hwm: 7, peer: {} }), ["nodegroups"]);
    assert.deepEqual([...expand()].sort(), ["db1", "web1"]);
    assert.notEqual(here.cluster.master.services.opts.pub_hwm, 7);
    assert.deepEqual(reload(here.cluster, { nodegroups: { web: "*1" } }), []);
    // An option that is no longer in the files has its default again.
    assert.deepEqual(reload(here.cluster, { nodegroups: masterOptions().nodegroups }), ["nodegroups"]);
    assert.deepEqual(expand(), []);
  });

  test("takes which keys are accepted", async () => {
    await using here = await site();
    const { cluster } = here;
    const directory = (state: keyof typeof KEY_DIRECTORIES) => cluster.master.services.keys.list(state);
    await cluster.startMinion("new1", { accept: false });
    await until(() => directory("pre").includes("new1"));
    assert.deepEqual(reload(cluster, { auto_accept: true }), ["auto_accept"]);
    const second = await cluster.startMinion("new2", { accept: false });
    await second.ready;
    assert.ok(directory("accepted").includes("new2"));
    assert.deepEqual(reload(cluster, { auto_accept: false }), ["auto_accept"]);
    await cluster.startMinion("new3", { accept: false });
    await until(() => directory("pre").includes("new3"));
  });

  test("gives users that may call now a key of their own, takes those of others away, and leaves the master's", async () => {
    await using here = await site({}, {
      prepare: (runtime) => {
        runtime.fs.mkdir("/etc");
        runtime.fs.write(
          "/etc/passwd",
          "root:x:0:0::/root:/bin/sh\nann:x:1001:1001::/:/bin/sh\nbob:x:1002:1002::/:/bin/sh\n",
        );
      },
    });
    const { services } = here.cluster.master;
    const { fs } = services.runtime;
    const { cachedir, sock_dir, user } = services.opts;
    const keys = () => fs.list(cachedir).filter((name) => name.endsWith("_key"));
    const own = fs.readText(`${cachedir}/.${user}_key`);
    assert.deepEqual(keys(), [`.${user}_key`]);
    assert.equal(fs.stat(`${sock_dir}/master_event_pub.ipc`)?.mode ?? 0o600, 0o600);

    reload(here.cluster, { publisher_acl: { ann: ["test.*"], bob: ["test.*"] } });
    const anns = fs.readText(`${cachedir}/.ann_key`);
    assert.deepEqual((await here.publish({}, { user: "ann", key: anns })).load.minions, ["db1", "web1"]);
    assert.ok((await here.publish({}, { user: "ann", key: anns, fun: "cmd.run", arg: ["id"] })).error);

    reload(here.cluster, { publisher_acl: { bob: ["test.*"] } });
    assert.deepEqual(keys().sort(), [".bob_key", `.${user}_key`].sort());
    assert.ok((await here.publish({}, { user: "ann", key: anns })).error);
    assert.equal(fs.readText(`${cachedir}/.${user}_key`), own);
    assert.deepEqual((await here.publish({}, { user, key: own })).load.minions, ["db1", "web1"]);
  });
});
