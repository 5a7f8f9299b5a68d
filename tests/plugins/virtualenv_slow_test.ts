/** Environments in a directory. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { programPath } from "../../src/plugins/commands.ts";
import { states } from "../../src/plugins/states/virtualenv_mod.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { kwargs } from "../support/context.ts";
import { stateMinion } from "../support/state_job.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();
const without = programPath({ runtime }, "virtualenv") === undefined ? "there is no virtualenv" : false;

test("virtualenv.managed makes an environment, once", { skip: without, timeout: 120_000 }, async () => {
  await inTemporary(runtime, async (directory) => {
    const { minion, state } = await stateMinion({ VIRTUALENV_OVERRIDE_APP_DATA: directory }, { virtualenv: states });
    const name = `${directory}/venv`;
    const managed = { name, venv_bin: "virtualenv" };
    assert.equal((await state("virtualenv.managed", managed, true)).comment, `Virtualenv ${name} is set to be created`);
    assert.equal((await state("virtualenv.managed", managed)).comment, "Created new virtualenv");
    assert.equal((await state("virtualenv.managed", managed)).comment, "virtualenv exists");
    assert.match(String(await minion.value("virtualenv.get_site_packages", name)), /venv\/lib\/.*site-packages$/);
    await assert.rejects(minion.value("virtualenv.get_site_packages", directory), /does not appear to be a virtualenv/);
  });
});

test("virtualenv.create: the words of virtualenv and of venv, and what they do not take", async () => {
  await inTemporary(runtime, async (directory) => {
    const words = `${directory}/words`;
    const script = (version: string) =>
      `#!/bin/sh\n[ "$1" = --version ] && echo "virtualenv ${version} from /x" && exit\nprintf '%s\\n' "$@" > ${words}\n`;
    runtime.fs.mkdir(`${directory}/bin`, 0o755);
    for (
      const [name, version] of [["virtualenv", "20.17.1+ds"], ["virtualenv-old", "1.9.1"], ["python3", ""]] as const
    ) {
      runtime.fs.write(`${directory}/bin/${name}`, script(version), { mode: 0o755 });
    }
    const { minion } = await stateMinion({ PATH: `${directory}/bin:/usr/bin:/bin` }, {});
    const create = async (options: Record<string, unknown>) => {
      await minion.value("virtualenv.create", `${directory}/e`, kwargs(options));
      return runtime.fs.readText(words).trim().split("\n").slice(0, -1);
    };
    assert.deepEqual(await minion.value("virtualenv.virtualenv_ver", "virtualenv"), [20, 17, 1]);
    const all = { distribute: true, never_download: true, extra_search_dir: "a, b", prompt: "p q", clear: true };
    const search = ["--extra-search-dir=a", "--extra-search-dir=b"];
    assert.deepEqual(await create({ ...all, python: "python3" }), [
      "--python=python3",
      ...search,
      "--never-download",
      "--prompt=p q",
      "--clear",
    ]);
    assert.deepEqual(await create({ ...all, venv_bin: "virtualenv-old" }), [
      "--distribute",
      ...search,
      "--never-download",
      "--prompt=p q",
      "--clear",
    ]);
    const venv = { upgrade: true, symlinks: true, prompt: "p q", system_site_packages: true };
    const own = ["-m", "venv", "--upgrade", "--symlinks", "--prompt", "p q", "--system-site-packages"];
    assert.deepEqual(await create({ ...venv, venv_bin: "venv" }), own);
    assert.deepEqual(await create({ ...venv, venv_bin: "python3" }), own);
    for (
      const [options, message] of [
        [{ venv_bin: "virtualenv", upgrade: true }, /`upgrade`\(`--upgrade`\) option is not supported by 'virtualenv'/],
        [{ venv_bin: "venv", never_download: true }, /`never_download`\(`--never-download`\)/],
        [{ venv_bin: "pyvenv", python: "python3" }, /`python`\(`--python`\) option is not supported by 'pyvenv'/],
        [{ venv_bin: "python3", python: "python3" }, /either as `venv_bin` or as `python`, not both/],
        [{ venv_bin: "venv", python: "nosuch" }, /Cannot find requested python \(nosuch\)/],
      ] as const
    ) await assert.rejects(create(options), message);
  });
});
