/** Filters of addresses, where golden files do not have the value: as real Salt 3006 answers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLogger } from "../../../src/base/log.ts";
import { jinja } from "../../../src/language/render/jinja.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";

const runtime = await currentRuntime();
const job = { path: "/t", saltenv: "base", argline: "", log: silentLogger, globals: {} };
const render = async (text: string) => String(await jinja(runtime)(text, job));

for (
  const [value, wrapped] of [
    ["'2001:db8::7'", "[2001:db8::7]"],
    ["'10.0.0.1'", "10.0.0.1"],
    ["'10.0.0.1/8'", "10.0.0.1/8"],
    ["'x'", "x"],
    ["5", "5"],
  ]
) {
  test(`ipwrap of ${value}`, async () => assert.equal(await render(`{{ ${value} | ipwrap }}`), wrapped));
}

test("ipwrap refuses an IPv6 network", async () => {
  await assert.rejects(render("{{ '2001:db8::7/64' | ipwrap }}"), /does not appear to be an IPv4 or IPv6 address/);
  await assert.rejects(render("{{ ['::1', '::1/64'] | ipwrap }}"), /'::1\/64' does not appear/);
});
