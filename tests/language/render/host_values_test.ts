import assert from "node:assert/strict";
import { test } from "node:test";
import { SALT_MINION_DEFAULTS } from "../../../src/model/config/salt_defaults.ts";
import { silentLogger } from "../../../src/base/log.ts";
import { mapOf } from "../../../src/language/python/values.ts";
import { templateValues } from "../../../src/language/render/host_values.ts";
import { jinja } from "../../../src/language/render/jinja.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";

const render = jinja(await currentRuntime());

test("opts has Salt's defaults, and the grains and the pillar that the template itself has", async () => {
  const host = {
    grains: mapOf([["os", "Debian"]]),
    pillar: mapOf([["app", mapOf([["port", 80]])]]),
    opts: mapOf([["id", "m1"], ["grains", mapOf([["os", "static"]])], ["ipc_mode", "tcp"]]),
  };
  const text = await render(
    "{% do pillar.app.update({'port': 81}) %}{{ opts.id }} {{ opts.cython_enable }} {{ opts.ipc_mode }} {{ opts.grains.os }} " +
      "{{ opts.pillar.app.port }} {{ opts.nothing_of_this_name is defined }}",
    {
      path: "/x.sls",
      name: "x.sls",
      sls: "x",
      saltenv: "base",
      argline: "",
      context: {},
      load: () => undefined,
      log: silentLogger,
      ...templateValues(host, SALT_MINION_DEFAULTS),
    },
  );
  assert.equal(text, "m1 False tcp Debian 81 False");
  assert.deepEqual(host.pillar, mapOf([["app", mapOf([["port", 80]])]]));
});
