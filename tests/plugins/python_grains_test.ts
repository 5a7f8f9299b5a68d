import assert from "node:assert/strict";
import { test } from "node:test";
import { createLogger } from "../../src/base/log.ts";
import { system } from "../../src/plugins/grains/core/os.ts";
import { python } from "../../src/plugins/grains/core.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { withEnvironment } from "../support/state_job.ts";
import { inTemporary } from "./temporary.ts";

test("the grains of python3 are asked for once, and again when it is another one", async () => {
  const runtime = await currentRuntime();
  await inTemporary(runtime, async (directory) => {
    const { fs } = runtime;
    fs.mkdir(`${directory}/bin`, 0o755);
    const program = `${directory}/bin/python3`;
    const install = (text: string) =>
      fs.write(program, `#!/bin/sh\necho run >>${directory}/runs\n${text}\n`, { mode: 0o755 });
    const runs = () => fs.stat(`${directory}/runs`) === undefined ? 0 : fs.readText(`${directory}/runs`).length / 4;
    const context = {
      runtime: { ...runtime, ...withEnvironment({ PATH: `${directory}/bin` }) },
      log: createLogger(() => {}),
      opts: { cachedir: `${directory}/cache` },
    };
    install(`echo '[[3, 11, 2, "final", 0], ["/usr/lib/python3.11"], "/usr/bin/python3"]'`);
    const first = {
      pythonversion: [3, 11, 2, "final", 0],
      pythonpath: ["/usr/lib/python3.11"],
      pythonexecutable: "/usr/bin/python3",
    };
    assert.deepEqual([await python(context), runs()], [first, 1]);
    assert.deepEqual([await python(context), runs()], [first, 1]);
    // What was kept by half is no reason to go without.
    fs.write(`${directory}/cache/python.json`, '{"of":');
    assert.deepEqual([await python(context), runs()], [first, 2]);
    install(`echo '[[3, 13, 0, "final", 0], ["/usr/lib/python3.13.x"], "/usr/bin/python3"]'`);
    assert.deepEqual([(await python(context)).pythonversion, runs()], [[3, 13, 0, "final", 0], 3]);
    install("exit 1");
    assert.deepEqual(await python(context), {});
    // Without a place to keep it, it is asked each time.
    install(`echo '[[3, 9, 0, "final", 0], [], ""]'`);
    assert.deepEqual((await python({ ...context, opts: {} })).pythonversion, [3, 9, 0, "final", 0]);
  });
});

test("systemctl is asked for its version once, and again when its file is another one", async () => {
  const runtime = await currentRuntime();
  await inTemporary(runtime, async (directory) => {
    const { fs } = runtime;
    fs.mkdir(`${directory}/bin`, 0o755);
    const install = (version: string) =>
      fs.write(
        `${directory}/bin/systemctl`,
        `#!/bin/sh\necho run >>${directory}/runs\necho 'systemd ${version}'\necho '+PAM -SELINUX'\n`,
        { mode: 0o755 },
      );
    fs.write(`${directory}/bin/localectl`, "", { mode: 0o755 });
    const runs = () => fs.readText(`${directory}/runs`).length / 4;
    const context = {
      runtime: { ...runtime, ...withEnvironment({ PATH: `${directory}/bin` }) },
      log: createLogger(() => {}),
      opts: { cachedir: `${directory}/cache` },
    };
    install("252 (252.39)");
    const first = { version: "252", features: "+PAM -SELINUX" };
    assert.deepEqual([(await system(context)).systemd, runs()], [first, 1]);
    assert.deepEqual([(await system(context)).systemd, runs()], [first, 1]);
    install("257.9 (257.9-1)");
    assert.deepEqual([(await system(context)).systemd, runs()], [{ ...first, version: "257.9" }, 2]);
  });
});
