import assert from "node:assert/strict";
import { test } from "node:test";
import { ReactionJournal } from "../../../src/feature/reactor/reaction_journal.ts";
import { memoryFiles } from "../../support/memory_files.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { captureLog } from "../../support/capture_log.ts";

const { later } = await currentRuntime();
const PATH = "/cache/reactor/journal";
const taken = (n: number, boot = "b") => ({ boot, n, tag: `tag/${n}`, stamp: `at ${n}`, sls: [`/${n}.sls`] });

function scene() {
  const fs = memoryFiles();
  const { log } = captureLog();
  return { fs, open: () => ReactionJournal.open({ fs, log, later, path: PATH }) };
}

test("what was taken and not done is left, with the reactions that were called", async () => {
  const { open } = scene();
  const { journal, left } = open();
  assert.deepEqual(left, []);
  for (const n of [1, 2, 3]) await journal.take(taken(n));
  await journal.call(taken(1), "one");
  journal.done(taken(1));
  await journal.call(taken(2), "two");
  const next = open();
  assert.deepEqual(next.left, [{ ...taken(2), called: ["two"] }, { ...taken(3), called: [] }]);
  assert.deepEqual(next.journal.last, { boot: "b", n: 3 });
  assert.deepEqual(open().left, [], "it is named once");
});

test("done is written with the next line, or when there is nothing else to do", async () => {
  const { open } = scene();
  const { journal } = open();
  await journal.take(taken(1));
  journal.done(taken(1));
  journal.flush();
  assert.deepEqual(open().left, []);
});

test("a position holds without events, and a line that was cut off does no harm", async () => {
  const { fs, open } = scene();
  open().journal.mark("b", 7);
  fs.append(PATH, '["t","b",9,"tag');
  const { journal, left } = open();
  assert.deepEqual(left, []);
  assert.deepEqual(journal.last, { boot: "b", n: 7 });
});

test("the file is begun anew when it is large, and keeps what is open", async () => {
  const { fs, open } = scene();
  const { journal } = open();
  await journal.take(taken(1));
  for (let n = 2; n < 20_000; n++) {
    const written = journal.take(taken(n));
    journal.done(taken(n));
    if (n % 100 === 0) await written;
  }
  journal.flush();
  assert.ok(fs.stat(PATH)!.size < 2 * 1024 * 1024);
  const { left, journal: next } = open();
  assert.deepEqual(left, [{ ...taken(1), called: [] }]);
  assert.equal(next.last!.n, 19_999);
});
