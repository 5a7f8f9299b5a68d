/** Packages of a directory, installed by npm into another. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { programPath } from "../../src/plugins/commands.ts";
import { states } from "../../src/plugins/states/npm.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { kwargs } from "../support/context.ts";
import { stateMinion, withPrograms } from "../support/state_job.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();
const skip = programPath({ runtime }, "npm") === undefined ? "there is no npm" : false;

test("npm.installed, removed and bootstrap, in a directory", { skip, timeout: 120_000 }, async () => {
  await inTemporary(runtime, async (directory) => {
    const dir = `${directory}/app`;
    for (const [name, version] of [["app", "1.0.0"], ["alpha", "1.0.0"], ["beta", "2.0.0"]] as const) {
      runtime.fs.mkdir(`${directory}/${name}`, 0o755);
      runtime.fs.write(`${directory}/${name}/package.json`, JSON.stringify({ name, version }));
    }
    const { minion, state } = await stateMinion({
      HOME: directory,
      npm_config_audit: "false",
      // Where these tests run below npm, it has told its own directory.
      npm_config_cache: `${directory}/.npm`,
      npm_config_update_notifier: "false",
    }, { npm: states });
    await minion.value("npm.install", `${directory}/alpha`, kwargs({ dir }));
    const there = await minion.value("npm.list", kwargs({ dir, depth: 0 })) as Record<string, { version: string }>;
    assert.deepEqual(Object.entries(there).map(([name, { version }]) => [name, version]), [["alpha", "1.0.0"]]);
    assert.equal(
      (await state("npm.installed", { name: "alpha", dir })).comment,
      "Package(s) 'alpha' satisfied by alpha@1.0.0",
    );
    const beta = `${directory}/beta`;
    assert.deepEqual((await state("npm.installed", { name: beta, dir })).changes, { old: [], new: [beta] });
    assert.deepEqual((await state("npm.removed", { name: "beta", dir })).changes, { beta: "Removed" });
    assert.equal((await state("npm.removed", { name: "beta", dir })).comment, "Package 'beta' is not installed");
    // With --silent some releases of npm print nothing at all.
    assert.equal((await state("npm.bootstrap", { name: dir })).result, true);
    const none = await state("npm.installed", { name: `${directory}/none`, dir });
    assert.match(String(none.comment), /^Error installing /);
    await assert.rejects(minion.value("npm.list", kwargs({ dir, depth: "x" })), /depth x must be a number/);
    assert.equal(await minion.value("npm.cache_path"), `${directory}/.npm`);
  });
});

test("npm: words reach it as they are, and values are found behind lines of its log", async () => {
  await inTemporary(runtime, async (directory) => {
    const script = `printf '%s\\n' "$@" > ${directory}/words\necho "$SUDO_UID" >> ${directory}/words\n` +
      `echo '[warn] a line'\necho '{"added": 2}'`;
    const { minion } = await stateMinion(withPrograms(`${directory}/bin`, { npm: script }), {});
    const pkg = "a; touch $(x) 'q' \"d\"";
    const options = kwargs({ dir: directory, registry: "http://r/?a&b", silent: false });
    assert.deepEqual(await minion.value("npm.install", pkg, options), { added: 2 });
    assert.deepEqual(runtime.fs.readText(`${directory}/words`).split("\n"), [
      "install",
      "--json",
      "--registry=http://r/?a&b",
      pkg,
      "",
      "",
    ]);
  });
});
