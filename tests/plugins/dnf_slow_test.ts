/** Packages of a directory, installed by dnf and rpm below another directory. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { programPath } from "../../src/plugins/commands.ts";
import { compareEvr } from "../../src/plugins/packages/rpm/evr.ts";
import { states } from "../../src/plugins/states/pkg.ts";
import { states as repoStates } from "../../src/plugins/states/pkgrepo.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { kwargs } from "../support/context.ts";
import { makeRepository } from "../support/rpm_repository.ts";
import { type StateMinion, stateMinion, withPrograms } from "../support/state_job.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();
const NEEDED = ["dnf", "rpm", "rpmbuild", "createrepo_c"];
const missing = NEEDED.find((name) => programPath({ runtime }, name) === undefined);
const skip = missing === undefined ? false : `there is no ${missing}`;

interface DnfRoot extends StateMinion {
  directory: string;
  root: string;
}

const ALL = [["alpha", "1.0"], ["alpha", "1.5"], ["alpha", "2.0"], ["beta", "1.0"]] as const;

async function withDnf(
  packages: readonly (readonly [name: string, version: string])[],
  use: (dnf: DnfRoot) => Promise<void>,
): Promise<void> {
  await inTemporary(runtime, async (directory) => {
    const root = `${directory}/root`;
    for (const path of ["root", "repos.d", "cache"]) runtime.fs.mkdir(`${directory}/${path}`, 0o755);
    runtime.fs.write(`${directory}/dnf.conf`, "[main]\ngpgcheck=0\n");
    const repo = `[local]\nname=Local\nbaseurl=file://${directory}/repo\ngpgcheck=0\nenabled=1\n`;
    runtime.fs.write(`${directory}/repos.d/local.repo`, repo);
    const variables = withPrograms(`${directory}/bin`, {
      dnf: `exec ${programPath({ runtime }, "dnf")} --installroot=${root} --config=${directory}/dnf.conf ` +
        `--setopt=reposdir=${directory}/repos.d --setopt=cachedir=${directory}/cache --releasever=9 "$@"`,
      rpm: `exec ${programPath({ runtime }, "rpm")} --root ${root} "$@"`,
    });
    const made = await stateMinion(variables, { pkg: states, pkgrepo: repoStates }, {
      opts: { cachedir: `${directory}/minion` },
      grains: { os: "Rocky", os_family: "RedHat", osmajorrelease: 9, osarch: "x86_64" },
    });
    await makeRepository(runtime, made.minion, directory, packages);
    await use({ ...made, directory, root });
  });
}

describe("dnf", { skip }, () => {
  test(
    "pkg.installed and removed install, upgrade, downgrade and remove real packages",
    { timeout: 120_000 },
    async () => {
      await withDnf(ALL, async ({ state, minion, root }) => {
        const dry = await state("pkg.installed", { name: "alpha" }, true);
        assert.deepEqual([dry.result, dry.comment], [null, "The following packages would be installed/updated: alpha"]);
        assert.deepEqual(await state("pkg.installed", { name: "alpha", version: "<2.0", fromrepo: "local" }), {
          name: "alpha",
          changes: { alpha: { old: "", new: "1.5-1" } },
          result: true,
          comment: "The following packages were installed/updated: alpha<2.0",
        });
        assert.equal(runtime.fs.readText(`${root}/etc/alpha.conf`), "1.5\n");
        assert.deepEqual(await minion.value("pkg.list_upgrades"), { alpha: "2.0-1" });
        assert.equal(await minion.value("pkg.latest_version", "alpha"), "2.0-1");
        assert.deepEqual((await state("pkg.latest", { name: "alpha" })).changes, {
          alpha: { old: "1.5-1", new: "2.0-1" },
        });
        assert.equal(await minion.value("pkg.latest_version", "alpha"), "");
        const older = await state("pkg.installed", { name: "x", pkgs: [{ alpha: "1.0*" }, "beta"], fromrepo: "local" });
        assert.deepEqual(older.changes, { alpha: { old: "2.0-1", new: "1.0-1" }, beta: { old: "", new: "1.0-1" } });
        assert.deepEqual(await minion.value("pkg.list_repo_pkgs", "alpha", kwargs({ fromrepo: "local" })), {
          alpha: ["2.0-1", "1.5-1", "1.0-1"],
        });
        const upgraded = await state("pkg.uptodate", { name: "all", refresh: true });
        assert.deepEqual(upgraded.changes, { alpha: { old: "1.0-1", new: "2.0-1" } });
        assert.deepEqual((await state("pkg.removed", { name: "alpha" })).changes, { alpha: { old: "2.0-1", new: "" } });
        assert.deepEqual(await minion.value("pkg.list_pkgs"), { beta: "1.0-1" });
      });
    },
  );

  test("pkg.installed: files, what there is not, and files that were altered", { timeout: 120_000 }, async () => {
    await withDnf([ALL[0]], async ({ state, minion, directory, root }) => {
      const sources = [{ alpha: `${directory}/repo/alpha-1.0.rpm` }];
      assert.deepEqual((await state("pkg.installed", { name: "x", sources })).changes, {
        alpha: { old: "", new: "1.0-1" },
      });
      assert.equal(
        (await state("pkg.installed", { name: "x", sources })).comment,
        "All specified packages are already installed",
      );
      const none = await state("pkg.installed", { name: "nothing" });
      assert.equal(none.result, false);
      assert.match(
        String(none.comment),
        /Error occurred installing package\(s\)\. Additional info follows:[\s\S]*nothing/,
      );
      runtime.fs.write(`${root}/etc/alpha.conf`, "another\n", { mode: 0o644 });
      // rpm compares whole seconds, and the package may have been made in this one.
      const later = Date.now() + 60_000;
      runtime.fs.utimes(`${root}/etc/alpha.conf`, later, later);
      assert.deepEqual(await minion.value("pkg.verify", "alpha"), {
        "/etc/alpha.conf": { mismatch: ["size", "md5sum", "mtime"], type: "config" },
      });
      const ignored = await minion.value("pkg.verify", "alpha", kwargs({ ignore_types: ["config"] }));
      assert.deepEqual(ignored, {});
      const modified = await minion.value("pkg.modified", "alpha") as Record<string, string[]>;
      assert.ok(modified["/etc/alpha.conf"]!.includes("checksum"));
    });
  });

  test("lowpkg: what rpm knows of packages", { timeout: 120_000 }, async () => {
    await withDnf([ALL[0], ALL[3]], async ({ minion, directory }) => {
      await minion.value("pkg.install", "alpha", kwargs({ version: "1.0" }));
      const info = await minion.value("lowpkg.bin_pkg_info", `${directory}/repo/beta-1.0.rpm`) as Record<
        string,
        unknown
      >;
      assert.deepEqual([info.name, info.version, info.arch], ["beta", "1.0-1", "noarch"]);
      assert.deepEqual(await minion.value("lowpkg.list_pkgs"), { alpha: "1.0" });
      assert.deepEqual(await minion.value("lowpkg.file_dict", "alpha", "none"), {
        errors: ["package none is not installed"],
        packages: { alpha: ["/etc/alpha.conf"] },
      });
      assert.deepEqual(await minion.value("lowpkg.file_list", "alpha"), { errors: [], files: ["/etc/alpha.conf"] });
      assert.equal(await minion.value("pkg.owner", "/etc/alpha.conf"), "alpha");
      const details = await minion.value("lowpkg.info", "none", "alpha") as Record<string, Record<string, unknown>>;
      assert.deepEqual(Object.keys(details), ["alpha"]);
      const { version, release, license, summary, description, install_date_time_t: time } = details.alpha!;
      assert.deepEqual([version, release, license, summary], ["1.0", "1", "MIT", "for tests"]);
      assert.deepEqual([description, typeof time], ["For tests, in\ntwo lines.", "number"]);
      const some = await minion.value(
        "pkg.info_installed",
        "alpha",
        kwargs({ attr: "version,arch", all_versions: true }),
      );
      assert.deepEqual(some, { alpha: [{ version: "1.0", arch: "noarch", edition: "1.0-1" }] });
      const list = await minion.value("pkg.list_pkgs", kwargs({ attr: ["epoch", "release"] })) as Record<
        string,
        unknown
      >;
      assert.deepEqual(list.alpha, [{ epoch: "", version: "1.0", release: "1", arch: "noarch" }]);
    });
  });

  test("pkgrepo: repositories are sections of files, which keep everything else", { timeout: 120_000 }, async () => {
    await withDnf([], async ({ state, directory, minion }) => {
      const basedir = `${directory}/repos.d`;
      const file = `${basedir}/local.repo`;
      runtime.fs.write(
        file,
        `# mine\n${runtime.fs.readText(file)}# why\n\n[other]\nname=Other\nbaseurl=file:///a\n file:///b\n`,
      );
      const repo = { name: "extra", humanname: "Extra", baseurl: "file:///x", gpgcheck: 0, basedir };
      assert.deepEqual((await state("pkgrepo.managed", repo)).changes, { repo: "extra" });
      // The directory is no value of the repository, so that it is always written again: as in Salt.
      assert.deepEqual((await state("pkgrepo.managed", repo)).changes, {});
      const other = await state("pkgrepo.managed", { ...repo, name: "other", humanname: "Other" });
      assert.deepEqual((other.changes.baseurl as { new: unknown }).new, "file:///x");
      assert.equal(
        runtime.fs.readText(file),
        `# mine\n[local]\nname=Local\nbaseurl=file://${directory}/repo\ngpgcheck=0\nenabled=1\n# why\n\n` +
          `[other]\nname=Other\nbaseurl=file:///x\ngpgcheck=0\nenabled=1\n\n`,
      );
      assert.deepEqual((await state("pkgrepo.absent", { name: "extra", basedir })).changes, { repo: "extra" });
      assert.equal(runtime.fs.stat(`${basedir}/extra.repo`), undefined);
      assert.deepEqual(Object.keys(await minion.value("pkg.list_repos", kwargs({ basedir })) as object), [
        "local",
        "other",
      ]);
    });
  });

  test("versions of RPM are compared as rpm compares them", { timeout: 120_000 }, async () => {
    const versions = [
      "1",
      "1.0",
      "1.0~rc1",
      "1.0~rc1~git",
      "1.0^git1",
      "1.0^",
      "1.0.1",
      "1.0a",
      "1.0.a",
      "a",
      "2b",
      "10",
      "010",
      "1_0",
      "1.0~",
      "3.0.20",
      "fc4",
    ];
    await withDnf([], async ({ minion }) => {
      const pairs = versions.flatMap((one) => versions.map((other) => [one, other] as const));
      const lua = pairs.map(([one, other]) => `print(rpm.vercmp("${one}", "${other}"), "")`).join(" ");
      const said = String(await minion.value("cmd.run", ["rpm", "--eval", `%{lua: ${lua}}`])).trim().split(/\s+/).map(
        Number,
      );
      assert.deepEqual(pairs.map(([one, other]) => compareEvr(one, other)), said);
    });
  });
});
