/** cmd.run_chroot, with programs that stand in for chroot and mount: a real mount in a test's directory could be removed with it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModuleRegistry } from "../../src/model/loader/loader.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { kwargs, testMinion } from "../support/context.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();

/** Tells how it was called, and what it reads. */
const CHROOT = `#!/bin/sh
printf '[%s]' "$@"
cat
exit 7
`;

async function scene(
  use: (
    run: (...arg: unknown[]) => Promise<unknown>,
    root: string,
    mounts: string[],
  ) => Promise<void>,
): Promise<void> {
  await inTemporary(runtime, async (directory) => {
    const { fs } = runtime;
    fs.mkdir(`${directory}/root/sys`);
    for (const name of ["dev", "proc", "srv"]) fs.mkdir(`${directory}/root/${name}`);
    fs.write(`${directory}/chroot`, CHROOT, { mode: 0o755 });
    const mounts: string[] = [];
    const modules: ModuleRegistry = {
      mount: () =>
        Promise.resolve({
          module: {
            functions: {
              mount: {
                signature: "name, device=None, fstype='', opts='defaults'",
                doc: "",
                run(_, { name, device, fstype, opts }) {
                  mounts.push(`mount ${name} ${device} ${fstype} ${opts}`);
                  return device === "sysfs" ? "permission denied" : true;
                },
              },
              umount: { signature: "name", doc: "", run: (_, { name }) => mounts.push(`umount ${name}`) > 0 },
            },
          },
        }),
    };
    const path = `${directory}:/usr/bin:/bin`;
    const process = {
      ...runtime.process,
      pid: runtime.process.pid,
      env: (name: string) => name === "PATH" ? path : runtime.process.env(name),
      environment: () => ({ ...runtime.process.environment(), PATH: path }),
    };
    const minion = await testMinion({ runtime: { process }, modules });
    await use((...arg) => minion.value("cmd.run_chroot", ...arg), fs.realpath(`${directory}/root`), mounts);
  });
}

test("cmd.run_chroot: a shell in there reads the command, with what programs expect mounted as long", async () => {
  await scene(async (run, root, mounts) => {
    const words = ["a 'b  c' | d", kwargs({ stdin: "input", runas: "web", group: "www", binds: ["/srv"] })];
    const { pid: _, ...got } = await run(root, ...words) as Record<string, unknown>;
    const stdout = `[--userspec][web:www][${root}][/bin/sh][-c][a 'b  c' | d]input`;
    assert.deepEqual(got, { retcode: 7, stdout, stderr: "" });
    assert.deepEqual(mounts, [
      `mount ${root}/dev devtmpfs devtmpfs defaults`,
      `mount ${root}/proc proc proc defaults`,
      `mount ${root}/sys sysfs sysfs defaults`,
      `mount ${root}/srv /srv  bind`,
      `umount ${root}/srv`,
      // What could not be mounted is not unmounted.
      `umount ${root}/proc`,
      `umount ${root}/dev`,
    ]);
  });
});

test("cmd.run_chroot: uses its bash, and joins words to one command", async () => {
  await scene(async (run, root) => {
    runtime.fs.mkdir(`${root}/bin`);
    runtime.fs.write(`${root}/bin/bash`, "", { mode: 0o755 });
    const { stdout } = await run(root, ["ls", "-l"]) as { stdout: string };
    assert.equal(stdout, `[${root}][/bin/bash][-c][ls -l]`);
  });
});

test("cmd.run_chroot: mounts nothing on the target of a link, which may be outside", async () => {
  await scene(async (run, root, mounts) => {
    runtime.fs.remove(`${root}/dev`, { recursive: true });
    runtime.fs.symlink("/dev", `${root}/dev`);
    await run(root, "true", kwargs({ binds: ["/", "/../../etc", "/none"] }));
    assert.deepEqual(mounts.filter((line) => !/\/(?:proc|sys)\b/.test(line)), []);
  });
});

test("cmd.run_chroot: refuses anything but a separate root directory", async () => {
  await scene(async (run, root, mounts) => {
    runtime.fs.symlink("/", `${root}/everything`);
    for (const bad of ["/", "//", "relative", `${root}/none`, `${root}/everything`]) {
      await assert.rejects(run(bad, "true"), /root must be the path of a directory other than \//, bad);
    }
    assert.deepEqual(mounts, []);
  });
});
