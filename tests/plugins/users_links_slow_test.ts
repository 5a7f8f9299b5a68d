import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { currentRuntime } from "../../src/runtime/current.ts";
import type { FileSystem } from "../../src/runtime/fs.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();
const USER = 65_534;
const ATTEMPTS = 3000;

/** What a user does: two names change places, as fast as can be. */
const EXCHANGE = `
const fs = require("node:fs");
process.chdir(process.argv[1]);
process.setgroups?.([]); process.setgid(${USER}); process.setuid(${USER});
console.log("ready");
for (;;) {
  try {
    fs.renameSync("here", "x"); fs.renameSync("there", "here"); fs.renameSync("x", "there");
  } catch { /* root has taken one of them away */ }
}`;

const append = (fs: FileSystem, path: string) => fs.append(path, "+");
const write = (fs: FileSystem, path: string) => fs.writeAt(path, 0, new Uint8Array(1), { truncate: true });
const open = (fs: FileSystem, path: string) => fs.chmod(path, 0o666);

for (const below of ["", "/file"]) {
  for (const [name, change] of Object.entries({ append, write, open })) {
    const title = `a user who exchanges a ${below === "" ? "file" : "directory"} and a link at any time: ${name}`;
    const skip = process.getuid?.() === 0 && process.platform === "linux"
      ? false
      : "only root can make files of others";
    test(`root changes no file of others for ${title}`, { skip, timeout: 120_000 }, async () => {
      await inTemporary(runtime, async (directory) => {
        chmodSync(directory, 0o755);
        const [root, home] = [join(directory, "root"), join(directory, "home")];
        for (const path of [root, home]) mkdirSync(path);
        writeFileSync(join(root, "file"), "secret", { mode: 0o600 });
        if (below === "") writeFileSync(join(home, "here"), "");
        else mkdirSync(join(home, "here"));
        if (below !== "") writeFileSync(join(home, "here", "file"), "");
        symlinkSync(below === "" ? join(root, "file") : root, join(home, "there"));
        for (const path of [home, join(home, "here"), join(home, "there")]) lchownSync(path, USER, USER);
        if (below !== "") chownSync(join(home, "here", "file"), USER, USER);
        const user = spawn("node", ["-e", EXCHANGE, home], { stdio: ["ignore", "pipe", "inherit"] });
        try {
          await new Promise((resolve) => user.stdout.once("data", resolve));
          const seen = { done: 0, refused: 0 };
          for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
              change(runtime.fs, join(home, "here") + below);
              seen.done++;
            } catch {
              seen.refused++;
            }
          }
          assert.equal(readFileSync(join(root, "file"), "utf8"), "secret", JSON.stringify(seen));
          assert.equal(statSync(join(root, "file")).mode & 0o777, 0o600);
          assert.ok(seen.done > 0 && seen.refused > 0, JSON.stringify(seen));
        } finally {
          user.kill("SIGKILL");
          await new Promise((resolve) => user.once("close", resolve));
        }
      });
    });
  }
}
