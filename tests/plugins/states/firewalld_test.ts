import assert from "node:assert/strict";
import { test } from "node:test";
import { states } from "../../../src/plugins/states/firewalld.ts";
import { callState, fakeStateHost, replayStates } from "../../support/recorded_states.ts";

await replayStates("firewalld", { firewalld: states });

test("firewalld.service: a dry run makes no service and reads no configuration again", async () => {
  const host = await fakeStateHost({ test: true }, { "firewalld.get_services": [["ssh"]] });
  const ret = await callState(states, host.context, "service", { name: "mine", ports: ["80/tcp"] });
  assert.deepEqual([ret.result, ret.changes], [null, { ports: { old: [], new: ["80/tcp"] } }]);
  assert.deepEqual(host.calls.map(([fun]) => fun), ["firewalld.get_services"]);
});

test("firewalld.present: a dry run asks nothing of a zone that is yet to be made", async () => {
  const host = await fakeStateHost({ test: true }, { "firewalld.get_zones": [["public"]] });
  const ret = await callState(states, host.context, "present", { name: "mine", ports: ["80/tcp"], masquerade: true });
  assert.equal(ret.result, null);
  assert.match(String(ret.comment), /^Configuration for 'mine' will change:\n/);
  assert.deepEqual(host.calls.map(([fun]) => fun), ["firewalld.get_zones"]);
});

test("firewalld.present: what is no forwarding is named", async () => {
  const host = await fakeStateHost({}, {
    "firewalld.get_zones": [["mine"]],
    "firewalld.get_masquerade": [false],
    "firewalld.list_port_fwd": [[]],
  });
  const ret = await callState(states, host.context, "present", { name: "mine", port_fwd: ["80"] });
  assert.match(String(ret.comment), /^Error: Cannot forward "80": expected port:port:protocol/);
});
