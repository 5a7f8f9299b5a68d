/** `sdb://` addresses in configuration files: what Salt 3006 makes of them (`tests/vectors/sdb/record.py`), and who sees the values. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { checkSdb } from "../../cli/daemon/check/check_sdb.ts";
import { resolveSdb } from "../../cli/program/read_config.ts";
import { loadConfigWithSdb } from "../../src/model/config/load.ts";
import { MASTER_OPTIONS } from "../../src/model/config/master_opts.ts";
import { MINION_OPTIONS } from "../../src/model/config/minion_opts.ts";
import { shownMasterConfig } from "../../src/model/config/salt_defaults.ts";
import { parseYaml } from "../../src/language/yaml/document.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { captureLog } from "../support/capture_log.ts";
import { pillarBed } from "../support/pillar.ts";

interface Recorded {
  files: Record<string, string>;
  config: { text: string; options: Record<string, unknown> };
}

const { files, config } = JSON.parse(
  readFileSync(new URL("../vectors/sdb/calls.json", import.meta.url), "utf8"),
) as Recorded;
const root = mkdtempSync(join(tmpdir(), "brine-sdb-config-"));
const VARIABLES: Record<string, string> = {
  BRINE_SDBC_HERE: "here",
  BRINE_SDBC_LEVEL: "error",
  BRINE_SDBC_DATABASE: join(root, "lite.db"),
  BRINE_SDBC_SECRET: "hush",
};
after(() => {
  rmSync(root, { recursive: true });
  for (const name of Object.keys(VARIABLES)) delete process.env[name];
});
Object.assign(process.env, VARIABLES);
for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);

async function load(
  text: string,
  { strict = true, table = MINION_OPTIONS as typeof MASTER_OPTIONS | typeof MINION_OPTIONS } = {},
) {
  const file = join(root, "config");
  writeFileSync(file, text.replaceAll("<root>", root).replaceAll("BRINE_SDB_", "BRINE_SDBC_"));
  const runtime = await currentRuntime();
  const captured = captureLog();
  const { log } = captured;
  const { opts } = await loadConfigWithSdb(
    { fs: runtime.fs, log, parse: parseYaml, file, table, onProblem: strict ? "error" : "warning" },
    resolveSdb({ runtime, log }, strict),
  );
  return { opts, ...captured };
}

test("addresses have the values that they have in Salt, in maps and lists, too", async () => {
  const { opts, records } = await load(config.text);
  for (const [name, want] of Object.entries(config.options)) {
    const text = JSON.stringify(want).replaceAll("<root>", root).replaceAll("BRINE_SDB_", "BRINE_SDBC_");
    assert.deepEqual(opts[name], JSON.parse(text), name);
  }
  const said = JSON.stringify(records);
  assert.match(said, /there is no such profile.*nosuch/);
  assert.deepEqual(opts.__sdb, ["lite", "plain", "missing", "unknown", "nested", "log_level", "retry_dns"]);
});

test("a configuration without addresses has no trace of sdb", async () => {
  const { opts } = await load("osenv: {driver: env}\ninside: text sdb://osenv/x\n");
  assert.ok(!("__sdb" in opts));
});

test("a driver that is not here ends a daemon's start, and costs a client the option alone", async () => {
  const text = "v: {driver: etcd}\nmaster_port: sdb://v/hushed\nother: sdb://v/x\nlog_level: info\n";
  await assert.rejects(load(text), (error: Error) => {
    assert.match(
      error.message,
      /The option master_port: Cannot use the sdb profile "v": Salt's sdb driver "etcd" is not here: use/,
    );
    assert.doesNotMatch(error.message, /hush/);
    return true;
  });
  const { opts, records } = await load(text, { strict: false });
  assert.equal(opts.master_port, MINION_OPTIONS.master_port.default);
  assert.equal(opts.log_level, "info");
  assert.ok(!("other" in opts));
  assert.match(JSON.stringify(records), /the default is used.*master_port/);
});

test("a value that cannot be used is not in the message", async () => {
  await assert.rejects(load("e: {driver: env}\nmaster_port: sdb://e/BRINE_SDB_SECRET\n"), (error: Error) => {
    assert.match(error.message, /The option master_port is \*\* hidden \*\*: expected a number/);
    assert.doesNotMatch(error.message, /hush/);
    return true;
  });
});

test("a minion does not get the master's values by pillar_opts, nor a caller by config.get and config.values", async () => {
  const text = "e: {driver: env}\npillar_opts: True\nown: {dsn: [sdb://e/BRINE_SDB_SECRET]}\nseen: 5\n";
  const { opts } = await load(text, { table: MASTER_OPTIONS });
  assert.deepEqual(opts.own, { dsn: ["hush"] });
  const shown = shownMasterConfig(opts) as Record<string, unknown>;
  assert.deepEqual([shown.own, shown.seen], ["** hidden **", 5]);
  using bed = await pillarBed({ files: {}, opts });
  const pillar = JSON.stringify(
    await bed.compile(),
    (_key, value) => value instanceof Map ? Object.fromEntries(value) : value,
  );
  assert.match(pillar, /"seen":5/);
  assert.doesNotMatch(pillar, /hush|__sdb/);
});

test("--check names profiles whose driver is not here", async () => {
  const found = await checkSdb({
    a: { driver: "env" },
    b: { driver: "consul", password: "hush" },
    c: { driver: "sqlite" },
    d: { driver: "of a custom module" },
    e: "text",
  });
  assert.deepEqual(found.map(({ problem, remedy }) => `${problem}: ${remedy}`), [
    `the sdb profile b cannot be used: Salt's sdb driver "consul" is not here: use the driver rest with its address and /v1/kv/KEY?raw`,
    `the sdb profile c cannot be used: There is no sdb driver "sqlite": did you mean "sqlite3"?`,
  ]);
});
