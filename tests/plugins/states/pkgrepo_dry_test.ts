import assert from "node:assert/strict";
import { test } from "node:test";
import { states } from "../../../src/plugins/states/pkgrepo.ts";
import { stateMinion } from "../../support/state_job.ts";

const pkg = () =>
  Promise.resolve({
    module: {
      functions: {
        get_repo: { signature: "repo, **kwargs", doc: "", run: () => ({}) },
        mod_repo: { signature: "repo, **kwargs", doc: "", run: () => ({}) },
      },
    },
  });

for (
  const { name, keyword, says } of [
    { name: "a file of another kind", keyword: { file: "/etc/apt/x.conf" }, says: /must end in "\.list"/ },
    { name: "ppa_auth", keyword: { ppa_auth: "me:secret" }, says: /ppa_auth is not supported/ },
    { name: "a line that is none", keyword: { name: "garbage" }, says: /'garbage' is not a well formatted definition/ },
  ]
) {
  test(`pkgrepo.managed: a dry run refuses ${name} as the run does`, async () => {
    const options = { grains: { os_family: "Debian" }, modules: { pkg } };
    const { state } = await stateMinion({}, { pkgrepo: states }, options);
    const dry = await state("pkgrepo.managed", { name: "deb http://x/ sid main", ...keyword }, true);
    assert.equal(dry.result, false);
    assert.match(String(dry.comment), says);
  });
}

test("pkgrepo.managed: a dry run of a key without signed-by would configure it", async () => {
  const options = { grains: { os_family: "Debian" }, modules: { pkg } };
  const { state } = await stateMinion({}, { pkgrepo: states }, options);
  const dry = await state("pkgrepo.managed", { name: "deb http://x/ sid main", key_url: "salt://k.asc" }, true);
  assert.equal(dry.result, null);
});
