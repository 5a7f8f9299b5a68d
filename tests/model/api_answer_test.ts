import assert from "node:assert/strict";
import { test } from "node:test";
import { eventIn, messageIn } from "../../src/model/api_answer.ts";

const page = (message: string) => `<html><h2>401 Unauthorized</h2><p>${message}</p><pre id="traceback"></pre></html>`;

for (
  const { text, want } of [
    { text: page("Client disabled: &#x27;wheel&#x27;. a &lt; b &amp; c"), want: "Client disabled: 'wheel'. a < b & c" },
    { text: '{"status": 500, "return": "An unexpected error occurred"}', want: "An unexpected error occurred" },
    { text: '{"error": "no"}', want: "no" },
    { text: "[1]", want: "[1]" },
    { text: "plain", want: "plain" },
    { text: "x".repeat(5000), want: "x".repeat(1000) },
    { text: "<html></html>", want: "" },
    { text: "<p>".repeat(100_000), want: "<p>".repeat(100_000).slice(0, 1000) },
  ]
) {
  test(`messageIn() of ${text.slice(0, 60)} is ${want.slice(0, 60)}`, () => assert.equal(messageIn(text), want));
}

for (
  const { text, want } of [
    { text: '{"tag": "salt/auth", "data": {"id": "a"}}', want: { tag: "salt/auth", data: { id: "a" } } },
    { text: '{"tag": "x", "data": "text"}', want: { tag: "x", data: { data: "text" } } },
    { text: '{"tag": "x", "data": [1]}', want: { tag: "x", data: { data: [1] } } },
    { text: '{"data": {}}', want: undefined },
    { text: "null", want: undefined },
    { text: "not JSON", want: undefined },
  ]
) {
  test(`eventIn() of ${text} is ${want === undefined ? "no event" : want.tag}`, () =>
    assert.deepEqual(eventIn(text), want));
}
