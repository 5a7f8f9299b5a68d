/** States on hosts that lack what they look at, as real Salt 3006 answers there. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { stateCaller } from "../../support/state_calls.ts";
import { memoryHost } from "../../support/memory_host.ts";

test("sysctl.present: a configuration file that is missing has no settings, in a dry run too", async () => {
  const { minion: { runtime } } = await memoryHost({ programs: ["sysctl"] });
  const modules = { sysctl: () => import("../../../src/plugins/modules/sysctl.ts") };
  const get = { signature: "name", doc: "", run: () => "0" };
  const state = await stateCaller({
    runtime,
    modules: {
      sysctl: async () => {
        const { module } = await modules.sysctl();
        return { module: { ...module, functions: { ...module.functions, get } } };
      },
    },
  });
  const args = { name: "net.ipv4.ip_forward", value: 1, config: "/missing/x" };
  const { result, comment } = await state("sysctl.present", args, { test: true });
  assert.deepEqual([result, comment], [null, "Sysctl option net.ipv4.ip_forward set to be changed to 1"]);
});

for (const fun of ["masked", "unmasked"]) {
  test(`service.${fun}: what is masked is seen without a systemd that runs`, async () => {
    const { minion: { runtime }, fs } = await memoryHost({ programs: ["systemctl"] });
    fs.mkdir("/etc/init.d");
    const state = await stateCaller({ runtime });
    const { result, comment } = await state(`service.${fun}`, { name: "x" }, { test: true });
    const [want, why] = fun === "masked"
      ? [null, "Service x would be masked"]
      : [true, "Service x was already unmasked"];
    assert.deepEqual([result, comment], [want, why]);
    // A unit of the host's own is looked up by Salt, which a systemd that does not run cannot do.
    fs.mkdir("/etc/systemd/system", 0o755);
    fs.write("/etc/systemd/system/x.service", "");
    const offline = "Cannot run in offline mode. Failed to get information on unit 'x'";
    for (const test of [true, false]) {
      const real = await state(`service.${fun}`, { name: "x" }, { test });
      assert.deepEqual([real.result, real.comment], [false, offline]);
    }
  });
}
