/** Packages of a directory, installed by pacman below another directory. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { programPath } from "../../src/plugins/commands.ts";
import { states } from "../../src/plugins/states/pkg.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { kwargs } from "../support/context.ts";
import { stateMinion, withPrograms } from "../support/state_job.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();
// repo-add reads files of makepkg, which Debian has in a package of its own.
const missing = ["pacman", "repo-add", "bsdtar", "makepkg"].find((name) =>
  programPath({ runtime }, name) === undefined
);

describe("pacman", { skip: missing === undefined ? false : `there is no ${missing}` }, () => {
  test("pkg.installed, latest and removed change real packages", { timeout: 120_000 }, async () => {
    await inTemporary(runtime, async (directory) => {
      const { fs } = runtime;
      for (const path of ["repo", "build/etc", "cache", "root/var/lib/pacman"]) fs.mkdir(`${directory}/${path}`, 0o755);
      fs.write(
        `${directory}/pacman.conf`,
        `[options]\nRootDir=${directory}/root\nDBPath=${directory}/root/var/lib/pacman\nCacheDir=${directory}/cache\n` +
          `LogFile=${directory}/log\nSigLevel=Never\nArchitecture=x86_64\n[mine]\nServer=file://${directory}/repo\n`,
      );
      const pacman = `exec ${programPath({ runtime }, "pacman")} --config ${directory}/pacman.conf "$@"`;
      const { minion, state } = await stateMinion(withPrograms(`${directory}/bin`, { pacman }), { pkg: states }, {
        opts: { cachedir: `${directory}/minion` },
        grains: { os: "Arch", os_family: "Arch" },
      });
      let published = 1_600_000_000;
      const publish = async (name: string, version: string) => {
        const file = `${directory}/repo/${name}-${version}-any.pkg.tar.gz`;
        fs.write(`${directory}/build/etc/${name}.conf`, `${version}\n`);
        const about = {
          pkgname: name,
          pkgver: version,
          pkgdesc: "for tests",
          size: 4,
          arch: "any",
          builddate: 1,
          packager: "A",
        };
        fs.write(
          `${directory}/build/.PKGINFO`,
          Object.entries(about).map(([key, value]) => `${key} = ${value}\n`).join(""),
        );
        const words = ["bsdtar", "-C", `${directory}/build`, "-czf", file, ".PKGINFO", `etc/${name}.conf`];
        await minion.value("cmd.run", words, kwargs({ python_shell: false }));
        await minion.value("cmd.run", ["repo-add", "-q", `${directory}/repo/mine.db.tar.gz`, file]);
        // pacman fetches a database that is newer by a second at least.
        published += 100;
        await minion.value("cmd.run", ["touch", "-d", `@${published}`, `${directory}/repo/mine.db.tar.gz`]);
      };
      await publish("alpha", "1.0-1");
      await publish("beta", "1.0-1");
      assert.deepEqual(await minion.value("pkg.refresh_db"), { mine: true });
      const first = await state("pkg.installed", { name: "alpha", version: ">=1.0" });
      assert.deepEqual([first.result, first.changes], [true, { alpha: { old: "", new: "1.0-1" } }]);
      const again = await state("pkg.installed", { name: "alpha" });
      assert.equal(again.comment, "All specified packages are already installed");
      await publish("alpha", "2.0-1");
      assert.equal(await minion.value("pkg.latest_version", "alpha", kwargs({ refresh: true })), "2.0-1");
      assert.deepEqual(await minion.value("pkg.list_upgrades"), { alpha: "2.0-1" });
      assert.deepEqual(await minion.value("pkg.list_repo_pkgs", "a*"), { alpha: ["2.0-1"] });
      const latest = await state("pkg.latest", { name: "x", pkgs: ["alpha", "beta"] });
      assert.deepEqual(latest.changes, { alpha: { old: "1.0-1", new: "2.0-1" }, beta: { old: "", new: "1.0-1" } });
      const older = [{ alpha: `${directory}/repo/alpha-1.0-1-any.pkg.tar.gz` }];
      assert.deepEqual(await minion.value("pkg.install", kwargs({ sources: older })), {
        alpha: { old: "2.0-1", new: "1.0-1" },
      });
      const chosen = await state("pkg.installed", { name: "x", pkgs: [{ alpha: "2.*" }] });
      assert.deepEqual(chosen.changes, { alpha: { old: "1.0-1", new: "2.0-1" } });
      const dict = await minion.value("pkg.file_dict", "beta") as { packages: Record<string, string[]> };
      assert.deepEqual(dict.packages, { beta: [`${directory}/root/etc/beta.conf`] });
      assert.equal(await minion.value("pkg.owner", `${directory}/root/etc/beta.conf`), "beta");
      const wrong = await state("pkg.installed", { name: "alpha", version: "3.*" });
      assert.match(
        String(wrong.comment),
        /No version matching '3\.\*' found for package 'alpha' \(available: 2\.0-1\)/,
      );
      assert.match(String((await state("pkg.installed", { name: "nothing" })).comment), /target not found: nothing/);
      assert.deepEqual((await state("pkg.removed", { name: "alpha" })).changes, { alpha: { old: "2.0-1", new: "" } });
      assert.equal((await state("pkg.purged", { name: "beta" })).comment, "All targeted packages were purged.");
      assert.deepEqual(await minion.value("pkg.list_pkgs"), {});
    });
  });
});
