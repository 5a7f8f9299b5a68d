import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { decodeFile, decodeText, encodeText } from "../../../src/language/python/codecs.ts";

type Row = [
  encoding: string,
  errors: string,
  way: "encode" | "decode",
  given: string,
  want: string | null,
  error?: string,
];

const { rows }: { rows: Row[] } = JSON.parse(
  readFileSync(new URL("../../vectors/codecs.json", import.meta.url), "utf8"),
);

const bytesOf = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16));
const hexOf = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

describe("encodings as Python has them", () => {
  for (const [encoding, own] of Map.groupBy(rows, ([name]) => name)) {
    test(encoding, () => {
      for (const [, errors, way, given, want, error] of own) {
        const run = () =>
          way === "encode" ? hexOf(encodeText(given, encoding, errors)) : decodeText(bytesOf(given), encoding, errors);
        const where = `${way} ${JSON.stringify(given)} ${errors}`;
        if (want !== null) assert.equal(run(), want, where);
        else assert.throws(run, (thrown: Error) => `${thrown.name}: ${thrown.message}`.startsWith(error!), where);
      }
    });
  }
});

test("decodeFile() reads UTF-16 and UTF-32 only behind a byte order mark", () => {
  assert.equal(decodeFile(Uint8Array.of(0xff, 0xfe, 0x61, 0), "utf-16"), "a");
  assert.equal(decodeFile(Uint8Array.of(0xfe, 0xff, 0, 0x61), "utf-16"), "a");
  assert.equal(decodeFile(new Uint8Array(), "utf-16"), "");
  assert.throws(() => decodeFile(Uint8Array.of(0x61, 0), "utf-16"), /UTF-16 stream does not start with BOM/);
  assert.equal(decodeFile(Uint8Array.of(0x61, 0), "utf-16-le"), "a");
});
