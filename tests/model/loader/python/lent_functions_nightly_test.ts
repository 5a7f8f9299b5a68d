/** What Salt's package lends: its functions are listed, and a drawn sample of those that only read returns what it returns in Salt. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { saltProgram } from "../../../../bench/bed/salt_release.ts";
import { openCallHost } from "../../../../cli/programs/call/call_host.ts";
import { systemClock } from "../../../../src/base/async/clock.ts";
import { createLogger } from "../../../../src/base/log.ts";
import { callFunction } from "../../../../src/host/minion/processes/execute_job.ts";
import { parseYaml } from "../../../../src/language/yaml/document.ts";
import { loadConfig } from "../../../../src/model/config/load.ts";
import { MINION_OPTIONS } from "../../../../src/model/config/minion_opts.ts";
import { closePython } from "../../../../src/model/loader/python/python_file.ts";
import { gatherGrains } from "../../../../src/plugins/grains/mod.ts";
import { decode, encode } from "../../../../src/protocol/wire/msgpack.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";
import { RELEASES } from "../../../interop/release.ts";
import { plain } from "./published_host.ts";

/** `BRINE_LENT_SEED` draws another sample, and `BRINE_LENT_COUNT` a larger one. */
const SEED = Number(process.env.BRINE_LENT_SEED ?? 32);
const COUNT = Number(process.env.BRINE_LENT_COUNT ?? 200);
const SAMPLE = fileURLToPath(new URL("../../../vectors/python/sample.py", import.meta.url));

/** Functions whose returns differ on purpose where the host has no systemd, or where programs are missing. */
const DIFFERENT = /^(service\.|system\.get_computer_desc|keyboard\.|lowpkg\.info|state\.list_disabled)/;

interface Sample {
  names: string[];
  answers: { fun: string; args: unknown[]; return?: unknown; raised?: string }[];
}

const sorted = (value: unknown) =>
  JSON.stringify(
    value,
    (_key, item) =>
      typeof item === "object" && item !== null && !Array.isArray(item)
        ? Object.fromEntries(Object.entries(item).sort())
        : item,
  );

for (const release of RELEASES) {
  const python = saltProgram(release, "python");
  describe(`functions that Salt ${release} lends`, {
    skip: !existsSync(python) && `no Salt ${release}: npm run test:interop installs it`,
  }, () => {
    test(`are listed, and ${COUNT} of them return the same`, async () => {
      const root = mkdtempSync(path.join(tmpdir(), "brine-lent-"));
      const runtime = { ...await currentRuntime(), clock: systemClock };
      after(async () => {
        await closePython(runtime);
        rmSync(root, { recursive: true, force: true });
      });
      const file = path.join(root, "minion");
      writeFileSync(file, JSON.stringify({ id: "web1", root_dir: root, file_client: "local", python }));
      const text = execFileSync(python, ["-B", "-W", "ignore", SAMPLE, root, String(SEED), String(COUNT)], {
        maxBuffer: 2 ** 28,
        stdio: ["ignore", "pipe", "ignore"],
      });
      const sample: Sample = JSON.parse(String(text));
      const log = createLogger(() => {}, "critical");
      const read = {
        fs: runtime.fs,
        log,
        parse: parseYaml,
        file,
        table: MINION_OPTIONS,
        onProblem: "warning",
      } as const;
      const opts = Object.assign(loadConfig(read).opts, { __role: "minion" });
      const grains = await gatherGrains({ runtime, log, opts });
      const { functions, base, bus } = await openCallHost({ runtime, options: { local: true }, log }, opts, grains);
      const names = new Set((await functions.list()).map(({ name }) => name));
      const missing = sample.names.filter((name) => !names.has(name));
      assert.ok(missing.length <= sample.names.length * 0.03, missing.join(", "));
      const wrong: string[] = [];
      for (const { fun, args, ...want } of sample.answers) {
        const load = { fun, arg: args, jid: "20240101000000000000" };
        const got = await callFunction({ functions, context: () => base, load, published: {} }).then(
          (outcome) => ({ return: plain(decode(encode(outcome.return ?? null, "wire"), { mode: "wire" }), root) }),
          (error: Error) => ({ raised: error.message }),
        );
        // Texts of errors are each side's own.
        const isSame = "raised" in want ? "raised" in got : sorted(got) === sorted({ return: want.return });
        if (!isSame && !DIFFERENT.test(fun)) {
          wrong.push(`${fun} ${sorted(got).slice(0, 300)} instead of ${sorted(want).slice(0, 300)}`);
        }
      }
      await bus.close();
      assert.equal(wrong.length, 0, `${sample.names.length} functions, ${missing.length} missing\n${wrong.join("\n")}`);
    });
  });
}
