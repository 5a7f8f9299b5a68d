/** A gem of our own, installed into a directory. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { programPath } from "../../src/plugins/commands.ts";
import { states } from "../../src/plugins/states/gem.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { kwargs } from "../support/context.ts";
import { stateMinion } from "../support/state_job.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();
const skip = programPath({ runtime }, "gem") === undefined ? "there is no gem" : false;

const SPEC = `Gem::Specification.new { |s| s.name = "alpha"; s.version = "1.5"; s.summary = "x"; s.authors = ["y"] }\n`;

test("gem: installs, lists and removes", { skip, timeout: 120_000 }, async () => {
  await inTemporary(runtime, async (directory) => {
    const { minion, state } = await stateMinion({ GEM_HOME: `${directory}/gems`, HOME: directory }, { gem: states });
    runtime.fs.write(`${directory}/alpha.gemspec`, SPEC);
    await minion.value("cmd.run", ["gem", "build", "alpha.gemspec"], kwargs({ cwd: directory, python_shell: false }));
    assert.match(String(await minion.value("gem.version")), /^\d+\./);
    assert.match(
      String(await minion.value("gem.install", [`${directory}/alpha-1.5.gem`])),
      /Successfully installed alpha-1\.5/,
    );
    assert.deepEqual(await minion.value("gem.list", "alpha"), { alpha: ["1.5"] });
    assert.equal((await state("gem.installed", { name: "alpha" })).comment, "Gem is already installed.");
    const fits = await state("gem.installed", { name: "alpha", version: "<=1.5" });
    assert.equal(fits.comment, "Installed Gem meets version requirements.");
    assert.deepEqual((await state("gem.removed", { name: "alpha" })).changes, { alpha: "Removed" });
    assert.deepEqual(await minion.value("gem.list", "alpha"), {});
    await assert.rejects(minion.value("gem.install", "x", kwargs({ source: `file://${directory}/none` })), /ERROR/);
  });
});
