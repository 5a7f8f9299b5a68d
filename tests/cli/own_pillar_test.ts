/** The pillar of a minion without a master: what calls that compile another one see. The answers are those of Salt 3006.29. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { callMain } from "../../cli/programs/call.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { runInProcess } from "../support/program.ts";

const TIMEOUT = { timeout: 60_000 };

const FILES = {
  "base/top.sls": "base:\n  '*': [p]\n  {% if pillar.get('base_key') %}'m*': [q]{% endif %}\n",
  "base/p.sls": [
    "base_key: 1",
    "both: {x: 1, y: 1}",
    "l: [1]",
    "seen: {{ pillar.get('base_key', 'none') }} {{ salt['pillar.get']('base_key', 'none') }}",
    "options: {{ (opts.pillar | default({})).get('base_key', 'none') }}",
    "given: {{ pillar.get('k', 'none') }}",
  ].join("\n"),
  "base/q.sls": "q: {{ pillar.get('q', 0) + 1 }}\n",
  "dev/top.sls": "dev:\n  '*': [d]\n",
  "dev/d.sls": "dev_key: 1\nboth: {y: 2, z: 1}\nl: [2]\n",
  "states/shown.sls":
    "shown:\n  test.configurable_test_state:\n    - changes: False\n    - result: True\n    - comment: {{ pillar | json | json }}\n",
};

const FIRST = {
  base_key: 1,
  both: { x: 1, y: 2, z: 1 },
  l: [2],
  dev_key: 1,
  seen: "none none",
  options: "none",
  given: "none",
};
const SECOND = { ...FIRST, seen: "1 1", options: 1, q: 1 };

const ANSWERS: [argv: string[], answer: unknown][] = [
  [["pillar.raw"], FIRST],
  [["pillar.items"], SECOND],
  [["pillar.items", "pillarenv=base"], { ...SECOND, both: { x: 1, y: 1, z: 1 }, l: [1] }],
  [["pillar.items", "pillarenv=dev"], FIRST],
  [["pillar.items", "pillar={k: 1}"], { ...SECOND, k: 1 }],
  [["pillar.item", "dev_key", "base_key", "pillarenv=dev"], { dev_key: 1, base_key: 1 }],
  [["state.apply", "shown"], FIRST],
  [["state.apply", "shown", "pillarenv=dev"], FIRST],
  [["state.apply", "shown", "pillar={k: 1}"], { ...SECOND, k: 1 }],
];

async function bed(more: Record<string, unknown> = {}) {
  const root = mkdtempSync(path.join(tmpdir(), "brine-own-pillar-"));
  const { host } = await currentRuntime();
  const opts = {
    user: host.user().name,
    id: "m1",
    file_client: "local",
    enable_fqdns_grains: false,
    disable_grains: ["core"],
    file_roots: { base: [`${root}/states`] },
    pillar_roots: { base: [`${root}/base`], dev: [`${root}/dev`] },
    env_order: ["base", "dev"],
    root_dir: root,
    cachedir: "/cache",
    ...more,
  };
  for (const [name, text] of Object.entries({ ...FILES, "etc/minion": JSON.stringify(opts) })) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  return {
    root,
    async call(...argv: string[]): Promise<unknown> {
      const { stdout, stderr } = await runInProcess("salt-call", callMain, [
        "-c",
        `${root}/etc`,
        "--local",
        "--out=json",
        ...argv,
      ]);
      assert.notEqual(stdout, "", stderr);
      const answer: unknown = JSON.parse(stdout).local;
      if (!argv[0]!.startsWith("state.")) return answer;
      const [state] = Object.values(answer as Record<string, { comment: string }>);
      return JSON.parse(state!.comment);
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

describe("the pillar of a minion without a master", TIMEOUT, () => {
  for (const [argv, answer] of ANSWERS) {
    test(`salt-call --local ${argv.join(" ")}`, TIMEOUT, async () => {
      using place = await bed();
      assert.deepEqual(await place.call(...argv), answer);
    });
  }

  test(
    "replaces the one in use with ssh_merge_pillar: False, and templates see that one all the same",
    TIMEOUT,
    async () => {
      using place = await bed({ ssh_merge_pillar: false });
      const { base_key: _, ...dev } = { base_key: 1, both: { y: 2, z: 1 }, l: [2], dev_key: 1 };
      assert.deepEqual(await place.call("pillar.items", "pillarenv=dev"), dev);
      assert.deepEqual(await place.call("pillar.items", "pillarenv=base"), {
        base_key: 1,
        both: { x: 1, y: 1 },
        l: [1],
        seen: "1 1",
        options: 1,
        given: "none",
        q: 1,
      });
    },
  );

  test("is compiled once for states that are given none", TIMEOUT, async () => {
    using place = await bed();
    const counted = path.join(place.root, "count");
    writeFileSync(path.join(place.root, "base/p.sls"), `n: {{ salt['cmd.shell']('echo x >> ${counted}') }}\n`);
    await place.call("state.apply", "shown");
    assert.equal(readFileSync(counted, "utf8"), "x\n");
  });
});
