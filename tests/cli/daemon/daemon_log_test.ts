/** The log of a daemon: what gets into its file. */
import assert from "node:assert/strict";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { DaemonLog } from "../../../cli/daemon/daemon_log.ts";
import { LogFile } from "../../../cli/daemon/log_file.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { FakeClock } from "../../support/fake_clock.ts";

test("what comes thousands of times is in the file some times, and then counted", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "brine-"));
  try {
    const clock = new FakeClock();
    const runtime = { ...await currentRuntime(), clock };
    const file = path.join(directory, "logs", "master");
    const opts = { log_level: "quiet", log_level_logfile: "warning", log_file: file };
    const { log } = new DaemonLog({ runtime, opts, program: "salt-master", complain: assert.fail });
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

test("a file that grew beyond log_rotate_max_bytes is renamed, and so many are kept", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "brine-"));
  try {
    const runtime = { ...await currentRuntime(), clock: new FakeClock() };
    const file = path.join(directory, "master");
    const log = new LogFile(runtime, file, { maxBytes: 10, backups: 2 });
    for (const line of ["11111\n", "22222\n", "33333\n", "44444\n"]) log.write(line);
    assert.deepEqual(
      ["", ".1", ".2"].map((end) => readFileSync(`${file}${end}`, "utf8")),
      ["44444\n", "33333\n", "22222\n"],
    );
    assert.deepEqual(readdirSync(directory).length, 3);
    // As in Python, none is renamed where none may be kept.
    const grows = new LogFile(runtime, path.join(directory, "grows"), { maxBytes: 10, backups: 0 });
    for (const line of ["11111\n", "22222\n", "33333\n"]) grows.write(line);
    assert.equal(readFileSync(path.join(directory, "grows"), "utf8"), "11111\n22222\n33333\n");
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("a link that another user has made is not written through, and the operator's own is", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "brine-"));
  try {
    const runtime = { ...await currentRuntime(), clock: new FakeClock() };
    const victim = path.join(directory, "victim");
    const link = path.join(directory, "master");
    writeFileSync(victim, "keep\n");
    symlinkSync(victim, link);
    const ofStranger = {
      ...runtime,
      fs: { ...runtime.fs, stat: () => ({ ...runtime.fs.stat(link, { follow: false })!, uid: 12_345 }) },
    };
    assert.throws(
      () => new LogFile(ofStranger, link),
      /it is a link that user 12345 created. Remove the link, or set log_file/,
    );
    const complaints: string[] = [];
    const { log } = new DaemonLog({
      runtime: ofStranger,
      opts: { log_level: "quiet", log_level_logfile: "warning", log_file: link },
      program: "salt-master",
      complain: (text) => void complaints.push(text),
    });
    log.warning("not written");
    assert.match(complaints.join(), /^WARNING: the log file cannot be written: .*it is a link/);
    assert.equal(readFileSync(victim, "utf8"), "keep\n");
    new LogFile(runtime, link).write("written\n");
    assert.equal(readFileSync(victim, "utf8"), "keep\nwritten\n");
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("lines that a full disk does not take are counted, and the daemon goes on", {
  skip: existsSync("/dev/full") ? false : "there is no /dev/full here",
}, async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "brine-"));
  try {
    const clock = new FakeClock();
    const runtime = { ...await currentRuntime(), clock };
    const link = path.join(directory, "master");
    symlinkSync("/dev/full", link);
    const log = new LogFile(runtime, link);
    log.write("one\n");
    log.write("two\n");
    rmSync(link);
    log.reopen();
    log.write("three\n");
    assert.equal(readFileSync(link, "utf8"), "2 log lines could not be written\nthree\n");
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("levels that are read again hold at once, also for single parts", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "brine-"));
  try {
    const runtime = { ...await currentRuntime(), clock: new FakeClock() };
    const file = path.join(directory, "master");
    const opts = { log_level: "quiet", log_level_logfile: "quiet", log_file: file };
    const logging = new DaemonLog({ runtime, opts, program: "salt-master", complain: assert.fail });
    const req = logging.log.child("req");
    req.info("one");
    logging.configure({ ...opts, log_level_logfile: "info" });
    req.info("two");
    logging.configure({
      ...opts,
      log_level_logfile: "info",
      log_granular_levels: { "salt.req": "error", salt: "debug" },
    });
    req.info("three");
    assert.equal(req.enabled("debug"), true);
    logging.log.debug("four");
    assert.deepEqual(
      readFileSync(file, "utf8").trimEnd().split("\n").map((line) => line.replace(/^.*\] /, "")),
      ["two", "four"],
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
});
