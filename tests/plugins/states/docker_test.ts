import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { states as container } from "../../../src/plugins/states/docker_container.ts";
import { states as image } from "../../../src/plugins/states/docker_image.ts";
import { states as network } from "../../../src/plugins/states/docker_network.ts";
import { states as volume } from "../../../src/plugins/states/docker_volume.ts";
import { callState, fakeStateHost, replayStates } from "../../support/recorded_states.ts";

await replayStates("docker_container", { docker_container: container });
await replayStates("docker", { docker_image: image, docker_volume: volume });
// Recorded is a name of as many letters a.
const recordedName = (json: string) => json.replace(/\b[a-z]{20}\b/g, "a".repeat(20));
await replayStates("docker_network", { docker_network: network }, recordedName);

describe("docker_network, where it differs from Salt", () => {
  const acts = [
    "create_network",
    "connect_container_to_network",
    "disconnect_container_from_network",
    "remove_network",
  ];
  const there = {
    Name: "n",
    IPAM: { Driver: "default", Config: [{ Subnet: "172.18.0.0/16", Gateway: "172.18.0.1" }] },
    Containers: { c1: { Name: "web", IPv4Address: "172.18.0.2/16", IPv6Address: "fd00::2/64" } },
  };
  const run = async (args: Record<string, unknown>, more: Record<string, unknown[]> = {}, dry = false) => {
    const host = await fakeStateHost({ test: dry }, {
      ...Object.fromEntries(acts.map((fun) => [`docker.${fun}`, [true]])),
      "docker.inspect_network": [there, { ...there, Containers: {} }],
      "docker.inspect_container": [{ Id: "c2", Name: "/web", State: { Running: true } }],
      "docker.compare_networks": [{ Driver: { old: "a", new: "b" } }],
      ...more,
    });
    const ret = await callState(network, host.context, "present", { name: "n", ...args });
    const did = host.calls.filter(([fun]) => acts.includes(fun.slice("docker.".length)));
    return {
      ret,
      did: did.map(([fun, given]) => ({ fun, ...given as { args: unknown[]; kwargs: Record<string, unknown> } })),
    };
  };

  test("a replaced network has its own bridge, and containers their address of IPv6", async () => {
    const driver_opts = { "com.docker.network.bridge.name": "br-web" };
    const { ret, did } = await run({ driver: "bridge", driver_opts });
    const made = did.filter(({ fun }) => fun === "docker.create_network").map(({ kwargs }) => kwargs.options);
    assert.deepEqual(made, [{ "com.docker.network.bridge.name": "br-webcomp" }, driver_opts]);
    assert.deepEqual(did.at(-1)!.kwargs, { ipv4_address: "172.18.0.2", ipv6_address: "fd00::2" });
    assert.deepEqual(ret.changes.reconnected, ["web"]);
  });

  test("a dry run connects nothing", async () => {
    const { ret, did } = await run({ containers: ["web"] }, { "docker.compare_networks": [{}] }, true);
    assert.equal(ret.comment, "The following containers would be connected: web");
    assert.equal(ret.result, null);
    assert.deepEqual(did.map(({ fun }) => fun), ["docker.create_network", "docker.remove_network"]);
  });

  test("a container that cannot be disconnected keeps the network", async () => {
    const failure = { $error: "CommandExecutionError", message: "Error 500: it broke" };
    const { ret, did } = await run({}, { "docker.disconnect_container_from_network": [failure] });
    assert.equal(ret.comment, "Failed to disconnect container 'web' : Error 500: it broke");
    assert.equal(ret.result, false);
    assert.ok(!did.some(({ fun, args }) => fun === "docker.remove_network" && args[0] === "n"));
  });

  test("pools without a subnet, and with options that they have not, are refused before anything is done", async () => {
    for (const pool of [{ gateway: "10.0.0.1" }, { ipam_pools: [{ subnet: "10.0.0.0/24", net: "x" }] }]) {
      const { ret, did } = await run(pool);
      assert.match(String(ret.comment), /A subnet is required in each IPAM pool|An IPAM pool has no option 'net'/);
      assert.deepEqual([ret.result, did], [false, []]);
    }
  });
});
