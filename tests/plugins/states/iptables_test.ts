import assert from "node:assert/strict";
import { test } from "node:test";
import type { LowChunk } from "../../../src/model/loader/states.ts";
import { states } from "../../../src/plugins/states/iptables.ts";
import { callState, fakeStateHost, replayStates } from "../../support/recorded_states.ts";

await replayStates("iptables", { iptables: states });

test("iptables aggregate: rules of later states are done with this one, and saved once", async () => {
  const chunk = (id: string, more: Record<string, unknown> = {}): LowChunk => ({
    state: "iptables",
    name: id,
    __id__: id,
    fun: "append",
    chain: "INPUT",
    ...more,
  });
  const host = await fakeStateHost({}, {
    "iptables.build_rule": ["-j ACCEPT"],
    "iptables.check": [false],
    "iptables.append": [true],
    "iptables.save": ["saved"],
  });
  const [low, second, other] = [chunk("a"), chunk("b", { save: true }), chunk("c", { fun: "insert" })];
  const folded = await states.modAggregate!(host.context, low, [low, second, other], new Map());
  assert.equal(second.__agg__, true);
  assert.deepEqual((folded.rules as LowChunk[]).map(({ name }) => name), ["a", "b"]);
  const { state: _, fun: _fun, __id__: _id, ...keyword } = folded;
  const ret = await callState(states, host.context, "append", keyword);
  assert.deepEqual([ret.result, ret.changes], [true, { locale: ["a", "b"] }]);
  assert.equal(host.calls.filter(([fun]) => fun === "iptables.save").length, 1);
});
