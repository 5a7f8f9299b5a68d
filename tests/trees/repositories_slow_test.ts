import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ourAnswers } from "./driver.ts";
import { differences, guessTree } from "./repositories.ts";

test("differences that say the same of other paths, names and numbers have one cause", () => {
  const ours = {
    a: { comment: "The file /srv/a was changed", n: 1 },
    b: { comment: "The file /srv/b/c was changed", n: 1 },
    c: 1,
  };
  const theirs = { a: { comment: "File /srv/a updated", n: 1 }, b: { comment: "File /srv/b/c updated", n: 1 } };
  const found = [...differences(ours, theirs, "x")];
  assert.deepEqual(found.map(({ where }) => where), ["x/a/comment", "x/b/comment", "x/c"]);
  assert.equal(new Set(found.map(({ cause }) => cause)).size, 2);
});

test("maps in another order differ", () => {
  assert.deepEqual([...differences({ a: 1, b: 2 }, { b: 2, a: 1 })].map(({ cause }) => cause), [
    "another order of keys",
  ]);
});

test("a formula is applied with its example pillar, a tree by its top file", async () => {
  const root = mkdtempSync(join(tmpdir(), "brine-guess-"));
  const write = (name: string, text: string) => {
    mkdirSync(join(root, name, ".."), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  try {
    write("formula/demo/init.sls", 'x: {test.show_notification: [{text: "{{ pillar.word }}"}]}');
    write("formula/pillar.example", "word: seen");
    write("tree/salt/top.sls", "base: {'*': [one]}");
    write("tree/salt/one.sls", "one: test.nop");
    mkdirSync(join(root, "work"));
    const formula = guessTree(join(root, "formula"), join(root, "work"));
    assert.deepEqual(formula.calls, ["state.show_sls demo", "state.apply demo test=True"]);
    const [answers] = Object.values(await ourAnswers(formula));
    assert.match(JSON.stringify(answers![1]), /"comment":"seen"/);
    const tree = guessTree(join(root, "tree"), join(root, "work"));
    assert.deepEqual(tree.calls, ["pillar.items", "state.show_highstate", "state.apply test=True"]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
