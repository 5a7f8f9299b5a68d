/** Core grains: those of this host by ours and by real Salt 3006, and why any of them differ. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import path from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import { createLogger } from "../../src/base/log.ts";
import { gatherGrains } from "../../src/plugins/grains/mod.ts";
import { entriesOf, Float, isMap } from "../../src/language/python/values.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { saltProgram } from "../../bench/bed/salt_release.ts";
import { installSalt } from "./release.ts";

const skip = (process.env.BRINE_INTEROP ?? "") === ""
  ? "NOT TESTED AGAINST REAL SALT: set BRINE_INTEROP to quick or full"
  : process.versions.bun !== undefined || process.versions.deno !== undefined
  ? "driven by Node's test runner alone"
  : false;

const OURS_ALONE: Record<string, string> = {
  brineversion: "our own version, as saltversion is the one that we are compatible with",
  brineruntime: "what runs us, in the place of Python",
  brineruntimeversion: "its version",
};

const LEFT_OUT: Record<string, string> = {};

const DIFFERENT: Record<string, string> = {
  pid: "of another process",
  pythonexecutable: "the host's python3, and not that of Salt",
  pythonpath: "the same",
  pythonversion: "the same",
  saltpath: "another program",
  saltversion: "another version",
  saltversioninfo: "another version",
  zmqversion: "of the protocol: there is no library",
};

/** A value as JSON would carry it. */
function plain(value: unknown): unknown {
  if (value instanceof Float || typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return Array.from(value, plain);
  if (isMap(value)) return Object.fromEntries(entriesOf(value).map(([key, item]) => [String(key), plain(item)]));
  return value ?? null;
}

describe("core grains against Salt 3006", { skip, timeout: 300_000 }, () => {
  test("are the same but for those in the tables of this file", async () => {
    assert.equal(installSalt("3006"), undefined);
    const place = fs.mkdtempSync(path.join(process.env.TMPDIR ?? "/tmp", "brine-grains-"));
    try {
      const opts = { root_dir: place, file_client: "local", id: "alpha", master: "salt" };
      fs.writeFileSync(path.join(place, "minion"), JSON.stringify(opts));
      const argv = ["-c", place, "--local", "--out=json", "--log-level=quiet", "grains.items"];
      const text = execFileSync(saltProgram("3006", "salt-call"), argv, {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      });
      const theirs: Record<string, unknown> = JSON.parse(text).local;
      const runtime = await currentRuntime();
      const gathered = await gatherGrains({ runtime, log: createLogger(() => {}, "all"), opts });
      const ours = plain(gathered) as Record<string, unknown>;
      const only = (one: object, other: object) =>
        Object.keys(one).filter((name) => !Object.hasOwn(other, name)).sort();
      assert.deepEqual(only(ours, theirs), Object.keys(OURS_ALONE).sort());
      assert.deepEqual(only(theirs, ours), Object.keys(LEFT_OUT).sort());
      for (const [name, value] of Object.entries(theirs)) {
        if (Object.hasOwn(ours, name) && !Object.hasOwn(DIFFERENT, name)) assert.deepEqual(ours[name], value, name);
      }
    } finally {
      fs.rmSync(place, { recursive: true, force: true });
    }
  });
});
