import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answeredPreview,
  countWords,
  needsGrains,
  type Preview,
  previewCount,
  previewTargetOf,
  TARGET_TYPES,
  targetOf,
} from "../../src/console/preview.ts";

const GRAINS: Record<string, Record<string, unknown>> = {
  web1: { os: "Debian", ipv4: ["10.0.0.1"], roles: ["front", "tls"] },
  web2: { os: "Ubuntu", ipv4: ["10.0.1.2"] },
  db1: { os: "Debian", ipv4: ["10.0.0.9"] },
};
const known = { ids: ["db1", "new1", "web1", "web2"], grains: (id: string) => GRAINS[id] };
const matched = (preview: Preview) => preview.kind === "here" ? preview.matched.join() : preview.kind;

for (
  const { type, tgt, want, unknown = [] } of [
    { type: "glob", tgt: "web*", want: "web1,web2" },
    { type: "glob", tgt: "web[!1]", want: "web2" },
    { type: "glob", tgt: "nobody", want: "" },
    { type: "list", tgt: "web1,db1", want: "db1,web1" },
    { type: "pcre", tgt: "web\\d", want: "web1,web2" },
    { type: "pcre", tgt: "web(", want: "invalid" },
    { type: "grain", tgt: "os:debian", want: "db1,web1", unknown: ["new1"] },
    { type: "grain", tgt: "roles:tls", want: "web1", unknown: ["new1"] },
    { type: "grain", tgt: "os", want: "invalid" },
    { type: "grain_pcre", tgt: "os:(Deb|Ubu).*", want: "db1,web1,web2", unknown: ["new1"] },
    { type: "ipcidr", tgt: "10.0.0.0/24", want: "db1,web1", unknown: ["new1"] },
    { type: "compound", tgt: "web* and not G@os:Ubuntu", want: "web1", unknown: ["new1"] },
    { type: "compound", tgt: "L@web1,db1 or E@new.*", want: "db1,new1,web1" },
    { type: "compound", tgt: "web* and", want: "invalid" },
    { type: "compound", tgt: "and web*", want: "invalid" },
    { type: "compound", tgt: "web* and I@role:x", want: "master" },
    { type: "compound", tgt: "N@group", want: "master" },
    { type: "pillar", tgt: "role:web", want: "master" },
    { type: "nodegroup", tgt: "webs", want: "master" },
    { type: "no_such", tgt: "x", want: "invalid" },
  ]
) {
  test(`a target of type ${type}, "${tgt}", is previewed as ${want || "no minions"}`, () => {
    const preview = previewTargetOf(tgt, type, known);
    assert.equal(matched(preview), want);
    if (preview.kind === "here") assert.deepEqual(preview.unknown, unknown);
  });
}

test("a target that matches no minion says what looks mistyped", () => {
  for (
    const [tgt, why] of [
      ["web9 and (web1", /write blanks around parentheses/],
      ["X@web9", /expected one of/],
      ["web9", undefined],
    ] as const
  ) {
    const preview = previewTargetOf(tgt, "compound", known);
    assert.ok(preview.kind === "here");
    assert.equal(preview.matched.length, 0);
    if (why === undefined) assert.equal(preview.why, undefined);
    else assert.match(preview.why ?? "", why);
  }
});

test("a list names the ids without an accepted key", () => {
  const preview = previewTargetOf("web1,ghost1", "list", known);
  assert.ok(preview.kind === "here");
  assert.deepEqual(preview.matched, ["web1"]);
  assert.match(preview.why ?? "", /ghost1/);
});

test("only targets that look at grains need them", () => {
  const wants = (type: string, tgt: string) => needsGrains(tgt, type);
  assert.deepEqual([wants("glob", "G@x"), wants("compound", "web* or db1"), wants("compound", "web* and G@os:x")], [
    false,
    false,
    true,
  ]);
});

test("each target type has an example that can be previewed", () => {
  for (const [type, { example }] of Object.entries(TARGET_TYPES)) {
    assert.notEqual(previewTargetOf(example, type, known).kind, "invalid", type);
  }
});

test("targetOf() makes a target that matches exactly the minions", () => {
  const { tgt, tgt_type: type } = targetOf(["db1", "web2"]);
  assert.equal(matched(previewTargetOf(tgt, type, known)), "db1,web2");
});

for (
  const { name, preview, count, words } of [
    {
      name: "all are known",
      preview: { kind: "here", matched: ["a", "b"], unknown: [] },
      count: 2,
      words: "2 minions",
    },
    { name: "no minion matches", preview: { kind: "here", matched: [], unknown: [] }, count: 0, words: "0 minions" },
    {
      name: "some are not known",
      preview: { kind: "here", matched: ["a"], unknown: ["b"] },
      words: "at most 2 minions",
    },
    {
      name: "none is known",
      preview: { kind: "here", matched: [], unknown: ["b"] },
      words: "at most 1 minion",
    },
    { name: "the master has it", preview: { kind: "master", why: "" }, words: "an unknown number of minions" },
    { name: "the master did not say", preview: { kind: "unknown", why: "" }, words: "an unknown number of minions" },
    { name: "the target is invalid", preview: { kind: "invalid", why: "" }, count: 0, words: "0 minions" },
  ] as { name: string; preview: Preview; count?: number; words: string }[]
) {
  test(`where ${name}, a target matches ${words}`, () => {
    assert.deepEqual([previewCount(preview), countWords(preview)], [count, words]);
  });
}

test("an account that may not list minions gets no number of them", () => {
  for (const tgt of ["*", "web*"]) {
    const preview = previewTargetOf(tgt, "glob", { ...known, ids: undefined });
    assert.deepEqual([preview.kind, previewCount(preview)], ["master", undefined]);
  }
  assert.equal(previewTargetOf("web(", "pcre", { ...known, ids: undefined }).kind, "invalid");
});

test("a minion that the master has no grains of may match any target on grains", () => {
  const none = { ids: ["bare1", "web1"], grains: (id: string) => id === "web1" ? GRAINS.web1 : {} };
  const preview = previewTargetOf("os:Debian", "grain", none);
  assert.deepEqual(preview, { kind: "here", matched: ["web1"], unknown: ["bare1"] });
  assert.equal(countWords(preview), "at most 2 minions");
});

test("a ping of the target leaves no minion that may match", () => {
  const preview = answeredPreview({ kind: "here", matched: ["web1"], unknown: ["bare1", "bare2"] }, ["web1", "bare2"]);
  assert.deepEqual(preview, {
    kind: "here",
    matched: ["web1", "bare2"],
    unknown: [],
    why: "1 of 2 minions without known grains answered",
  });
  assert.equal(previewCount(preview), 2);
});
