import assert from "node:assert/strict";
import { test } from "node:test";
import { absentRunner } from "../../../src/host/runner/absent_runners.ts";
import { RUNNERS } from "../../../src/plugins/runners/mod.ts";

for (
  const [name, want] of [
    ["cloud.query", /^ Brine does not have it: there is no salt-cloud: .* install the minion there\.$/],
    ["ssh.cmd", /there is no salt-ssh: install the minion/],
    ["http.update_ca_bundle", /update the system's/],
    ["pkg", /salt '\*' pkg\.list_upgrades/],
  ] as const
) {
  test(`a runner of real Salt's that is not here is refused with the way out: ${name}`, () =>
    assert.match(absentRunner(name), want));
}

test("nothing is said of names that real Salt does not have, nor of functions that are here", () => {
  for (const name of ["nosuch.fun", "manage.nosuch", "http.query", "toString.x", "__proto__.x"]) {
    assert.equal(absentRunner(name), "", name);
  }
  for (const module of Object.keys(RUNNERS)) assert.equal(absentRunner(`${module}.x`), "", module);
});
