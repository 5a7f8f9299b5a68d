/** Reactors as people write them, on a master of ours: the events are those of a real master, which `tests/vectors/reactor.json` has. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { type Caused, reactOn } from "../../interop/automation/reactor_bed.ts";
import { REACTOR_CASES } from "../../interop/automation/reactor_cases.ts";

const { caused: recorded } = JSON.parse(
  readFileSync(new URL("../../vectors/reactor.json", import.meta.url), "utf8"),
) as { caused: Caused };

const job = (fun: string, arg: unknown[], minions: string[], tgt: unknown, tgt_type = "glob") =>
  `salt/job/JID/new ${JSON.stringify({ arg, fun, minions, missing: [], tgt, tgt_type, user: "root" })}`;

const failed = (events: string[]) => events.map((text) => text.replace('"success":true', '"success":false'));

/** Where ours is another on purpose, as `docs/reactor.md` says. */
const DIFFERENT: Record<string, string[]> = {
  "jobs: arg a text": [job("cmd.run", ["ls -l"], ["m1"], "m1")],
  "jobs: arg a number": [job("test.arg", [5], ["m1"], "m1")],
  "jobs: arg a map": [job("test.arg", [{ a: 1 }], ["m1"], "m1")],
  "jobs: kwarg a list of maps": [],
  "jobs: kwarg a text": [],
  "jobs: tgt a list of YAML without its type": [job("test.ping", [], ["m1", "m2"], ["m1", "m2"], "list")],
  "jobs: several functions in one": [],
  "master: runner arg a text": (recorded["master: runner arg a text"] ?? [])
    .map((text) => text.replaceAll('"o","n","e"', '"one"')),
  "master: runner argument missing in args": failed(recorded["master: runner argument missing in args"] ?? []),
  "master: runner argument that there is not": failed(recorded["master: runner argument that there is not"] ?? []),
};

const reason = process.versions.bun !== undefined || process.versions.deno !== undefined
  ? "starts programs, which Node's test runner does alone: BRINE_RUNTIME chooses their runtime"
  : false;

describe("reactors that were run on a real master", { skip: reason }, () => {
  let ours: Caused = {};
  before(async () => {
    ours = await reactOn("brine", { expected: { ...recorded, ...DIFFERENT } });
  }, { timeout: 600_000 });
  after(() => void (ours = {}));
  for (const { name } of REACTOR_CASES) {
    test(name, () => assert.deepEqual(ours[name], (DIFFERENT[name] ?? recorded[name])?.toSorted()));
  }
});
