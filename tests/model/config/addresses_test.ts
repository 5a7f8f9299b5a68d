import assert from "node:assert/strict";
import { test } from "node:test";
import { familyOf, interfacesOf, keepAliveOf } from "../../../src/model/config/url.ts";
import { MASTER_OPTIONS } from "../../../src/model/config/master_opts.ts";
import { valueProblem } from "../../../src/model/config/option_values.ts";

for (
  const [given, want] of [
    ["0.0.0.0", ["0.0.0.0"]],
    ["[::1]", ["::1"]],
    [["127.0.0.1", "[::1]", "::1"], ["127.0.0.1", "::1"]],
    ["", ["0.0.0.0"]],
  ] as const
) test(`interfacesOf(): ${JSON.stringify(given)}`, () => assert.deepEqual(interfacesOf(given), want));

const problem = (option: "interface" | "ipv6", value: unknown) => valueProblem(option, value, MASTER_OPTIONS[option]);

test("interface takes an address or a list of them, and nothing else", () => {
  for (const value of ["::", ["127.0.0.1", "::1"]]) assert.equal(problem("interface", value), undefined);
  for (const value of [[], 5, { a: 1 }]) {
    assert.deepEqual(problem("interface", value)?.expected, "an address, or a list of addresses");
  }
  assert.equal(problem("ipv6", "maybe")?.expected, "True, False or nothing");
});

test("familyOf() is IPv6 first, IPv4 alone, or the system's order", () => {
  assert.deepEqual([true, false, null].map(familyOf), [6, 4, undefined]);
});

test("keepAliveOf() is the idle time, the system's for -1, or nothing", () => {
  const of = (tcp_keepalive: boolean, tcp_keepalive_idle: number) => keepAliveOf({ tcp_keepalive, tcp_keepalive_idle });
  assert.deepEqual([of(true, 60), of(true, -1), of(false, 60)], [60, 0, false]);
});
