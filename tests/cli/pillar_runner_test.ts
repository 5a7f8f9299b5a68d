/** Runners that templates of pillar call; what they return was compared with real Salt 3006. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openMasterPillar, openOwnPillar, openRunnerPillar } from "../../cli/pillar.ts";
import { completeOptions } from "../../src/model/config/load.ts";
import { MASTER_OPTIONS } from "../../src/model/config/master_opts.ts";
import type { AnyMap } from "../../src/language/python/values.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { captureLog } from "../support/capture_log.ts";
import { asObjects } from "../support/ordered.ts";

const runtime = await currentRuntime();

/** Compiles the pillar of one file, as a master, as a runner of it, and as a minion without a master beside it. */
async function compiled(source: string): Promise<unknown[]> {
  const root = mkdtempSync(join(tmpdir(), "brine-pillar-runner-"));
  try {
    mkdirSync(join(root, "pillar"));
    writeFileSync(join(root, "pillar", "top.sls"), "base: {'*': [a]}\n");
    writeFileSync(join(root, "pillar", "a.sls"), source);
    writeFileSync(join(root, "master"), `root_dir: ${root}\npillar_roots: {base: [${root}/pillar]}\n`);
    const own = { pillar_roots: { base: [`${root}/pillar`] }, sock_dir: `${root}/s`, cachedir: `${root}/c` };
    const master = { ...completeOptions(MASTER_OPTIONS, {}).opts, ...own };
    const request = { id: "web1", grains: { id: "web1" } };
    const { log } = captureLog();
    const minion = { ...own, id: "web1", conf_file: join(root, "minion") };
    const found: unknown[] = [
      await openMasterPillar(runtime, master, log)(request),
      await openRunnerPillar(runtime, master, log).compile(request),
      await openOwnPillar(runtime, minion, log)({ ...request, saltenv: null, pillarenv: null, extraMinionData: {} }),
    ];
    return found.map((pillar) => asObjects(pillar as AnyMap));
  } finally {
    rmSync(root, { recursive: true });
  }
}

test("pillar calls runners: on a master, in its runners and beside it", async () => {
  const mine = "salt['saltutil.runner']('mine.get', tgt='*', fun='test.ping')";
  const arg = "salt.saltutil.runner('test.arg', arg=[grains.id], kwarg={'a': 2})";
  const want = { mine: {}, arg: { args: ["web1"], kwargs: { a: 2 } } };
  const pillars = await compiled(`mine: {{ ${mine} | json }}\narg: {{ ${arg} | json }}\n`);
  assert.deepEqual(pillars, [want, want, want]);
});

test("pillar that calls a runner that compiles the same pillar ends, and says why", async () => {
  const pillars = await compiled("x: {{ salt['saltutil.runner']('pillar.show_pillar', arg=['web1']) | json }}\n");
  for (const pillar of pillars) {
    assert.match(JSON.stringify(pillar), /The pillar calls a runner that compiles the same pillar/);
  }
});
