/** Programs share the stdout of the program that started them: one that ends must leave it open for the next. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Stdout } from "../../../cli/terminal/stdout.ts";

test("Stdout is written once every write has been called back, empty ones left out", async () => {
  const calls: (() => void)[] = [];
  const stdout = new Stdout({ write: (_text, done) => calls.push(done) });
  await stdout.written();
  stdout.write("");
  assert.equal(calls.length, 0);
  stdout.write("a");
  stdout.write("b");
  let over = false;
  const written = stdout.written().then(() => over = true);
  calls[0]!();
  await Promise.resolve();
  assert.equal(over, false);
  calls[1]!();
  await written;
});

test("two programs one after the other print to the socket that both were given", { timeout: 60_000 }, async () => {
  const salt = fileURLToPath(new URL("../../../cli/salt.ts", import.meta.url));
  const words = "Deno" in globalThis ? ["run", "-A", "--no-lock", "-q", salt] : [salt];
  const line = [process.execPath, ...words, "--version"].map((word) => `'${word}'`).join(" ");
  // The stdout that a parent on Node passes is a socket, as systemd's is.
  const child = spawn("sh", ["-c", `${line} && ${line}`], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (said += text));
  const code = await new Promise((resolve) => child.on("close", resolve));
  assert.equal(code, 0);
  assert.equal(said.match(/^salt \d/gm)?.length, 2);
});
