/** Pillar: real Salt over the recorded trees, and fleets in which one side's master compiles for the other's minions. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Fleet, idOf } from "./fleet.ts";
import { saltProgram } from "../../bench/bed/salt_release.ts";
import { installSalt, type Kind, type Release, RELEASES } from "./release.ts";

const mode = process.env.BRINE_INTEROP ?? "";

function whyNot(): string | undefined {
  if (mode === "") return "NOT TESTED AGAINST REAL SALT: set BRINE_INTEROP to quick or full";
  if (process.versions.bun !== undefined || process.versions.deno !== undefined) {
    return "driven by Node's test runner alone: set BRINE_RUNTIME to test another runtime with it";
  }
  return undefined;
}

const releases: readonly Release[] = mode === "full" ? RELEASES : ["3006"];

/** Cases on which a release differs from the one that was recorded, and why. */
const OTHERWISE: Partial<Record<Release, { cases: RegExp; why: string }>> = {
  "3007": {
    cases:
      /two environments|__env__ by saltenv|the same target in two top files|env_order|top_file_merging_strategy|saltenv alone/,
    why: "its order of environments follows no option: it is that of a Python set",
  },
  "3008": {
    cases: /ext_pillar with an entry that is no map/,
    why: "it keeps the pillar that it has so far",
  },
};

interface Case {
  name: string;
  pillar: unknown;
}

function recorded(release: Release): void {
  const missing = installSalt(release);
  const title = `the recorded pillars are those of Salt ${release}`;
  if (missing !== undefined) {
    test(title, { skip: `NOT TESTED: Salt ${release} cannot be installed: ${missing}` }, () => {});
    return;
  }
  describe(title, () => {
    const file = fileURLToPath(new URL("../vectors/pillar.json", import.meta.url));
    const program = fileURLToPath(new URL("./pillar_reference.py", import.meta.url));
    const { cases } = JSON.parse(readFileSync(file, "utf8")) as { cases: Case[] };
    const answers = new Map<string, unknown>();
    before(() => {
      const { status, stdout, stderr } = spawnSync(saltProgram(release, "python"), ["-W", "ignore", program], {
        input: readFileSync(file),
        encoding: "utf8",
        maxBuffer: 2 ** 28,
        env: { ...process.env, PYTHONHASHSEED: "0" },
      });
      assert.equal(status, 0, stderr);
      for (const { name, pillar } of (JSON.parse(stdout) as { cases: Case[] }).cases) answers.set(name, pillar);
    });
    for (const { name, pillar } of cases) {
      const other = OTHERWISE[release];
      const skip = other?.cases.test(name) ? `Salt ${release} differs: ${other.why}` : false;
      // As text, so that the order of keys counts.
      test(name, { skip }, () => assert.equal(JSON.stringify(answers.get(name)), JSON.stringify(pillar)));
    }
  });
}

const TREE: Record<string, string> = {
  "base/top.sls": `base:
  '*':
    - common
  'kind:brine':
    - match: grain
    - only.ours
  'G@kind:salt*':
    - only.theirs
`,
  "base/common.sls": `include:
  - defaults
  - .shared:
      key: shared:deep
app: {name: demo, ports: [80, 443], ratio: 1.0, big: 12345678901234567890, none: ~, "yes": yes}
list: [3, 4]
text: "Grüße, 世界 🧂"
1: number
`,
  "base/defaults.sls": "app: {name: default, owner: root}\nlist: [1, 2, 3]\n",
  "base/shared.sls": "a: {b: [1, {c: d}]}\n",
  "base/only/ours.sls": "whose: ours\n",
  "base/only/theirs/init.sls": "whose: theirs\n",
  "dev/top.sls": "dev:\n  '*': [dev]\n",
  "dev/dev.sls": "env: dev\n",
};

const whoseOf = (kind: Kind) => kind === "brine" ? "ours" : "theirs";

/** The pillar of a minion as JSON, its floats as they are written. */
const pillarText = (kind: Kind) =>
  `{"app": {"name": "demo", "owner": "root", "ports": [80, 443], "ratio": 1.0, "big": 12345678901234567890, ` +
  `"none": null, "yes": true}, "list": [1, 2, 3, 4], "shared": {"deep": {"a": {"b": [1, {"c": "d"}]}}}, ` +
  `"text": "Grüße, 世界 🧂", "1": "number", "whose": "${whoseOf(kind)}"}`;

/** Salt 3008 shows stars for values, unless it is asked not to, which others do not understand. */
function shown(kind: Kind, value: unknown): unknown {
  if (kind !== "3008" || value === null || value === "") return value;
  if (Array.isArray(value)) return value.map((item) => shown(kind, item));
  if (typeof value !== "object") return "**********";
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shown(kind, item)]));
}

/** A value whose numbers are told apart as they were written. */
function exactly(text: string): unknown {
  const revive = (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === "number" ? `number ${context?.source}` : value;
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown);
}

function fleetSuite(master: Kind, minions: readonly Kind[]): void {
  const missing = [master, ...minions].filter((kind): kind is Release => kind !== "brine")
    .map((release) => installSalt(release)).find((why) => why !== undefined);
  const title = `pillar of a ${master === "brine" ? "brine" : `Salt ${master}`} master`;
  if (missing !== undefined) {
    test(title, { skip: `NOT TESTED: ${missing}` }, () => {});
    return;
  }
  describe(title, { concurrency: 1 }, () => {
    const fleet = new Fleet({
      master,
      minions,
      masterOptions: (directory) => ({
        pillar_roots: { base: [`${directory}/pillar/base`], dev: [`${directory}/pillar/dev`] },
        pillar_merge_lists: true,
      }),
    });
    const write = (name: string, text: string) => {
      const file = fleet.path("pillar", name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    };
    before(async () => {
      for (const [name, text] of Object.entries(TREE)) write(name, text);
      await fleet.start();
    });
    after(() => fleet.stop());
    const ask = async (...words: string[]): Promise<Record<string, unknown>> => {
      const { code, stdout, stderr } = await fleet.salt(master, [...words, "--static", "--out=json"]);
      assert.ok(code === 0, fleet.report(`${words.join(" ")}: exit ${code}\n${stdout}${stderr}`));
      return exactly(stdout) as Record<string, unknown>;
    };
    const each = (of: (kind: Kind) => unknown) => Object.fromEntries(minions.map((kind) => [idOf(kind), of(kind)]));
    const eachShown = (of: (kind: Kind) => unknown) => each((kind) => shown(kind, of(kind)));
    const fresh = (kind: Kind) => ({ ...exactly(pillarText(kind)) as Record<string, unknown>, env: "dev" });

    test("pillar.items: what the files say, the same for every minion", async () => {
      assert.deepEqual(await ask("*", "pillar.items"), eachShown(fresh));
    });
    test("pillar.raw: minions have had it since they started", async () => {
      assert.deepEqual(await ask("*", "pillar.raw"), each(fresh));
    });
    test("minions are targeted by it", async () => {
      const named = (whose: string) =>
        Object.fromEntries(minions.filter((k) => whoseOf(k) === whose).map((k) => [idOf(k), true]));
      assert.deepEqual(await ask("-I", "whose:ours", "test.ping"), named("ours"));
      assert.deepEqual(await ask("-J", "whose:^th", "test.ping"), named("theirs"));
      assert.deepEqual(await ask("-C", "I@whose:theirs and not J@whose:o.*", "test.ping"), named("theirs"));
    });
    test("pillar.get of one environment", async () => {
      assert.deepEqual(await ask("*", "pillar.get", "env", "pillarenv=dev"), eachShown(() => "dev"));
      assert.deepEqual(await ask("*", "pillar.get", "text", "pillarenv=dev"), eachShown(() => ""));
    });
    test("pillar.items with what a call brings", async () => {
      assert.deepEqual(
        await ask("*", "pillar.items", "pillar={whose: mine, app: {name: mine}, list: [9]}"),
        eachShown((kind) => {
          const value = fresh(kind) as unknown as { app: Record<string, unknown>; list: unknown[] };
          return {
            ...value,
            whose: "mine",
            app: { ...value.app, name: "mine" },
            list: ["9", ...value.list].map((item) => String(item).replace(/^(?=\d)/, "number ")),
          };
        }),
      );
    });
    test("a refresh that is waited for brings what has changed", async () => {
      write("base/only/ours.sls", "whose: changed\n");
      write("base/only/theirs/init.sls", "whose: changed\n");
      assert.deepEqual(await ask("*", "pillar.get", "whose"), eachShown(whoseOf));
      assert.deepEqual(await ask("*", "saltutil.refresh_pillar", "wait=True"), each(() => true));
      assert.deepEqual(await ask("*", "pillar.get", "whose"), eachShown(() => "changed"));
      assert.deepEqual(await ask("-I", "whose:changed", "test.ping"), each(() => true));
    });
    test("salt-run pillar.show_pillar of either side", async () => {
      // Salt 3008 keeps what it knows of minions in other files than masters did before, which ours does not read.
      for (const kind of new Set<Kind>(master === "3008" ? [master] : [master, "brine"])) {
        for (const minion of minions) {
          const words = ["pillar.show_pillar", idOf(minion), "--out=json"];
          const { stdout, stderr } = await fleet.program(kind, "salt-run", words);
          assert.deepEqual(exactly(stdout), { ...fresh(minion), whose: "changed" }, stderr);
        }
      }
    });
    test("a file that does not parse: the minion is told that, and no more", async () => {
      write("base/defaults.sls", "secret: {hunter2\n");
      const answers = await ask("*", "pillar.items") as Record<string, { _errors: string[] }>;
      for (const [id, { _errors }] of Object.entries(answers)) {
        if (id === idOf("3008")) continue;
        assert.deepEqual([...new Set(_errors)], [
          "Rendering SLS 'defaults' failed. Please see master log for details.",
        ]);
      }
      assert.ok(!JSON.stringify(answers).includes("hunter2"));
    });
  });
}

const reason = whyNot();
if (reason !== undefined) test("pillar beside real Salt", { skip: reason }, () => {});
else {
  for (const release of releases) recorded(release);
  fleetSuite("brine", ["brine", ...releases]);
  for (const release of releases) fleetSuite(release, ["brine", release]);
}
