/** What strangers and minions chose, and operators see. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { keyMain } from "../../cli/programs/key.ts";
import { LiveOutput } from "../../cli/programs/salt/live_output.ts";
import { writerTo } from "../../cli/terminal/writer.ts";
import { render } from "../../src/plugins/outputters/mod.ts";
import { runInProcess } from "../support/program.ts";

/** Clears the screen, moves up, and makes a line that looks like another id. */
const EVIL = "web9\x1b[2J\rweb1\nweb2\u009b1A\u202e";
// deno-lint-ignore no-control-regex
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;

describe("an id with control characters", () => {
  for (const name of ["nested", "key", "txt", "highstate", "no_return", "table"]) {
    test(`is one line without any for the outputter ${name}`, async () => {
      const data = name === "key" ? { minions_pre: [EVIL] } : name === "highstate" ? { [EVIL]: "x" } : { [EVIL]: "x" };
      const { text } = await render(name, data, { color: false });
      assert.doesNotMatch(text, CONTROL);
      assert.doesNotMatch(text, /^web2/m);
      assert.match(text, /web9/);
    });
  }

  test("heads and ends the states of its minion as one line", async () => {
    const entry = { __run_num__: 0, result: true, changes: {}, comment: "ok" };
    const { text } = await render("highstate", { [EVIL]: { "test_|-a_|-a_|-nop": entry } }, { color: false });
    assert.doesNotMatch(text, CONTROL);
    assert.doesNotMatch(text, /^web2/m);
    assert.match(text, /^Summary for web9/m);
  });

  test("is listed, accepted and deleted by salt-key without any", async () => {
    const root = mkdtempSync(path.join(tmpdir(), "brine-"));
    try {
      writeFileSync(path.join(root, "master"), `root_dir: ${root}\npki_dir: ${root}/pki\n`);
      mkdirSync(path.join(root, "pki", "minions_pre"), { recursive: true });
      writeFileSync(path.join(root, "pki", "minions_pre", EVIL), "no key");
      for (const argv of [["-L"], ["-y", "-a", "web9*"], ["-y", "-d", "web9*"]]) {
        const { stdout, stderr } = await runInProcess("salt-key", keyMain, ["-c", root, ...argv]);
        assert.doesNotMatch(stdout + stderr, CONTROL, argv.join(" "));
        assert.doesNotMatch(stdout + stderr, /^web[12]/m, argv.join(" "));
        assert.match(stdout, /web9/, argv.join(" "));
      }
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});

test("live output is shown without any, line by line", () => {
  const lines: string[] = [];
  const live = new LiveOutput((line) => lines.push(line), assert.fail);
  live.take({ id: EVIL, jid: "1", seq: 0, stream: "stdout", text: "a\tb\r\n10%\r\x1b[2Jx\n", time: 0 } as never);
  live.end(EVIL);
  assert.equal(lines.length, 2);
  assert.match(lines[0]!, /: a\tb$/);
  assert.match(lines[1]!, /: 10%\\x0d\\x1b\[2Jx$/);
  for (const line of lines) assert.doesNotMatch(line.replace("\t", ""), CONTROL);
});

test("a state that has ended is one line without any", () => {
  const lines: string[] = [];
  const live = new LiveOutput((line) => lines.push(line), assert.fail);
  const state = (more: Record<string, unknown>) => ({
    id: "web1",
    jid: "1",
    total: 3,
    state: {
      __id__: "a",
      __sls__: "web",
      __run_num__: 0,
      duration: 1.5,
      changes: {},
      comment: "",
      result: true,
      ...more,
    },
  });
  live.take({ id: "web1", jid: "1", seq: 0, stream: "stdout", text: "half a line" });
  live.takeState(state({}));
  live.takeState(state({ __run_num__: 1, changes: { x: 1 } }));
  live.takeState(state({ result: null, changes: { x: 1 } }));
  live.takeState(state({ result: false, comment: "first\x1b[2J\nsecond", __id__: EVIL }));
  assert.deepEqual(lines.slice(0, 4), [
    "web1: half a line",
    "web1: [1/3] clean: a in web (1.5 ms)",
    "web1: [2/3] changed: a in web (1.5 ms)",
    "web1: [1/3] would change: a in web (1.5 ms)",
  ]);
  assert.match(lines[4]!, /^web1: \[1\/3\] failed: web9.*: first\\x1b\[2J$/);
  for (const line of lines) assert.doesNotMatch(line, CONTROL);
});

for (const isTTY of [true, false]) {
  test(`a return is written ${isTTY ? "to a terminal without what would steer it" : "to a file as it is"}`, () => {
    let written = "";
    writerTo({ isTTY, write: (text) => (written += text) !== undefined })("\x1b[0;32m\x1b]0;x\x07\n");
    assert.equal(written, isTTY ? "\x1b[0;32m\\x1b]0;x\\x07\n" : "\x1b[0;32m\x1b]0;x\x07\n");
  });
}
