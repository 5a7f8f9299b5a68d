import assert from "node:assert/strict";
import { test } from "node:test";
import { hasDryRun, reasonToConfirm } from "../../src/console/danger.ts";
import { href, parseRoute } from "../../src/console/route.ts";
import {
  agoText,
  clockText,
  countText,
  jidTime,
  printedLine,
  shownText,
  targetText,
  zoneOf,
} from "../../src/console/text.ts";

for (
  const { fun, kwarg = {}, count, want } of [
    { fun: "test.ping", count: 5000, want: false },
    { fun: "grains.items", count: 5000, want: false },
    { fun: "cmd.run", count: 3, want: false },
    { fun: "cmd.run", count: 300, want: true },
    { fun: "cmd.run", count: undefined, want: true },
    { fun: "test.ping", count: undefined, want: true },
    { fun: "state.apply", kwarg: { test: true }, count: undefined, want: true },
    { fun: "test.ping", count: 0, want: false },
    { fun: "state.apply", count: 1, want: true },
    { fun: "state.apply", kwarg: { test: true }, count: 5000, want: false },
    { fun: "state.apply", kwarg: { test: "true" }, count: 1, want: true },
    { fun: "system.reboot", count: 1, want: true },
    { fun: "pkg.remove", count: 1, want: true },
    { fun: "file.rmdir", count: 1, want: true },
    { fun: "user.delete", count: 1, want: true },
    { fun: "key.delete", count: 1, want: true },
    { fun: "saltutil.kill_job", count: 1, want: true },
    { fun: "service.status", count: 1, want: false },
  ]
) {
  test(`${fun} ${JSON.stringify(kwarg)} on ${count ?? "an unknown number"} is ${want ? "confirmed" : "run at once"}`, () => {
    assert.equal(reasonToConfirm(fun, kwarg, count) !== undefined, want);
  });
}

test("only states have a dry run", () => {
  assert.deepEqual(["state.apply", "state.highstate", "cmd.run"].map(hasDryRun), [true, true, false]);
});

for (
  const { hash, want } of [
    { hash: "", want: { page: "fleet", name: "", query: {} } },
    { hash: "#/jobs", want: { page: "jobs", name: "", query: {} } },
    { hash: "#/jobs/2026", want: { page: "job", name: "2026", query: {} } },
    { hash: "#/minions/a%2Fb", want: { page: "minion", name: "a/b", query: {} } },
    { hash: "#/run?tgt=web*&fun=test.ping", want: { page: "run", name: "", query: { tgt: "web*", fun: "test.ping" } } },
    { hash: "#/no/such", want: { page: "fleet", name: "", query: {} } },
    { hash: "#/minions/%E0%A4", want: { page: "minion", name: "%E0%A4", query: {} } },
  ]
) {
  test(`the address ${hash || "without a page"} leads to ${want.page}`, () => assert.deepEqual(parseRoute(hash), want));
}

test("parseRoute() reads the addresses that href() makes", () => {
  const query = { tgt: "web* and G@os:Debian", arg: '["a&b", "ü"]' };
  assert.deepEqual(parseRoute(href("run", "", { ...query, kwarg: "" })), { page: "run", name: "", query });
  assert.deepEqual(parseRoute(href("minions", "a/b?c")), { page: "minion", name: "a/b?c", query: {} });
});

test("the time of a jid counts in the master's zone", () => {
  const jid = "20261121094331000000";
  assert.equal(zoneOf(jid, "2026-11-21T08:43:31.200000"), -3_600_000);
  assert.equal(zoneOf(jid, "nonsense"), 0);
  assert.equal(jidTime(jid, -3_600_000), Date.UTC(2026, 10, 21, 8, 43, 31));
  assert.equal(jidTime("nonsense", 0), undefined);
});

test("times and counts are short", () => {
  const now = new Date(2026, 10, 21, 12, 0, 0).getTime();
  assert.equal(clockText(now - 61_000, now), "11:58:59");
  assert.equal(clockText(now - 86_400_000, now), "2026-11-20 12:00:00");
  assert.deepEqual([0, 12_000, 300_000, 3 * 3600_000, 3 * 86_400_000].map(agoText), [
    "now",
    "12 s",
    "5 min",
    "3 h",
    "3 d",
  ]);
  assert.deepEqual([countText(1, "minion"), countText(5000, "minion")], ["1 minion", "5,000 minions"]);
  assert.equal(targetText(["a", "b"]), "a,b");
  assert.equal(targetText("x".repeat(200)).length, 118);
});

for (
  const { text, want } of [
    { text: "plain\n\ttext", want: "plain\n\ttext" },
    {
      text: "Gr\u00fc\u00dfe, \u4e16\u754c, \u05e9\u05dc\u05d5\u05dd",
      want: "Gr\u00fc\u00dfe, \u4e16\u754c, \u05e9\u05dc\u05d5\u05dd",
    },
    { text: "\u202e1bew", want: "\\u202e1bew" },
    { text: "a\u2066b\u2069\u0000\u0007", want: "a\\u2066b\\u2069\\x00\\x07" },
    { text: "\u001b[1;31mred\u001b[0m \u001b[2J\r\n", want: "\\x1b[1;31mred\\x1b[0m \\x1b[2J\\x0d\n" },
  ]
) {
  test(`${JSON.stringify(text)} is shown as ${JSON.stringify(want)}`, () => assert.equal(shownText(text), want));
}

test("a text of millions of characters is cut, and says so", () => {
  assert.match(shownText("x".repeat(5_000_000)), /^x{50000}… \(4,950,000 characters more: copy to have all\)$/);
});

test("a printed line is shown without its colours; what else it does to a terminal is not hidden", () => {
  assert.equal(shownText(printedLine("\u001b[1;31mred\u001b[0m \u001b[2J\r")), "red \\x1b[2J");
});
