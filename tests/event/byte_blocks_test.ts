import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteBlocks } from "../../src/event/byte_blocks.ts";

test("ByteBlocks: small pieces share blocks and stay as they are; large ones are not copied", () => {
  const blocks = new ByteBlocks();
  const pieces = Array.from({ length: 5000 }, (_, at) => new Uint8Array(700).fill(at));
  const copies = pieces.map((piece) => blocks.copy(piece));
  for (const piece of pieces) piece.fill(255);
  for (const [at, copy] of copies.entries()) assert.ok(copy.length === 700 && copy.every((byte) => byte === at % 256));
  assert.equal(new Set(copies.map(({ buffer }) => buffer)).size, 4);
  const large = new Uint8Array(100_000);
  assert.equal(blocks.copy(large), large);
  const last = copies.at(-1)!;
  blocks.clear();
  assert.notEqual(blocks.copy(new Uint8Array(1)).buffer, last.buffer);
  assert.equal(last[0], 4999 % 256);
});
