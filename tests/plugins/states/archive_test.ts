/** `archive.extracted` with archives, and destinations, of somebody who is not root's friend. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { which } from "../../../src/plugins/linux/programs.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { stateHost } from "../../support/file_states.ts";
import { inTemporary } from "../temporary.ts";

const runtime = await currentRuntime();
const { fs } = runtime;
const skip = which(fs, "tar", runtime.process.env("PATH")) === undefined ? "the program tar is not there" : false;
const user = runtime.host.user().name;

async function tar(directory: string, ...words: string[]): Promise<void> {
  const child = await runtime.process.spawn({ argv: ["tar", "-C", directory, ...words], env: { PATH: path(runtime) } });
  assert.equal((await child.exited).code, 0);
}

const path = ({ process }: Runtime) => process.env("PATH") ?? "/usr/bin:/bin";

/** A directory with an archive's members to be, a victim, and a place to unpack. */
const withBed = (use: (directory: string, run: Awaited<ReturnType<typeof stateHost>>["run"]) => Promise<void>) =>
  inTemporary(runtime, async (directory) => {
    for (const name of ["in", "out", "victim/sub"]) fs.mkdir(`${directory}/${name}`);
    fs.write(`${directory}/victim/file`, "mine");
    const { run } = await stateHost({ opts: { cachedir: `${directory}/cache` } });
    await use(directory, run);
  });

describe("archive.extracted", { skip, timeout: 60_000 }, () => {
  test("a directory that the archive replaces with a link is given to nobody", () =>
    withBed(async (directory, run) => {
      const [archive, member] = [`${directory}/a.tar`, `${directory}/in/d`];
      fs.mkdir(member);
      await tar(`${directory}/in`, "-cf", archive, "d");
      fs.remove(member);
      fs.symlink(`${directory}/victim`, member);
      await tar(`${directory}/in`, "-rf", archive, "d");
      const name = `${directory}/out/`;
      const ret = await run("archive.extracted", { name, source: archive, user, enforce_toplevel: false });
      assert.equal(ret.result, false);
      assert.match(String(ret.comment), /unable to change ownership on the following paths:\n\n- \S+\/out\/d\/$/);
    }));

  test("members with whole paths give nothing outside of the destination to the user", () =>
    withBed(async (directory, run) => {
      const archive = `${directory}/a.tar`;
      fs.mkdir(`${directory}/in/d`);
      await tar("/", "-P", "-cf", archive, `${directory}/in/d`);
      const name = `${directory}/out/`;
      const asked = { name, source: archive, user, enforce_toplevel: false, if_missing: null };
      // Below `/` all would belong to the user: it is not even looked at.
      const ret = await run("archive.extracted", asked, {
        callState: (fun) => assert.fail(`called ${fun}`),
      });
      assert.equal(ret.result, false);
      assert.match(String(ret.comment), /unable to change ownership on the following paths:\n\n- \/$/);
    }));

  test("force removes nothing below a link that stands in the destination", () =>
    withBed(async (directory, run) => {
      const archive = `${directory}/a.tar`;
      fs.mkdir(`${directory}/in/d/l/file`);
      await tar(`${directory}/in`, "-cf", archive, "d/l/file");
      fs.mkdir(`${directory}/out/d`);
      fs.symlink(`${directory}/victim`, `${directory}/out/d/l`);
      const ret = await run("archive.extracted", { name: `${directory}/out/`, source: archive, force: true });
      assert.equal(ret.result, false);
      assert.match(String(ret.comment), /it is not below/);
      assert.equal(fs.readText(`${directory}/victim/file`), "mine");
    }));
});
