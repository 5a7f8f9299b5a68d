import assert from "node:assert/strict";
import { test } from "node:test";
import { ReactorRules } from "../../../src/feature/reactor/reactor_rules.ts";
import { memoryFiles } from "../../support/memory_files.ts";
import { parseYaml } from "../../../src/language/yaml/document.ts";
import { captureLog } from "../../support/capture_log.ts";

function rulesOf(reactor: unknown, fs = memoryFiles()) {
  const captured = captureLog();
  return {
    ...captured,
    fs,
    rules: new ReactorRules({ fs, log: captured.log, parse: (text) => parseYaml(text).value, reactor }),
  };
}

const REACTOR = [
  { "salt/minion/*/start": ["/one.sls", "/two.sls"] },
  { "salt/minion/web?/*": "/three.sls" },
  { "salt/[!k]*": ["/four.sls"] },
];

for (
  const { tag, want } of [
    { tag: "salt/minion/web1/start", want: ["/one.sls", "/two.sls", "/three.sls", "/four.sls"] },
    { tag: "salt/minion/db/a/b/start", want: ["/one.sls", "/two.sls", "/four.sls"] },
    { tag: "salt/key", want: [] },
    { tag: "Salt/minion/x/start", want: [] },
  ]
) {
  test(`rules: ${tag}`, () => assert.deepEqual(rulesOf(REACTOR).rules.for(tag), want));
}

test("rules: added and deleted ones, in Salt's words", () => {
  const { rules } = rulesOf(REACTOR);
  assert.deepEqual(rules.add("my/*", ["/my.sls"]), { status: true, comment: "Reactor added." });
  assert.deepEqual(rules.add("my/*", ["/other.sls"]), { status: false, comment: "Reactor already exists." });
  assert.deepEqual(rules.for("my/tag"), ["/my.sls"]);
  assert.deepEqual(rules.list(), [...REACTOR, { "my/*": ["/my.sls"] }]);
  assert.deepEqual(rules.delete("my/*"), { status: true, comment: "Reactor deleted." });
  assert.deepEqual(rules.delete("my/*"), { status: false, comment: "Reactor does not exists." });
  assert.deepEqual(rules.for("my/tag"), []);
});

test("rules: what is no rule is named in the log, and the others count", () => {
  const { rules, records } = rulesOf([{ a: "/a.sls", b: "/b.sls" }, "text", { c: "/c.sls" }]);
  assert.deepEqual(rules.for("a"), []);
  assert.deepEqual(rules.for("c"), ["/c.sls"]);
  assert.equal(records.filter(({ level }) => level === "error").length, 2);
});

test("rules: those of a file are read again when it changes, and a broken file changes nothing", () => {
  const fs = memoryFiles();
  fs.mkdir("/etc");
  fs.write("/etc/reactors", "- 'a/*': [/a.sls]\n");
  const { rules, complaints } = rulesOf("/etc/reactors", fs);
  assert.deepEqual(rules.for("a/b"), ["/a.sls"]);
  fs.write("/etc/reactors", "- 'a/*': [/a.sls]\n- 'a/b': /ab.sls\n");
  assert.deepEqual(rules.for("a/b"), ["/a.sls", "/ab.sls"]);
  fs.write("/etc/reactors", "- 'a/*: [\n");
  assert.deepEqual(rules.for("a/b"), ["/a.sls", "/ab.sls"]);
  assert.equal(complaints().length, 1);
  assert.equal(rules.add("x", []).status, false);
});
