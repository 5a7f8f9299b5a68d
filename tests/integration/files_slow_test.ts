/** Files between a master and its minions, in memory and over real sockets. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { GitBed, skip } from "../content/fileserver/gitfs_bed.ts";
import { startCluster } from "../support/start_cluster.ts";

for (const place of ["memory", "current"] as const) {
  describe(`files, ${place === "memory" ? "in memory" : "over tcp"}`, { timeout: 60_000 }, () => {
    test("are fetched in pieces of the master's size, and pushed back", { timeout: 60_000 }, async () => {
      const long = "0123456789".repeat(25_000);
      await using cluster = await startCluster({
        place,
        master: { file_recv: true, file_recv_max_size: 1, file_buffer_size: 65536 },
        minion: { file_buffer_size: 100_000 },
        prepare: ({ fs }, root) => {
          fs.mkdir(`${root}/srv/d/none`);
          fs.write(`${root}/srv/d/long`, long);
          fs.write(`${root}/srv/d/empty`, "");
        },
      });
      const client = await cluster.client();
      const run = async (fun: string, ...arg: unknown[]) => (await client.command({ tgt: "*", fun, arg })).web1;
      const { fs } = cluster.runtimeOf("web1");
      const directory = cluster.minionDirectory("web1");
      const to = `${directory}/to`;
      assert.equal(await run("cp.get_file", "salt://d/long", to), to);
      assert.equal(fs.readText(to), long);
      assert.deepEqual(await run("cp.get_dir", "salt://d", directory, { __kwarg__: true, gzip: 5 }), [
        `${directory}/d/empty`,
        `${directory}/d/long`,
        `${directory}/d/none`,
      ]);
      assert.equal(fs.readText(`${directory}/d/long`), long);
      assert.equal(await run("cp.get_file_str", "salt://d/empty"), "");

      const pushed = `${cluster.root}/cache/minions/web1/files`;
      assert.equal(
        await run("cp.push_dir", `${directory}/d`, { __kwarg__: true, upload_path: "/up", glob: "l*" }),
        true,
      );
      assert.equal(cluster.runtime.fs.readText(`${pushed}/up/long`), long);
      assert.equal(cluster.runtime.fs.stat(`${pushed}/up/empty`), undefined);
      const removed = { __kwarg__: true, upload_path: "empty", remove_source: true };
      assert.equal(await run("cp.push", `${directory}/d/empty`, removed), true);
      assert.equal(cluster.runtime.fs.readText(`${pushed}/empty`), "");
      assert.equal(fs.stat(`${directory}/d/empty`), undefined);
      fs.write(`${directory}/large`, new Uint8Array(1024 * 1024 + 1));
      assert.equal(await run("cp.push", `${directory}/large`), false);
    });
  });
}

test(
  "a master whose fileserver_backend is not known does not start, and says which are",
  { timeout: 120_000 },
  async () => {
    await assert.rejects(
      startCluster({ minions: [], master: { fileserver_backend: ["hg"] } }),
      /Unknown backend "hg" in fileserver_backend: expected roots, gitfs/,
    );
  },
);

test("a master with fileserver_events looks for changes when it starts", { timeout: 120_000 }, async () => {
  await using cluster = await startCluster({
    minions: [],
    master: { fileserver_events: true },
    prepare: ({ fs }, root) => fs.write(`${root}/srv/f`, ""),
  });
  const { data } = await cluster.event("salt/fileserver/roots/update");
  assert.deepEqual(data.files, { changed: [], removed: [], added: [`${cluster.root}/srv/f`] });
});

test("a minion gets files from git, which its master fetches by itself", { skip, timeout: 60_000 }, async () => {
  using bed = new GitBed();
  bed.commit("a", "master", { "d/f": "from git\n" });
  await using cluster = await startCluster({
    place: "current",
    master: { fileserver_backend: ["roots", "git"], gitfs_remotes: [bed.url("a")], cachedir: `${bed.root}/master` },
  });
  await until(async () => (await cluster.master.services.files.list({ saltenv: "base" }, "files")).length > 0);
  const client = await cluster.client();
  for await (const outcome of client.run({ tgt: "web1", fun: "cp.get_file_str", arg: ["salt://d/f"] })) {
    assert.deepEqual([outcome.kind, outcome.kind === "returned" && outcome.return], ["returned", "from git\n"]);
  }
});
