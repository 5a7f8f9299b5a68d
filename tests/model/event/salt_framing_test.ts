/** What is found out of a program that listens to the events of a master, and how often it is looked for. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLogger } from "../../../src/base/log.ts";
import { listenerFraming, pullFraming } from "../../../src/model/event/salt_framing.ts";
import { memoryFiles } from "../../support/memory_files.ts";

const text = (words: string) => new TextEncoder().encode(words);

/** A host with one program of a real release. */
function host() {
  const fs = memoryFiles();
  const write = (path: string, words: string) => {
    fs.mkdir(path.slice(0, path.lastIndexOf("/")), 0o755);
    fs.write(path, text(words));
  };
  write("/proc/self/cmdline", "node");
  const site = "/opt/salt/lib/python3.12/site-packages/salt";
  write(`${site}/_version.txt`, "3006.9");
  write(`${site}/transport/frame.py`, "def frame_msg_ipc():\n    return struct.pack()\n");
  let looks = 0;
  const list: typeof fs.list = (path) => {
    if (path === "/proc") looks++;
    return fs.list(path);
  };
  const start = () => {
    write("/proc/7/cmdline", "/opt/salt/bin/python3\0/opt/salt/bin/salt-run\0state.event");
    write("/proc/7/stat", `7 (salt-run) S ${"1 ".repeat(30)}`);
  };
  return { fs: { ...fs, list }, start, looks: () => looks };
}

test("one who connects again and again has the processes read four times a second at most; later the newest is found", () => {
  const { fs, start, looks } = host();
  let nowMs = 1000;
  const framing = listenerFraming(fs, silentLogger, "/etc/salt", () => nowMs);
  for (let connection = 0; connection < 100; connection++) assert.equal(framing(), "stream");
  assert.equal(looks(), 1);
  start();
  nowMs += 249;
  assert.equal(framing(), "stream");
  nowMs += 1;
  assert.equal(framing(), "length");
  assert.equal(looks(), 2);
  nowMs -= 3600_000;
  assert.equal(framing(), "length");
  assert.equal(looks(), 3, "a clock that was set back does not hold the answer for an hour");
});

test("without a program of Salt, the package that Python modules use decides", () => {
  const { fs, start } = host();
  const lent = () => "/opt/salt/lib/python3.12/site-packages/salt";
  let nowMs = 1000;
  const framing = listenerFraming(fs, silentLogger, "/etc/salt", () => nowMs, lent);
  assert.equal(framing(), "length");
  fs.mkdir("/proc/9", 0o755);
  fs.write("/proc/9/cmdline", text("/usr/bin/python3\0/usr/bin/unattended-upgrade"));
  fs.write("/proc/9/stat", text(`9 (python3) S ${"1 ".repeat(30)}`));
  nowMs += 1000;
  assert.equal(framing(), "length");
  start();
  nowMs += 1000;
  assert.equal(framing(), "length");
});

for (
  const [release, frame, want] of [
    ["3006.16", "def frame_msg_ipc():\n    return msgpack\n", "stream"],
    ["3006.29", "def frame_msg_ipc():\n    return struct.pack()\n", "length"],
    ["3007.16", "def frame_msg_ipc():\n    return msgpack\n", "length"],
  ] as const
) {
  test(`a real master ${release} takes events with the framing ${want}`, () => {
    const fs = memoryFiles();
    const write = (path: string, words: string) => {
      fs.mkdir(path.slice(0, path.lastIndexOf("/")), 0o755);
      fs.write(path, text(words));
    };
    write("/proc/self/cmdline", "node");
    const site = "/opt/salt/lib/python3.12/site-packages/salt";
    write(`${site}/_version.txt`, release);
    write(`${site}/transport/frame.py`, frame);
    assert.equal(pullFraming(fs, silentLogger, "/etc/salt"), "length", "no master runs");
    write("/proc/7/cmdline", "/opt/salt/bin/python3\0/opt/salt/bin/salt-master\0-d");
    write("/proc/7/stat", `7 (salt-master) S ${"1 ".repeat(30)}`);
    assert.equal(pullFraming(fs, silentLogger, "/etc/salt"), want);
  });
}
