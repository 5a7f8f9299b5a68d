import assert from "node:assert/strict";
import { test } from "node:test";
import { formatTraceContext, parseTraceContext } from "../../../src/base/telemetry/mod.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";

test("parseTraceContext reads what formatTraceContext writes", () => {
  for (const sampled of [true, false]) {
    const context = { traceId: TRACE, spanId: SPAN, sampled };
    assert.deepEqual(parseTraceContext(formatTraceContext(context)), context);
  }
});

for (
  const [what, value] of [
    ["not text", 7],
    ["nothing", undefined],
    ["empty text", ""],
    ["another version", `01-${TRACE}-${SPAN}-01`],
    ["upper case", `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ["a trace of zeros", `00-${"0".repeat(32)}-${SPAN}-01`],
    ["a span of zeros", `00-${TRACE}-${"0".repeat(16)}-01`],
    ["more behind it", `00-${TRACE}-${SPAN}-01-x`],
    ["a line feed", `00-${TRACE}-${SPAN}-0\n`],
    ["megabytes", "0".repeat(5_000_000)],
  ] as const
) test(`parseTraceContext ignores ${what}`, () => assert.equal(parseTraceContext(value), undefined));
