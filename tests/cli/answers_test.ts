/** What programs answer where scripts compare with what Salt answers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callMain } from "../../cli/programs/call.ts";
import { runMain } from "../../cli/programs/run.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { inTemporary } from "../plugins/temporary.ts";
import { runInProcess } from "../support/program.ts";

const runtime = await currentRuntime();

async function withConfig(use: (directory: string) => Promise<void>): Promise<void> {
  await inTemporary(runtime, async (directory) => {
    const { fs } = runtime;
    fs.mkdir(`${directory}/pillar`);
    fs.write(`${directory}/pillar/top.sls`, "base:\n  '*': [one, two]\n");
    fs.write(`${directory}/pillar/one.sls`, "zed: {y: 1, a: 2}\nalpha: {d: 1}\n");
    fs.write(`${directory}/pillar/two.sls`, "alpha: {b: 1}\nmiddle: 1\n");
    const text = `id: here\nroot_dir: ${directory}\npillar_roots: {base: [${directory}/pillar]}\n`;
    fs.write(`${directory}/master`, `${text}sock_dir: ${directory}\n`);
    fs.write(`${directory}/minion`, text);
    await use(directory);
  });
}

test("salt-call publishes nothing: a function with arbitrary keywords hears of its call, but not of its arguments", async () => {
  await withConfig(async (directory) => {
    const argv = ["-c", directory, "--local", "--out=json", "test.arg", "a", "b={c: d}"];
    const { local } = JSON.parse((await runInProcess("salt-call", callMain, argv)).stdout);
    assert.deepEqual(local.args, ["a"]);
    assert.deepEqual(Object.keys(local.kwargs), ["b", "__pub_fun", "__pub_pid", "__pub_jid", "__pub_tgt"]);
    assert.deepEqual([local.kwargs.__pub_fun, local.kwargs.__pub_tgt], ["test.arg", "salt-call"]);
  });
});

test("salt-run salt.cmd calls a function without any publication", async () => {
  await withConfig(async (directory) => {
    const argv = ["-c", directory, "--out=json", "salt.cmd", "test.arg", "a", "b=2"];
    const { stdout } = await runInProcess("salt-run", runMain, argv);
    assert.deepEqual(JSON.parse(stdout), { args: ["a"], kwargs: { b: 2 } });
  });
});

const SORTED = `alpha:
    ----------
    d:
        1
    b:
        1
middle:
    1
zed:
    ----------
    y:
        1
    a:
        2
`;
for (
  const { strategy, want } of [
    { strategy: "smart", want: SORTED },
    { strategy: "overwrite", want: SORTED.replace("    d:\n        1\n", "") },
    // Salt makes an ordered map of the whole there.
    { strategy: "aggregate", want: /^zed:[\s\S]*\nalpha:[\s\S]*\nmiddle:/ },
  ]
) {
  test(`the keys of a whole pillar are sorted when it is shown, those of its files are not: ${strategy}`, async () => {
    await withConfig(async (directory) => {
      const { fs } = runtime;
      for (const name of ["master", "minion"]) {
        fs.append(`${directory}/${name}`, `pillar_source_merging_strategy: ${strategy}\n`, 0o600);
      }
      const shown = await runInProcess("salt-run", runMain, ["-c", directory, "pillar.show_pillar"]);
      const called = await runInProcess("salt-call", callMain, ["-c", directory, "--local", "pillar.items"]);
      const local = called.stdout.replace(/^local:\n {4}-{10}\n/, "").replace(/^ {4}/gm, "");
      for (const text of [shown.stdout, local]) {
        if (typeof want === "string") assert.equal(text, want);
        else assert.match(text, want);
      }
    });
  });
}
