import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { currentRuntime } from "../../src/runtime/current.ts";
import { nameOf, systemPath } from "../../src/runtime/node/byte_names.ts";

const { fs, name, process } = await currentRuntime();
const skip = name === "deno"
  ? "node:fs of Deno knows names as texts alone"
  : process.platform === "linux"
  ? false
  : "only Linux has names that are not UTF-8";

for (
  const { bytes, name } of [
    { bytes: [0x61], name: "a" },
    { bytes: [0xc3, 0xa4], name: "ä" },
    { bytes: [0xe4], name: "\udce4" },
    { bytes: [0x61, 0xe4, 0xc3, 0xa4, 0x62], name: "a\udce4äb" },
    { bytes: [0xf0, 0x9f, 0x98, 0x80, 0xff], name: "😀\udcff" },
    { bytes: [0xef, 0xbf, 0xbd], name: "\ufffd" },
    { bytes: [0xed, 0xb3, 0xa4], name: "\udced\udcb3\udca4" },
    { bytes: [0xc3], name: "\udcc3" },
  ]
) {
  test(`a name of the bytes ${Buffer.from(bytes).toString("hex")} is a text, and back`, () => {
    assert.equal(nameOf(Uint8Array.from(bytes)), name);
    assert.deepEqual([...Buffer.from(systemPath(name))], bytes);
  });
}

test("files with names that are not UTF-8 are listed, read, changed and removed", { skip }, () => {
  const directory = mkdtempSync(path.join(tmpdir(), "brine-"));
  const raw = (name: string) => Buffer.concat([Buffer.from(`${directory}/`), Buffer.from(name, "latin1")]);
  try {
    writeFileSync(raw("f\xe4"), "content");
    mkdirSync(raw("d\xe4"));
    symlinkSync(Buffer.from("f\xe4", "latin1"), raw("l\xe4"));
    assert.deepEqual(fs.list(directory), ["d\udce4", "f\udce4", "l\udce4"]);
    const file = `${directory}/f\udce4`;
    assert.equal(fs.readText(file), "content");
    assert.equal(fs.readlink(`${directory}/l\udce4`), "f\udce4");
    assert.equal(fs.realpath(`${directory}/l\udce4`), file);
    fs.write(file, "other", { mode: 0o640 });
    fs.append(file, "!");
    fs.chmod(file, 0o604);
    fs.utimes(file, 1000, 1000);
    assert.deepEqual([fs.readText(file), fs.stat(file)?.mode, fs.stat(file)?.mtimeMs], ["other!", 0o604, 1000]);
    fs.rename(file, `${directory}/d\udce4/g\udcff`);
    fs.symlink("x\udce4", `${directory}/m`);
    assert.equal(fs.readlink(`${directory}/m`), "x\udce4");
    fs.mkdir(`${directory}/d\udce4/new`);
    assert.deepEqual(readdirSync(raw("d\xe4"), "latin1").sort(), ["g\xff", "new"]);
    fs.remove(`${directory}/d\udce4`, { recursive: true });
    assert.deepEqual(fs.list(directory), ["l\udce4", "m"]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
