/** Packages of a directory, installed by zypper and rpm below another directory. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { MasterLink } from "../../src/model/loader/family.ts";
import { programPath } from "../../src/plugins/commands.ts";
import { states } from "../../src/plugins/states/pkg.ts";
import { states as repoStates } from "../../src/plugins/states/pkgrepo.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { kwargs, type TestMinionOptions } from "../support/context.ts";
import { makeRepository } from "../support/rpm_repository.ts";
import { type StateMinion, stateMinion, withPrograms } from "../support/state_job.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();
const NEEDED = ["zypper", "rpm", "rpmbuild", "createrepo_c"];
const missing = NEEDED.find((name) => programPath({ runtime }, name) === undefined);
const skip = missing !== undefined ? `there is no ${missing}` : runtime.process.uid() !== 0 ? "only root can" : false;

interface ZypperRoot extends StateMinion {
  directory: string;
  root: string;
  /** Calls a function with keyword arguments, for the root. */
  ask(fun: string, positional?: unknown[], keyword?: Record<string, unknown>): Promise<unknown>;
}

/** A program that works below a root, unless it is told of one. */
const below = (program: string, root: string, more = "") =>
  `case " $* " in *" --root "*) exec ${program} ${more} "$@";; esac\nexec ${program} ${more} --root ${root} "$@"`;

async function withZypper(
  packages: readonly (readonly [name: string, version: string])[],
  use: (zypper: ZypperRoot) => Promise<void>,
  programs: (directory: string) => Record<string, string> = () => ({}),
  options: Pick<TestMinionOptions, "master"> = {},
): Promise<void> {
  await inTemporary(runtime, async (directory) => {
    const root = `${directory}/root`;
    runtime.fs.mkdir(`${root}/etc/zypp/repos.d`, 0o755);
    const variables = withPrograms(`${directory}/bin`, {
      zypper: below(programPath({ runtime }, "zypper")!, root),
      // Debian's rpm keeps its database in the home of its user.
      rpm: below(programPath({ runtime }, "rpm")!, root, "--dbpath /var/lib/rpm"),
      ...programs(directory),
    });
    const made = await stateMinion(variables, { pkg: states, pkgrepo: repoStates }, {
      ...options,
      opts: { cachedir: `${directory}/minion` },
      grains: { os: "SLES", os_family: "Suse", osarch: "x86_64", osrelease_info: [15, 5] },
    });
    await makeRepository(runtime, made.minion, directory, packages);
    const ask: ZypperRoot["ask"] = (fun, positional = [], keyword = {}) =>
      made.minion.value(fun, ...positional, kwargs({ root, ...keyword }));
    await ask("pkg.mod_repo", ["local"], { url: `file:${directory}/repo`, gpgcheck: false, name: "Local" });
    await use({ ...made, directory, root, ask });
  });
}

const ALL = [["alpha", "1.0"], ["alpha", "1.5"], ["alpha", "2.0"], ["beta", "1.0"]] as const;

describe("zypper", { skip }, () => {
  test("pkg.installed, latest and removed change real packages", { timeout: 120_000 }, async () => {
    await withZypper(ALL, async ({ state, minion, root }) => {
      assert.deepEqual(await minion.value("pkg.refresh_db"), { Local: true });
      assert.deepEqual(await minion.value("pkg.refresh_db", kwargs({ force: false })), { Local: false });
      const dry = await state("pkg.installed", { name: "alpha" }, true);
      assert.deepEqual([dry.result, dry.comment], [null, "The following packages would be installed/updated: alpha"]);
      assert.deepEqual(await state("pkg.installed", { name: "alpha", version: "1.5-1" }), {
        name: "alpha",
        changes: { alpha: { old: "", new: "1.5-1" } },
        result: true,
        comment: "The following packages were installed/updated: alpha=1.5-1",
      });
      assert.equal(runtime.fs.readText(`${root}/etc/alpha.conf`), "1.5\n");
      assert.deepEqual(await minion.value("pkg.list_upgrades", kwargs({ refresh: false })), { alpha: "2.0-1" });
      assert.equal(await minion.value("pkg.latest_version", "alpha", kwargs({ refresh: false })), "2.0-1");
      const newest = await state("pkg.latest", { name: "alpha", refresh: false });
      assert.deepEqual(newest.changes, { alpha: { old: "1.5-1", new: "2.0-1" } });
      const older = await minion.value("pkg.install", kwargs({ pkgs: ["beta", { alpha: "1.0-1" }] }));
      assert.deepEqual(older, { alpha: { old: "2.0-1", new: "1.0-1" }, beta: { old: "", new: "1.0-1" } });
      assert.deepEqual(await minion.value("pkg.install", "alpha", kwargs({ version: "<=1.*" })), {
        alpha: { old: "1.0-1", new: "1.5-1" },
      });
      assert.deepEqual(await minion.value("pkg.upgrade", kwargs({ refresh: false })), {
        alpha: { old: "1.5-1", new: "2.0-1" },
      });
      assert.deepEqual((await state("pkg.removed", { name: "alpha" })).changes, { alpha: { old: "2.0-1", new: "" } });
      assert.deepEqual(await minion.value("pkg.list_pkgs"), { beta: "1.0-1" });
      assert.deepEqual(await minion.value("pkg.version", "alpha"), {});
      const none = await state("pkg.installed", { name: "nosuch" });
      assert.match(String(none.comment), /^An error was encountered while .*: Package 'nosuch' not found\./);
      await assert.rejects(minion.value("pkg.install", "alpha", kwargs({ version: "<<1" })), /operator "<<"/);
    });
  });

  test("what there is: search, versions, files, what was altered", { timeout: 120_000 }, async () => {
    await withZypper(ALL, async ({ minion, ask, directory, root }) => {
      await ask("pkg.refresh_db");
      assert.deepEqual(await minion.value("pkg.list_repo_pkgs", "al*", kwargs({ byrepo: true })), {
        Local: { alpha: ["2.0-1", "1.5-1", "1.0-1"] },
      });
      assert.deepEqual(await ask("pkg.search", ["alpha"], { match: "exact" }), {
        alpha: { status: "not-installed", name: "alpha", summary: "for tests", kind: "package" },
      });
      await assert.rejects(ask("pkg.search", ["nosuch"]), /No packages found matching 'nosuch'/);
      const capabilities = { resolve_capabilities: true };
      assert.deepEqual(await ask("pkg.resolve_capabilities", [["config(beta)", { alpha: "1.0" }]], capabilities), [
        "beta",
        { alpha: "1.0" },
      ]);
      const info = await ask("pkg.info_available", ["alpha"], { refresh: false }) as Record<string, Args>;
      assert.deepEqual([info.alpha!.version, info.alpha!.installed], ["2.0-1", false]);
      const source = [{ alpha: `${directory}/repo/alpha-1.5.rpm` }];
      assert.deepEqual(await ask("pkg.install", [], { sources: source, skip_verify: true }), {
        alpha: { old: "", new: "1.5-1" },
      });
      runtime.fs.write(`${root}/etc/alpha.conf`, "another\n", { mode: 0o644 });
      const verified = await minion.value("pkg.verify", "alpha") as Record<string, { mismatch: string[] }>;
      assert.deepEqual(verified["/etc/alpha.conf"]!.mismatch.slice(0, 2), ["size", "md5sum"]);
      assert.equal(await minion.value("pkg.owner", "/etc/alpha.conf"), "alpha");
      assert.equal(await minion.value("pkg.owner", "/nosuch"), "");
      const fetched = await ask("pkg.download", ["beta", "nosuch"]) as Record<string, Args>;
      assert.equal(fetched.beta!["repository-alias"], "local");
      assert.equal(fetched._error, "The following package(s) failed to download: nosuch");
      const there = await ask("pkg.list_downloaded") as Record<string, Record<string, Args>>;
      assert.equal(there.beta!["1.0-1"]!.path, fetched.beta!.path);
    });
  });

  test("pkg.held and unheld; repositories that change", { timeout: 120_000 }, async () => {
    await withZypper([["alpha", "1.0"]], async ({ ask, minion, directory }) => {
      await minion.value("pkg.refresh_db");
      await minion.value("pkg.install", "alpha");
      const held = await ask("pkg.hold", [], { pkgs: ["alpha", { beta: "1.5" }] }) as Record<string, Args>;
      assert.deepEqual(held.alpha!.changes, { new: "hold", old: "" });
      assert.deepEqual(Object.keys(await ask("pkg.list_locks") as object), ["alpha", "beta"]);
      assert.deepEqual(await ask("pkg.list_holds"), ["alpha-0:1.0-1.*"]);
      assert.deepEqual(await ask("pkg.list_holds", ["bet\\w"], { full: false }), []);
      const freed = await ask("pkg.unhold", [], { pkgs: ["alpha", { beta: "9" }, "none"] }) as Record<string, Args>;
      assert.deepEqual(Object.values(freed).map(({ result, comment }) => [result, comment]), [
        [true, "Package alpha is no longer held."],
        [false, "Unable to unhold package beta as it is held with the other version."],
        [true, "Package none was already unheld."],
      ]);
      const known = {
        name: "Local",
        enabled: true,
        autorefresh: false,
        gpgcheck: false,
        alias: "local",
      };
      const baseurl = `file:${directory}/repo`;
      assert.deepEqual(await ask("pkg.get_repo", ["local"]), { ...known, baseurl });
      assert.deepEqual(await ask("pkg.mod_repo", ["local"]), {
        ...known,
        baseurl,
        comment: "Specified arguments did not result in modification of repo",
      });
      await assert.rejects(ask("pkg.mod_repo", ["other"], { url: baseurl }), /'other' already exists as 'local'/);
      const moved = await ask("pkg.mod_repo", ["local"], { baseurl: "file:/elsewhere", priority: 9 });
      assert.deepEqual(moved, { ...known, baseurl: "file:/elsewhere", priority: "9", keeppackages: false });
      assert.deepEqual(await ask("pkg.del_repo", ["local"]), {
        local: true,
        message: "Repository 'Local' has been removed.",
      });
      await assert.rejects(ask("pkg.del_repo", ["local"]), /Repository 'local' not found\./);
    });
  });

  test("products and patches as zypper prints them; another zypper is waited for", { timeout: 120_000 }, async () => {
    const said = (directory: string) => ({
      zypper: `case "$*" in
        *--xmlout*products*) cat ${directory}/products.xml;;
        *" se -t patch"*) cat ${directory}/patches.xml;;
        *"refresh --force"*) exit 7;;
        *) exec ${programPath({ runtime }, "zypper")} --root ${directory}/root "$@";;
      esac`,
    });
    const { promise: blocked, resolve } = Promise.withResolvers<string>();
    const master: MasterLink = {
      fireEvent: (tag) => {
        resolve(tag);
        return Promise.resolve(true);
      },
      fireLocal: () => {},
      request: () => Promise.reject(new Error("nobody asks")),
    };
    await withZypper(
      [],
      async ({ ask, minion, directory }) => {
        runtime.fs.write(
          `${directory}/products.xml`,
          `<?xml version='1.0'?><stream><product-list><product name="SLES" version="15.5" isbase="true" ` +
            `installed="1" registerrelease=""><endoflife time_t="0" text="0"/><description>a\n  b &amp; c` +
            `</description></product></product-list></stream>`,
        );
        const kinds = ["installed", "not-installed"].map((status) =>
          `<solvable status="${status}" name="fix-${status}" summary="A fix" kind="patch"/>`
        );
        runtime.fs.write(`${directory}/patches.xml`, `<stream>${kinds.join("")}</stream>`);
        assert.deepEqual(await ask("pkg.list_products"), [{
          name: "SLES",
          version: "15.5",
          isbase: true,
          installed: true,
          eol: "0",
          eol_t: 0,
          description: "a b & c",
        }]);
        assert.deepEqual(await ask("pkg.list_installed_patches"), {
          "fix-installed": { installed: true, summary: "A fix" },
        });
        const stopped = new AbortController();
        const waiting = minion.run("pkg.refresh_db", [], { signal: stopped.signal });
        assert.equal(await blocked, "zypper/blocked");
        stopped.abort(new Error("enough"));
        await assert.rejects(waiting, /enough/);
      },
      said,
      { master },
    );
  });
});

type Args = Record<string, unknown>;
