/** The lines of what a program prints. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { deferred } from "../../../src/base/async/deferred.ts";
import { Lines } from "../../../src/model/loader/lines.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test("lines are whole, wherever chunks end, and empty ones are left out", async () => {
  const taken: string[] = [];
  const lines = new Lines((line) => void taken.push(line));
  const all = bytes("one\n\ntwö\nthree");
  for (let at = 0; at < all.length; at += 2) await lines.push(all.slice(at, at + 2));
  assert.deepEqual(taken, ["one", "twö"]);
  await lines.end();
  assert.deepEqual(taken, ["one", "twö", "three"]);
});

test("who prints faster than lines are taken has to wait", async () => {
  const gate = deferred<void>();
  const lines = new Lines(() => gate.promise);
  let isTaken = false;
  const pushed = lines.push(bytes("a\nb\n")).then(() => isTaken = true);
  await Promise.resolve();
  assert.equal(isTaken, false);
  gate.resolve();
  await pushed;
  assert.equal(isTaken, true);
});

test("a line without an end costs bounded memory: it is left out, and the next one is taken", async () => {
  const taken: string[] = [];
  const left: number[] = [];
  const lines = new Lines((line) => void taken.push(line), (length) => void left.push(length));
  const chunk = bytes("x".repeat(256 * 1024));
  for (let n = 0; n < 40; n++) await lines.push(chunk);
  await lines.push(bytes("end\nnext\n"));
  assert.deepEqual(taken, ["next"]);
  assert.deepEqual(left, [40 * 256 * 1024 + 3]);
});
