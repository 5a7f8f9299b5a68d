/** pip: versions and requirements as it reads them, and packages of a directory in an environment of their own. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { programPath } from "../../src/plugins/commands.ts";
import { comparePep440, fulfilsPep440, type Specifier } from "../../src/plugins/packages/pep440.ts";
import { parseRequirement } from "../../src/plugins/states/pip/installed.ts";
import { states } from "../../src/plugins/states/pip.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { kwargs, testMinion } from "../support/context.ts";
import { stateMinion } from "../support/state_job.ts";
import { inTemporary } from "./temporary.ts";

test("versions of Python packages come in the order of PEP 440", () => {
  const ordered = [
    "1.dev0",
    "1.0.dev456",
    "1.0a1",
    "1.0a2.dev456",
    "1.0a12",
    "1.0b1.dev456",
    "1.0b2",
    "1.0rc1",
    "1.0",
    "1.0+abc",
    "1.0.post456.dev34",
    "1.0.post456",
    "1.1.dev1",
    "1.10",
    "1!0.1",
  ];
  assert.deepEqual(ordered.toReversed().sort((a, b) => comparePep440(a, b)!), ordered);
  assert.equal(comparePep440("1.0", "1.0.0"), 0);
  assert.equal(comparePep440("1.0-1", "1.0.post1"), 0);
  assert.equal(comparePep440("1.0alpha", "1.0a0"), 0);
  assert.equal(comparePep440("not a version", "1"), null);
});

for (
  const [version, specifiers, want] of [
    ["1.4.5", [["~=", "1.4.2"]], true],
    ["1.5", [["~=", "1.4.2"]], false],
    ["2.1", [["==", "2.*"], ["!=", "2.2"]], true],
    ["1.0rc1", [["<", "1.0"]], false],
    ["1.0rc1", [[">=", "1.0a1"]], true],
    ["1.0.post1", [[">", "1.0"]], false],
    ["1.1", [[">", "1.0"]], true],
  ] as [string, Specifier[], boolean][]
) {
  test(`${version} ${want ? "fulfils" : "does not fulfil"} ${specifiers.map((one) => one.join("")).join(",")}`, () => {
    assert.equal(fulfilsPep440(version, specifiers), want);
  });
}

test("requirements: a name with versions, a place, or an error", () => {
  assert.deepEqual(parseRequirement("Some_Pkg[x] >= 1.0, <2 ; os_name == 'posix'"), {
    name: "Some-Pkg",
    specifiers: [[">=", "1.0"], ["<", "2"]],
  });
  for (const place of ["git+https://x/y.git", "./here", "/there", "https://x/y.tar.gz"]) {
    assert.deepEqual(parseRequirement(place), { name: "", specifiers: [] }, place);
  }
  assert.deepEqual(parseRequirement("/w/some_pkg-1.0-py3-none-any.whl"), {
    name: "some-pkg",
    specifiers: [["==", "1.0"]],
  });
  for (const wrong of ["a=1", "a 1.0", "!"]) assert.throws(() => parseRequirement(wrong), SyntaxError, wrong);
});

const runtime = await currentRuntime();

/** Makes a wheel: a zip with a module and what is known of it. */
const WHEEL = `
import sys, zipfile
for name, version in (one.split("=") for one in sys.argv[2:]):
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(f"{sys.argv[1]}/{name}-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}.py", f"VERSION = {version!r}\\n")
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(f"{info}/RECORD", f"{name}.py,,\\n{info}/METADATA,,\\n{info}/WHEEL,,\\n{info}/RECORD,,\\n")
`;

async function reason(): Promise<string | false> {
  if (programPath({ runtime }, "python3") === undefined) return "there is no python3";
  const found = await (await testMinion()).run("cmd.retcode", ["python3 -c 'import venv, ensurepip'"]);
  return found.return === 0 ? false : "this python3 makes no virtual environments";
}

describe("pip", { skip: await reason() }, () => {
  test("pip.installed, uptodate and removed, in a virtual environment", { timeout: 120_000 }, async () => {
    await inTemporary(runtime, async (directory) => {
      const { minion, state } = await stateMinion({ PIP_NO_INDEX: "1", PIP_FIND_LINKS: directory }, { pip: states });
      const venv = `${directory}/venv`;
      const wheels = ["alpha=1.0", "alpha=1.5", "alpha=2.0", "beta=1.0"];
      await minion.value("cmd.run", ["python3", "-c", WHEEL, directory, ...wheels], kwargs({ python_shell: false }));
      await minion.value("cmd.run", ["python3", "-m", "venv", venv], kwargs({ python_shell: false }));
      const place = { bin_env: venv };
      const dry = await state("pip.installed", { name: "alpha<2", ...place }, true);
      assert.deepEqual([dry.result, dry.comment], [null, "Python package alpha<2 is set to be installed"]);
      const first = await state("pip.installed", { name: "x", pkgs: ["alpha<2,>=1", "beta"], ...place });
      assert.deepEqual([first.result, first.changes], [true, { "alpha==1.5": "Installed", "beta==1.0": "Installed" }]);
      const again = await state("pip.installed", { name: "alpha<2", ...place });
      assert.match(String(again.comment), /^Python package alpha<2 was already installed\n/);
      assert.equal(await minion.value("pip.is_installed", "Beta", kwargs(place)), true);
      assert.deepEqual(await minion.value("pip.list", "al", kwargs(place)), { alpha: "1.5" });
      const frozen = await minion.value("pip.list_freeze_parse", "b", kwargs(place));
      assert.deepEqual(frozen, { beta: "1.0" });
      assert.deepEqual(await minion.value("pip.list_upgrades", kwargs(place)), { alpha: "2.0 [wheel]" });
      const upgraded = await state("pip.uptodate", { name: "all", ...place });
      assert.equal(upgraded.comment, "Upgrade successful.");
      runtime.fs.write(`${directory}/r.txt`, "alpha==1.0\n");
      const required = await state("pip.installed", { name: "r", requirements: `${directory}/r.txt`, ...place });
      assert.deepEqual([required.result, required.changes], [true, { requirements: true }]);
      assert.deepEqual((await state("pip.removed", { name: "alpha", ...place })).changes, { alpha: "Removed" });
      assert.equal((await state("pip.removed", { name: "alpha", ...place })).comment, "Package is not installed.");
      const none = await state("pip.installed", { name: "nothing", ...place });
      assert.match(String(none.comment), /^Failed to install packages: nothing\. Error: /);
      const lost = await state("pip.installed", { name: "alpha", bin_env: `${directory}/nowhere` });
      assert.match(String(lost.comment), /^Error installing 'alpha': /);
    });
  });
});
