/** The log of a daemon: what gets into its file. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { daemonLogger } from "../../../cli/daemon/daemon.ts";
import { LogFile } from "../../../cli/daemon/log_file.ts";
import type { ProgramContext } from "../../../cli/program/context.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { FakeClock } from "../../support/fake_clock.ts";

test("what comes thousands of times is in the file some times, and then counted", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "brine-"));
  try {
    const clock = new FakeClock();
    const runtime = { ...await currentRuntime(), clock };
    const context = { runtime, complain: assert.fail, explicit: new Set(), options: {} } as unknown as ProgramContext;
    const file = path.join(directory, "logs", "master");
    const log = daemonLogger(context, { log_level: "quiet", log_level_logfile: "warning", log_file: file });
    for (let count = 0; count < 5000; count++) log.warning("refused", { id: `\x1b[2J\n${count}` });
    clock.advance(10_000);
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    assert.equal(lines.length, 21);
    assert.match(lines[0]!, /refused: id=\\x1b\[2J\\x0a0$/);
    assert.match(lines[20]!, /refused … and 4,980 more like this in 10 s$/);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("a file that was rotated is created again, with the lines from then on", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "brine-"));
  try {
    const clock = new FakeClock();
    const runtime = { ...await currentRuntime(), clock };
    const file = path.join(directory, "logs", "master");
    const log = new LogFile(runtime, file);
    log.write("one\n");
    renameSync(file, `${file}.1`);
    log.write("two\n");
    clock.advance(1000);
    log.write("three\n");
    assert.equal(readFileSync(`${file}.1`, "utf8"), "one\ntwo\n");
    assert.equal(readFileSync(file, "utf8"), "three\n");
    assert.equal(statSync(file).mode & 0o777, 0o640);
    // Another file of that name, as logrotate makes it.
    renameSync(file, `${file}.2`);
    writeFileSync(file, "theirs\n");
    clock.advance(1000);
    log.write("four\n");
    assert.equal(readFileSync(file, "utf8"), "theirs\nfour\n");
    // And one that is copied and cut: the descriptor stays good.
    writeFileSync(file, "");
    clock.advance(1000);
    log.write("five\n");
    assert.equal(readFileSync(file, "utf8"), "five\n");
    rmSync(path.join(directory, "logs"), { recursive: true });
    log.reopen();
    log.write("six\n");
    assert.equal(readFileSync(file, "utf8"), "six\n");
  } finally {
    rmSync(directory, { recursive: true });
  }
});
