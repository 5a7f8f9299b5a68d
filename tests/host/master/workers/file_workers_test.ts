/** Lists, hashes and updates of a file server that workers make. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { answerFileCommand, FileServer } from "../../../../src/content/fileserver/server.ts";
import { fileHandlers, fileWorkers } from "../../../../src/host/master/workers/file_workers.ts";
import { NotTakenError, type WorkerRequest } from "../../../../src/feature/supervise/worker_queue.ts";
import type { WorkerPool } from "../../../../src/feature/supervise/worker_pool.ts";
import { KeptLists } from "../../../../src/content/fileserver/kept_lists.ts";
import { Packed, unpack } from "../../../../src/protocol/wire/msgpack.ts";
import { serverBed } from "../../../content/fileserver/bed.ts";

/** A file server whose heavy work is done by another one over the same tree, as in a worker. */
function site(refuse = false) {
  const bed = serverBed({ fileserver_events: true });
  const { runtime, captured, opts } = bed;
  const worker = fileHandlers(() => new FileServer({ runtime, log: captured.log, opts }), runtime);
  const asked: string[] = [];
  const heavy = fileWorkers({
    call({ kind, owner, body }: WorkerRequest) {
      asked.push(`${kind} ${owner}`);
      return refuse ? Promise.reject(new NotTakenError()) : Promise.resolve(worker[kind]!(body));
    },
  } as WorkerPool);
  const fire = (tag: string, data: Record<string, unknown>) => void bed.events.push({ tag, data });
  const server = new FileServer({ runtime, log: captured.log, opts, fire, heavy });
  const answer = async (load: Record<string, unknown>) => {
    const value = await answerFileCommand(String(load.cmd), server, { id: "web1", saltenv: "base", ...load }, heavy);
    return value instanceof Packed ? unpack(value, "wire") : value;
  };
  return { ...bed, server, answer, asked };
}

test("lists and large hashes come from workers, and are those of the server itself", async () => {
  const here = site();
  here.put("/srv/salt/a/large.bin", new Uint8Array(600 * 1024).fill(7));
  here.put("/srv/salt/a/small.txt", "small");
  here.put("/srv/salt/b.txt", "b");
  here.runtime.fs.mkdir("/srv/salt/empty");
  const own = serverBed();
  for (
    const load of [
      { cmd: "_file_list" },
      { cmd: "_file_list", prefix: "a" },
      { cmd: "_dir_list" },
      { cmd: "_file_list_emptydirs" },
      { cmd: "_symlink_list" },
      { cmd: "_file_list", saltenv: "none" },
      { cmd: "_file_list", fsbackend: "none" },
      { cmd: "_file_hash", path: "a/large.bin" },
      { cmd: "_file_hash", path: "a/small.txt" },
      { cmd: "_file_hash_and_stat", path: "a/large.bin" },
      { cmd: "_file_hash", path: "../../etc/passwd" },
    ]
  ) {
    const inline = new FileServer({ runtime: here.runtime, log: own.captured.log, opts: here.opts });
    const want = await answerFileCommand(load.cmd, inline, { id: "web1", saltenv: "base", ...load });
    assert.deepEqual(await here.answer(load), want, JSON.stringify(load));
  }
  // The small file is hashed by the master, as is what does not exist.
  assert.deepEqual(here.asked, [...Array(7).fill("file_list web1"), "file_digest web1", "file_digest web1"]);
});

test("a list that has not changed is packed once", async () => {
  const here = site();
  here.put("/srv/salt/a.txt", "a");
  const handlers = fileHandlers(() => here.server, here.runtime);
  const { encode } = await import("../../../../src/protocol/wire/msgpack.ts");
  const ask = () => handlers.file_list!(encode({ cmd: "_file_list", saltenv: "base" }, "bin"));
  await ask();
  assert.equal(await ask(), await ask());
});

test("a list is asked of a worker once, until there may be another one", async () => {
  const here = site();
  here.put("/srv/salt/a.txt", "a");
  const list = (more: Record<string, unknown> = {}) => here.answer({ cmd: "_file_list", ...more });
  // No listing was there when the first was asked for.
  for (let times = 0; times < 4; times++) assert.deepEqual(await list(), ["a.txt"]);
  assert.equal(here.asked.length, 2);
  assert.deepEqual(await list({ prefix: "b" }), []);
  assert.deepEqual(await here.answer({ cmd: "_dir_list" }), []);
  assert.deepEqual(await list({ fsbackend: "none" }), []);
  assert.deepEqual(await list({ saltenv: "none" }), []);
  assert.equal(here.asked.length, 6);
  here.put("/srv/salt/b.txt", "b");
  assert.deepEqual(await list(), ["a.txt"], "as long as fileserver_list_cache_time");
  here.server.forgetLists(undefined);
  assert.deepEqual([await list(), await list(), await list()], Array(3).fill(["a.txt", "b.txt"]));
  assert.equal(here.asked.length, 8);
  here.put("/srv/salt/c.txt", "c");
  here.clock.advance(21_000);
  assert.deepEqual(await list(), ["a.txt", "b.txt", "c.txt"]);
  assert.deepEqual(await list({ prefix: "b" }), ["b.txt"]);
});

test("lists that are kept are bounded, in number and in bytes", () => {
  const kept = new KeptLists();
  const packed = (size: number) => new Packed(new Uint8Array(size));
  for (let at = 0; at < 150; at++) kept.set(`prefix ${at}`, "1", packed(10));
  assert.equal(kept.get("prefix 0", "1"), undefined);
  assert.equal(kept.get("prefix 149", "1")?.bytes.length, 10);
  assert.equal(kept.get("prefix 149", "2"), undefined, "a list of another version");
  assert.equal(kept.get("prefix 149", "1"), undefined, "is forgotten");
  kept.set("large", "1", packed(31 * 1024 * 1024));
  kept.set("larger", "1", packed(31 * 1024 * 1024));
  assert.equal(kept.get("large", "1"), undefined);
  assert.notEqual(kept.get("larger", "1"), undefined);
  kept.set("too large", "1", packed(33 * 1024 * 1024));
  assert.equal(kept.get("too large", "1"), undefined);
  kept.set("x".repeat(2000), "1", packed(1));
  assert.equal(kept.get("x".repeat(2000), "1"), undefined);
});

test("an update is made by a worker, and its events are the master's", async () => {
  const here = site();
  here.put("/srv/salt/a.txt", "a");
  const [update] = await here.server.update();
  assert.deepEqual([update!.backend, update!.changed, update!.files!.added], ["roots", true, ["/srv/salt/a.txt"]]);
  assert.deepEqual(here.events.map(({ tag }) => tag), ["salt/fileserver/roots/update"]);
  assert.deepEqual(here.asked, ["file_update the master"]);
});

test("what no worker takes is no answer, rather than a file that does not exist", async () => {
  const here = site(true);
  here.put("/srv/salt/large.bin", new Uint8Array(600 * 1024));
  await assert.rejects(here.answer({ cmd: "_file_hash", path: "large.bin" }), NotTakenError);
  await assert.rejects(here.answer({ cmd: "_file_list" }), NotTakenError);
});
