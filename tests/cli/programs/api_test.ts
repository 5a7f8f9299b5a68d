import assert from "node:assert/strict";
import { test } from "node:test";
import { rooted } from "../../../cli/programs/api.ts";

test("salt-api's pid file and log are below the master's root, unless they are set", () => {
  const opts = { root_dir: "/srv/run" };
  assert.equal(rooted(opts, undefined, "/var/run/salt-api.pid"), "/srv/run/var/run/salt-api.pid");
  assert.equal(rooted(opts, null, "/var/log/salt/api"), "/srv/run/var/log/salt/api");
  assert.equal(rooted({ root_dir: "/" }, undefined, "/var/run/salt-api.pid"), "/var/run/salt-api.pid");
  assert.equal(rooted(opts, "/run/api.pid", "/var/run/salt-api.pid"), "/run/api.pid");
});
