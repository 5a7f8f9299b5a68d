import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { AFTER_JOB, DEBIAN_PACKAGES, maintainerScripts } from "../../scripts/packages/debian.ts";

test("a package enables its daemon, but not where install.sh --no-start installs it", (t) => {
  const stubs = mkdtempSync(path.join(tmpdir(), "brine-postinst-"));
  t.after(() => rmSync(stubs, { recursive: true, force: true }));
  const calls = path.join(stubs, "calls");
  for (const name of ["deb-systemd-helper", "deb-systemd-invoke", "systemctl", "after-job"]) {
    writeFileSync(path.join(stubs, name), `#!/bin/sh\necho ${name} "$@" >>${calls}\n`);
    chmodSync(path.join(stubs, name), 0o755);
  }
  const minion = DEBIAN_PACKAGES.find(({ name }) => name === "brine-minion")!;
  const script = maintainerScripts(minion).postinst!.replaceAll(AFTER_JOB, "after-job");
  const install = (env: Record<string, string>) => {
    rmSync(calls, { force: true });
    const { status, stderr } = spawnSync("/bin/sh", ["-c", script, "postinst", "configure"], {
      encoding: "utf8",
      env: { PATH: `${stubs}:/usr/bin:/bin`, ...env },
    });
    assert.equal(status, 0, stderr);
    return existsSync(calls) ? readFileSync(calls, "utf8").split("\n").slice(0, -1) : [];
  };
  assert.equal(install({})[0], "deb-systemd-helper enable salt-minion.service");
  assert.deepEqual(install({ BRINE_NO_START: "1" }), []);
});
