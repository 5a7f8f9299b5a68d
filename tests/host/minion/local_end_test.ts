/** From which address and ports a minion connects. */
import assert from "node:assert/strict";
import process from "node:process";
import { describe, test } from "node:test";
import { until } from "../../../bench/bed/until.ts";
import { minionOptions } from "../../../src/model/config/given.ts";
import type { MinionOpts } from "../../../src/model/config/minion_opts.ts";
import { endpointFrom, localEnd } from "../../../src/host/minion/local_end.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import type { InterfaceAddress } from "../../../src/runtime/host.ts";
import { startCluster } from "../../support/start_cluster.ts";

const address = (family: "IPv4" | "IPv6", address: string): InterfaceAddress => ({
  family,
  address,
  netmask: "",
  cidr: null,
  internal: false,
  mac: "",
});
const host = {
  interfaces: () => ({
    eth0: [address("IPv4", "10.0.0.2"), address("IPv6", "fd00::2")],
    wg0: [address("IPv4", "10.9.0.2")],
  }),
};

describe("localEnd()", () => {
  const end = (opts: Partial<MinionOpts>, master = "10.0.0.1") => {
    const { host: from, requestPort, publishPort } = localEnd(minionOptions(opts), host, { host: master, port: 4506 });
    return [from, requestPort, publishPort];
  };

  test("is the system's choice unless an option says otherwise", () => {
    assert.deepEqual(end({}), [undefined, 0, 0]);
    assert.deepEqual(end({ source_address: "10.0.0.9" }), ["10.0.0.9", 0, 0]);
    assert.deepEqual(end({ source_address: "[fd00::9]" }), ["fd00::9", 0, 0]);
    assert.deepEqual(end({ source_ret_port: 1234, source_publish_port: 1235 }), [undefined, 1234, 1235]);
  });

  test("is the interface's address of the master's family, before source_address", () => {
    assert.deepEqual(end({ source_interface_name: "eth0", source_address: "10.0.0.9" }), ["10.0.0.2", 0, 0]);
    assert.deepEqual(end({ source_interface_name: "eth0" }, "fd00::1"), ["fd00::2", 0, 0]);
  });

  for (
    const [name, opts, why] of [
      ["an interface that does not exist", { source_interface_name: "eth1" }, /"eth1".*expected one of eth0, wg0/],
      [
        "a name for an address",
        { source_address: "here.example" },
        /"here.example": expected an IP address of this host/,
      ],
      ["one port for both connections", { source_ret_port: 7, source_publish_port: 7 }, /port 7 .*expected two ports/],
    ] as [string, Partial<MinionOpts>, RegExp][]
  ) test(`refuses ${name}`, () => assert.throws(() => end(opts), why));

  test("refuses an interface without an address of the master's family", () => {
    assert.throws(() => end({ source_interface_name: "wg0" }, "fd00::1"), /"wg0".*it has no IPv6 address/);
  });
});

test("endpointFrom() names the own end before the master's", () => {
  const master = { host: "10.0.0.1", port: 4506 };
  assert.equal(endpointFrom(undefined, 0, master), "tcp://10.0.0.1:4506");
  assert.equal(endpointFrom("10.0.0.2", 0, master), "tcp://10.0.0.2:0;10.0.0.1:4506");
  assert.equal(endpointFrom(undefined, 99, { host: "fd00::1", port: 4506 }), "tcp://[::]:99;[fd00::1]:4506");
});

const skip = process.platform === "linux" ? false : "the loopback has one address";

test("a minion connects from source_address and from its own ports", { skip, timeout: 60_000 }, async () => {
  const { net } = await currentRuntime();
  const heard: string[] = [];
  const listener = await net.listen({ kind: "tcp", host: "127.0.0.1", port: 0 }, (connection) => {
    heard.push(connection.remote);
    connection.destroy();
  });
  const port = listener.address.kind === "tcp" ? listener.address.port : 0;
  // Any port that is free now: the listener's own is, on another address.
  const opts = { master: `127.0.0.1:${port}`, source_address: "127.0.0.3", source_ret_port: port };
  await using cluster = await startCluster({ place: "current", minions: [] });
  const minion = await cluster.startMinion("web1", { opts: { ...opts, recon_default: 100, recon_max: 100 } });
  await until(() => heard.length > 0);
  assert.equal(heard[0], `tcp://127.0.0.3:${port}`);
  await minion.close();
  await listener.close();
});
