/** Packages of a directory, installed by apt and dpkg below another directory. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { states } from "../../src/plugins/states/pkg.ts";
import { kwargs } from "../support/context.ts";
import { noApt, withAptRoot } from "../support/apt_root.ts";

const PACKAGES: [string, string][] = [["alpha", "1.0"], ["alpha", "1.5"], ["alpha", "2.0"], ["beta", "1.0"]];

describe("apt", { skip: noApt }, () => {
  test(
    "pkg.installed, removed and purged install, upgrade, downgrade and remove real packages",
    { timeout: 120_000 },
    async () => {
      await withAptRoot(PACKAGES, { pkg: states }, async ({ state, minion, root, runtime }) => {
        const dry = await state("pkg.installed", { name: "alpha" }, true);
        assert.deepEqual([dry.result, dry.comment], [null, "The following packages would be installed/updated: alpha"]);
        assert.deepEqual(await minion.value("pkg.list_pkgs"), {});
        assert.deepEqual(await state("pkg.installed", { name: "alpha", version: "<2.0" }), {
          name: "alpha",
          changes: { alpha: { old: "", new: "1.5" } },
          result: true,
          comment: "The following packages were installed/updated: alpha<2.0",
        });
        assert.equal(runtime.fs.readText(`${root}/etc/alpha.conf`), "version 1.5\n");
        const again = await state("pkg.installed", { name: "alpha", version: "<2.0" });
        assert.equal(again.comment, "All specified packages are already installed and are at the desired version");
        const latest = await state("pkg.latest", { name: "alpha" });
        assert.deepEqual(latest.changes, { alpha: { old: "1.5", new: "2.0" } });
        assert.equal(latest.comment, "The following packages were successfully installed/upgraded: alpha");
        const older = await state("pkg.installed", { name: "x", pkgs: [{ alpha: "1.0" }, "beta"] });
        assert.deepEqual(older.changes, { alpha: { old: "2.0", new: "1.0" }, beta: { old: "", new: "1.0" } });
        const removed = await state("pkg.removed", { name: "alpha" });
        assert.deepEqual(removed.changes, { alpha: { old: "1.0", new: "" } });
        const purged = await state("pkg.purged", { name: "alpha" });
        assert.equal(purged.comment, "All targeted packages were purged.");
        assert.equal(runtime.fs.stat(`${root}/etc/alpha.conf`), undefined);
      });
    },
  );

  test("pkg.installed: says what apt does not know, and which versions there are", { timeout: 120_000 }, async () => {
    await withAptRoot(PACKAGES, { pkg: states }, async ({ state }) => {
      const none = await state("pkg.installed", { name: "nothing" });
      assert.equal(none.result, false);
      assert.match(String(none.comment), /Unable to locate package nothing/);
      const several = await state("pkg.installed", { name: "x", pkgs: ["nothing", "nowhere"] });
      assert.equal(
        several.comment,
        "Problem encountered installing package(s). Additional info follows:\n\nerrors:\n" +
          "    - E: Unable to locate package nothing\n      E: Unable to locate package nowhere",
      );
      const version = await state("pkg.installed", { name: "alpha", version: ">3" });
      assert.match(
        String(version.comment),
        /No version matching 'alpha>3' could be found \(available: 2\.0, 1\.5, 1\.0\)/,
      );
    });
  });

  test(
    "pkg.held: apt leaves a held package, and pkg.installed changes it for all that",
    { timeout: 120_000 },
    async () => {
      await withAptRoot(PACKAGES, { pkg: states }, async ({ state, minion }) => {
        await state("pkg.installed", { name: "alpha", version: "1.0", hold: true });
        assert.deepEqual(await minion.value("pkg.get_selections", kwargs({ state: "hold" })), { hold: ["alpha"] });
        assert.equal((await state("pkg.held", { name: "alpha" })).comment, "No changes made");
        assert.deepEqual((await state("pkg.uptodate", { name: "all" })).changes, {});
        const newer = await state("pkg.installed", { name: "alpha", version: "2.0" });
        assert.deepEqual(newer.changes, { alpha: { old: "1.0", new: "2.0" } });
        assert.deepEqual(await minion.value("pkg.get_selections", kwargs({ state: "hold" })), { hold: ["alpha"] });
        assert.equal((await state("pkg.unheld", { name: "alpha" })).comment, "Package alpha is no longer being held.");
      });
    },
  );

  test(
    "pkg.installed: sources are files; one of the version that is there is left alone",
    { timeout: 120_000 },
    async () => {
      await withAptRoot(PACKAGES, { pkg: states }, async ({ state, directory }) => {
        const sources = [{ alpha: `${directory}/repo/alpha_1.0_all.deb` }];
        const first = await state("pkg.installed", { name: "x", sources });
        assert.deepEqual([first.result, first.changes], [true, { alpha: { old: "", new: "1.0" } }]);
        const again = await state("pkg.installed", { name: "x", sources });
        assert.deepEqual([again.result, again.comment], [true, "All specified packages are already installed"]);
        const other = await state("pkg.installed", {
          name: "x",
          sources: [{ alpha: `${directory}/repo/alpha_2.0_all.deb` }],
        });
        assert.deepEqual(other.changes, { alpha: { old: "1.0", new: "2.0" } });
      });
    },
  );

  test("pkg.install: reinstalls, and pkg.downloaded only fetches", { timeout: 120_000 }, async () => {
    await withAptRoot(PACKAGES, { pkg: states }, async ({ state, minion }) => {
      await state("pkg.installed", { name: "beta" });
      const again = await state("pkg.installed", { name: "beta", reinstall: true });
      assert.deepEqual([again.changes, again.comment], [
        { beta: { old: "1.0", new: "1.0" } },
        "Package beta was reinstalled.",
      ]);
      assert.equal(await minion.value("pkg.version", "beta"), "1.0");
    });
  });
});
