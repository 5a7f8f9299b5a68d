import assert from "node:assert/strict";
import { test } from "node:test";
import { isRecord } from "../../src/base/record.ts";

for (
  const { name, value, want } of [
    { name: "an object", value: { a: 1 }, want: true },
    { name: "an object without a prototype", value: Object.create(null), want: true },
    { name: "null", value: null, want: false },
    { name: "a text", value: "a", want: false },
    { name: "a list", value: [1], want: false },
    { name: "a Map", value: new Map([["a", 1]]), want: false },
    { name: "bytes", value: new Uint8Array(1), want: false },
    { name: "a boxed number", value: Object(1), want: false },
    { name: "a date", value: new Date(0), want: false },
  ]
) test(`isRecord() of ${name} is ${want}`, () => assert.equal(isRecord(value), want));
