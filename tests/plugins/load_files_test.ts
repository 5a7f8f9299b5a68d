/** The files of a job that Salt's command line looks for, beside the files that a Salt master has left. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JobCache } from "../../src/model/job/job_cache.ts";
import { jidDirectory } from "../../src/model/job/jid.ts";
import { withLoadFiles } from "../../src/plugins/job_caches/load_files.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { memoryRuntime } from "../../src/runtime/memory/memory_runtime.ts";
import { FakeClock } from "../support/fake_clock.ts";

const { crypto } = await currentRuntime();

/** A cache that has forgotten all jobs. */
const FORGETFUL = {
  hasLoad: () => false,
  saveLoad: () => undefined,
  shrink: () => 1,
  expire: () => 1,
} as unknown as JobCache;

test("jobs of a Salt master are removed when they are old, not when the job cache is too large", async () => {
  const clock = new FakeClock();
  const { fs } = memoryRuntime({ clock, crypto });
  const later = (call: () => void) => queueMicrotask(call);
  const cache = withLoadFiles(FORGETFUL, { fs, crypto, later, cacheDir: "/cache", hashName: "sha256" });
  const [ours, salts] = ["20261129120000000001", "20261129120000000002"];
  const at = (jid: string) => jidDirectory(crypto, "/cache", jid, "sha256");
  await cache.saveLoad(ours, { jid: ours, fun: "test.ping" } as never, ["web1"]);
  fs.mkdir(`${at(salts)}/web1`);
  fs.write(`${at(salts)}/jid`, salts);
  fs.write(`${at(salts)}/web1/return.p`, "");
  await cache.shrink(0);
  assert.equal(fs.stat(at(ours)), undefined);
  assert.equal(fs.stat(`${at(salts)}/web1/return.p`)?.kind, "file");
  await cache.expire(clock.now() + 1000);
  assert.equal(fs.stat(at(salts)), undefined);
});
