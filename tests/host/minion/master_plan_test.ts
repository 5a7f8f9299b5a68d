/** Which masters the options name, in which order, and what is refused. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { minionOptions } from "../../../src/model/config/given.ts";
import type { MinionOpts } from "../../../src/model/config/minion_opts.ts";
import { parseMaster } from "../../../src/host/minion/master_address.ts";
import { crc32, masterPlan, printPlan } from "../../../src/host/minion/master_plan.ts";

const none = () => 0;
const plan = (values: Partial<MinionOpts>, random = none) => {
  const made = masterPlan({ ...minionOptions({ id: "web1" }), ...values }, random);
  return `${made.serve}: ${printPlan(made)}`;
};

describe("masterPlan()", () => {
  const three = ["a", "b", "c"];
  for (
    const [name, values, want] of [
      ["one master", { master: "salt.example" }, "all: salt.example:4506"],
      ["a list, all of which are served", { master: three }, "all: a:4506, b:4506, c:4506"],
      ["text with commas", { master: "a, b:1,,[::1]:2" }, "all: a:4506, b:1, [::1]:2"],
      ["a master named twice", { master: ["a", "a:4506", "b"] }, "all: a:4506, b:4506"],
      ["a port for those without one", { master: ["a", "b:7", "::1"], master_port: 9 }, "all: a:9, b:7, [::1]:9"],
      ["failover", { master: three, master_type: "failover" }, "one: a:4506, b:4506, c:4506"],
      ["failover with one master as text", { master: "a", master_type: "failover" }, "one: a:4506"],
      ["no master", { master_type: "disable" }, "none: "],
      [
        "addresses alone",
        { master: ["10.0.0.1", "fe80::1"], master_uri_format: "ip_only" },
        "all: 10.0.0.1:4506, [fe80::1]:4506",
      ],
      ["random order", { master: three, random_master: true }, "all: b:4506, c:4506, a:4506"],
      [
        "random order by its old name",
        { master: three, master_shuffle: true, master_type: "failover" },
        "one: b:4506, c:4506, a:4506",
      ],
      [
        "random order behind the master to go back to",
        { master: three, random_master: true, master_type: "failover", master_failback: true },
        "one: a:4506, c:4506, b:4506",
      ],
    ] as [string, Partial<MinionOpts>, string][]
  ) test(name, () => assert.equal(plan(values), want));

  test("distributed: the id chooses the first, as Salt's CRC-32 does, and the others follow in order", () => {
    assert.equal(crc32("123456789"), 0xcbf43926);
    for (const [id, first] of [["web1", "c"], ["web4", "a"], ["web5", "b"]] as const) {
      const others = three.filter((one) => one !== first);
      const want = `one: ${[first, ...others].map((one) => `${one}:4506`).join(", ")}`;
      assert.equal(plan({ id, master: three, master_type: "distributed" }), want, id);
      assert.equal(three[crc32(id) % 3], first);
    }
  });

  for (
    const [name, values, why] of [
      ["func, with a way out", { master_type: "func" }, /master_type: func.*Write the address into the option master/],
      [
        "a type that does not exist",
        { master_type: "failsafe" },
        /Unknown master_type "failsafe": expected one of str, failover/,
      ],
      ["a format that does not exist", { master_uri_format: "url" }, /Unknown master_uri_format "url"/],
      [
        "a name where addresses are asked for",
        { master: "salt", master_uri_format: "ip_only" },
        /"salt".*expected an IP address/,
      ],
      ["no master at all", { master: [] }, /No master is configured/],
      ["a map", { master: [{ a: 1 }] }, /Cannot use \{"a":1\} as a master/],
      ["a port that does not exist", { master: "a:70000" }, /port 70000 of the master "a:70000".*1 to 65535/],
      ["a port that is none", { master: "a:http" }, /port http/],
      ["a URL", { master: "tcp://a:4506" }, /expected host, host:port/],
      ["a name in brackets", { master: "[salt]:4506" }, /expected an IPv6 address in the brackets/],
      ["two words", { master: "a b" }, /expected host/],
    ] as [string, Partial<MinionOpts>, RegExp][]
  ) test(`refuses ${name}`, () => assert.throws(() => plan(values), why));

  for (
    const [option, value, why] of [
      ["master_port", 0, /master_port is 0: expected a whole number from 1 to 65535/],
      ["master_type", "failsafe", /master_type is "failsafe": expected str, failover, distributed, disable or func/],
      ["master_uri_format", "url", /master_uri_format is "url": expected default or ip_only/],
      ["master_failback", "maybe", /master_failback is "maybe": expected True or False/],
      ["master_failback_interval", -1, /master_failback_interval is -1: expected a number of at least 0/],
      ["acceptance_wait_time", -10, /acceptance_wait_time is -10/],
      ["auth_timeout", 0, /auth_timeout is 0: expected a number from 0.1 to 3600/],
      ["return_retry_timer", -5, /return_retry_timer is -5/],
      ["source_ret_port", 99999, /source_ret_port is 99999: expected a whole number from 0 to 65535/],
    ] as [string, unknown, RegExp][]
  ) test(`refuses ${option}: ${value}`, () => assert.throws(() => minionOptions({ [option]: value }), why));
});

test("parseMaster takes IPv6 with a zone and without brackets", () => {
  assert.deepEqual(parseMaster("fe80::a00:27ff:fedc:ba98", 1), { host: "fe80::a00:27ff:fedc:ba98", port: 1 });
  assert.deepEqual(parseMaster("[fe80::1%eth0]:2", 1), { host: "fe80::1%eth0", port: 2 });
  assert.deepEqual(parseMaster("::ffff:10.0.0.1", 1), { host: "::ffff:10.0.0.1", port: 1 });
});
