import assert from "node:assert/strict";
import { test } from "node:test";
import { inOwnName, mayFire } from "../../../../src/host/master/access/minion_tags.ts";
import { vectors } from "../../../support/vectors.ts";

const as = (minion: string | undefined, tag: string, data: Record<string, unknown> = {}) =>
  mayFire(tag, data, minion, (id) => id === minion);

for (const { tag, allowed } of vectors("events").minion_event_tag_filter) {
  if (!allowed) test(`what Salt refuses is refused: ${tag}`, () => assert.equal(as("m1", tag), false));
}

for (
  const { tag, data, want } of [
    { tag: "my/own/tag", want: true },
    { tag: "salt/beacon/m1/load/", want: true },
    { tag: "salt/beacon/m2/load/", want: false },
    { tag: "salt/minion/m1/start", want: true },
    { tag: "salt/minion/m1/start", data: { id: "m2" }, want: false },
    { tag: "salt/minion/m2/start", want: false },
    { tag: "minion_start", data: { id: "m2" }, want: false },
    { tag: "salt/job/20260101000000000000/ret/m1", want: false },
    { tag: "20260101000000000000", want: false },
    { tag: "salt/run/20260101000000000000/ret", want: false },
    { tag: "salt/netapi/hook/deploy", want: false },
    { tag: "salt/presence/change", want: false },
    { tag: "salt/key", want: false },
    { tag: "salt/event/missed", want: false },
    { tag: "salt/engines/hook", want: false },
    { tag: "salt/reactors/manage/add", want: false },
    { tag: "salt/reactors/manage/leader/value", want: false },
    { tag: "my/salt/reactors/manage/add", want: false },
    { tag: "salt/minion/m1/salt/reactors/manage/set_leader", want: false },
    { tag: "a\n\nb", want: false },
    { tag: "", want: false },
    { tag: "x".repeat(1025), want: false },
  ]
) {
  test(`a minion ${want ? "may" : "may not"} fire ${JSON.stringify(tag.slice(0, 60))} ${JSON.stringify(data ?? {})}`, () => {
    assert.equal(as("m1", tag, data), want);
  });
}

for (
  const { who, data, id } of [
    { who: "minion", data: { id: "m2" }, id: "m1" },
    { who: "minion", data: {}, id: "m1" },
    { who: "minion", data: { id: ["m1"] }, id: "m1" },
    { who: "minion", data: { id: "m1" }, id: "m1" },
    { who: "syndic", data: { id: "low1" }, id: "low1" },
    { who: "syndic", data: { id: "other" }, id: "m1" },
    { who: "syndic", data: {}, id: undefined },
    { who: "stranger", data: { id: "m2" }, id: "m2" },
  ]
) {
  test(`an event of a ${who} with ${JSON.stringify(data)} is fired with the id ${id}`, () => {
    const speaksFor = (one: unknown) => one === "m1" || (who === "syndic" && String(one).startsWith("low"));
    const before = structuredClone(data);
    assert.equal(inOwnName(data, who === "stranger" ? undefined : "m1", who === "syndic", speaksFor).id, id);
    assert.deepEqual(data, before, "what the minion sent is left alone");
  });
}
