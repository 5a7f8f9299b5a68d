/** States of a minion whose files and options are those of its master. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { test } from "node:test";
import { entriesOf, isMap, lookup } from "../../src/language/python/values.ts";
import { type Cluster, startCluster } from "../support/start_cluster.ts";

const OPTIONS = { timeout: 120_000 };

async function bedOf(cluster: Cluster) {
  const client = await cluster.client();
  return async (fun: string, ...arg: unknown[]) => short((await client.command({ tgt: "*", fun, arg })).web1);
}

function put(cluster: Cluster, name: string, text: string): void {
  const { fs } = cluster.runtime;
  const file = `${cluster.root}/srv/${name}`;
  fs.mkdir(dirname(file));
  fs.write(file, text, { mode: 0o644 });
}

/** A run of states as `[[id, result, comment], …]`; anything else as it is. */
function short(value: unknown): unknown {
  const entries = isMap(value) ? entriesOf(value) : [];
  if (entries.length === 0 || !entries.every(([tag]) => String(tag).includes("_|-"))) return value;
  return entries.map(([tag, one]) => {
    const entry = one as Map<unknown, unknown>;
    return [String(tag).split("_|-")[1], lookup(entry, "result"), lookup(entry, "comment")];
  });
}

test("states are rendered with the files, the pillar and the options of the master", OPTIONS, async () => {
  await using cluster = await startCluster({
    place: "current",
    master: {
      fileserver_list_cache_time: 0,
      jinja_sls_env: { variable_start_string: "<<", variable_end_string: ">>" },
      state_top: "start.sls",
      failhard: true,
    },
  });
  const run = await bedOf(cluster);
  put(cluster, "start.sls", "base:\n  'web*': [site]\n");
  put(cluster, "site/init.sls", "{% from './map.jinja' import name %}\ninclude: [.more]\n<< name >>: test.nop\n");
  put(cluster, "site/map.jinja", "{% set name = grains.id ~ '-' ~ sls %}");
  put(cluster, "site/more.sls", "bad: test.fail_without_changes\nnever: test.nop\n");
  const failed = [["bad", false, "Failure!"]];
  assert.deepEqual(await run("state.apply"), failed);
  assert.deepEqual(await run("state.apply", "site"), failed);
  put(cluster, "site/more.sls", "good: test.nop\n");
  const good = [["good", true, "Success!"], ["web1-site", true, "Success!"]];
  assert.deepEqual(await run("state.highstate"), good);
  assert.deepEqual(await run("state.show_top"), { base: ["site"] });
});

test("a highstate syncs custom states and modules before it runs", OPTIONS, async () => {
  await using cluster = await startCluster({ place: "current", master: { fileserver_list_cache_time: 0 } });
  const run = await bedOf(cluster);
  put(cluster, "top.sls", "base:\n  '*': [own]\n");
  put(cluster, "own.sls", "x:\n  shop.open:\n    - price: {{ salt['money.twice'](4) }}\n");
  put(cluster, "_modules/money.ts", "export const twice = (_context: unknown, n: number): number => n * 2;");
  put(
    cluster,
    "_states/shop.ts",
    "export const open = (_context: unknown, name: string, price: number) => " +
      "({ name, result: true, changes: {}, comment: `sells for ${price}` });",
  );
  assert.deepEqual(await run("state.apply"), [["x", true, "sells for 8"]]);
});

test("startup_states run when the minion has started, and their return goes to the master", OPTIONS, async () => {
  await using cluster = await startCluster({
    place: "current",
    minions: [],
    master: { fileserver_list_cache_time: 0 },
  });
  put(cluster, "first.sls", "hello: test.nop\n");
  await cluster.startMinion("web1", { opts: { startup_states: "sls", sls_list: ["first"] } });
  const { data } = await cluster.event(/^salt\/job\/\d{20}\/ret\/web1$/);
  assert.equal(data.fun, "state.sls");
  assert.deepEqual(data.fun_args, [["first"]]);
  assert.deepEqual(short(data.return), [["hello", true, "Success!"]]);
});
