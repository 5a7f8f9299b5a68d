import assert from "node:assert/strict";
import { test } from "node:test";
import type { Context } from "../../../src/model/loader/family.ts";
import { type JobBed, jobBed } from "./processes/job_bed.ts";

const TIMEOUT = { timeout: 60_000 };

test("a job in a process of its own has its minion compile pillar, and wait for a refresh", TIMEOUT, async () => {
  const calls: unknown[] = [];
  const beds: JobBed[] = [];
  const context = (): Context => ({
    ...beds[0]!.context,
    opts: { pillarenv: "dev" },
    pillar: { role: "in use" },
    compilePillar(call) {
      calls.push(call);
      return Promise.resolve({ role: "fresh" });
    },
    master: {
      ...beds[0]!.context.master!,
      askLocal(...question) {
        calls.push(question);
        return Promise.resolve({ complete: true });
      },
    },
  });
  await using bed = await jobBed({ context });
  beds.push(bed);
  assert.deepEqual((await bed.run("pillar.raw")).return, { role: "in use" });
  const brought = { __kwarg__: true, pillar: { a: 1 } };
  assert.deepEqual((await bed.run("pillar.items", [brought])).return, { role: "fresh" });
  assert.equal((await bed.run("saltutil.refresh_pillar", [{ __kwarg__: true, wait: true, timeout: 7 }])).return, true);
  assert.deepEqual(calls, [
    { pillarenv: "dev", saltenv: null, override: { a: 1 } },
    ["pillar_refresh", { clean_cache: true }, "/salt/minion/minion_pillar_refresh_complete", 7000],
  ]);
});

test("on a host without a pillar compiler, the job says so", TIMEOUT, async () => {
  await using bed = await jobBed();
  const { return: text, retcode } = await bed.run("pillar.items");
  assert.equal(text, "ERROR: Exception getting pillar: Cannot compile a pillar: this host has no pillar compiler");
  assert.equal(retcode, 1);
});
