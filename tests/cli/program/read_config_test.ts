import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { readConfig } from "../../../cli/program/read_config.ts";
import { MASTER_OPTIONS } from "../../../src/model/config/master_opts.ts";
import { MINION_OPTIONS } from "../../../src/model/config/minion_opts.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { runInProcess } from "../../support/program.ts";

const real = await currentRuntime();
const runtime: Runtime = {
  ...real,
  host: { ...real.host, user: () => ({ ...real.host.user(), uid: 4711, name: "joe" }) },
};

for (
  const { kind, table, program } of [
    { kind: "master", table: MASTER_OPTIONS, program: "salt-master" },
    { kind: "minion", table: MINION_OPTIONS, program: "salt-minion" },
  ] as const
) {
  for (const [given, want] of [["{}", "joe"], ['{"user": "root"}', "root"]] as const) {
    test(`the user of a ${kind} whose file says ${given} is ${want} for daemon and clients alike`, async () => {
      const directory = mkdtempSync(path.join(tmpdir(), "brine-user-"));
      try {
        writeFileSync(path.join(directory, kind), given);
        const found: unknown[] = [];
        const { exitCode, stderr } = await runInProcess(
          program,
          async (context) => {
            for (const strict of [true, false]) {
              const { opts, given } = await readConfig(context, kind, table, strict);
              found.push([opts.user, given.has("user")]);
            }
            return 0;
          },
          ["-c", directory],
          "",
          { runtime },
        );
        assert.equal(exitCode, 0, stderr);
        assert.deepEqual(found, [[want, given !== "{}"], [want, given !== "{}"]]);
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    });
  }
}
