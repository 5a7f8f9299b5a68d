import assert from "node:assert/strict";
import { test } from "node:test";
import { findNames, nearNames } from "../../src/console/search.ts";

const NAMES = ["cmd.run", "cmd.run_all", "file.restart_note", "service.restart", "service.status", "test.ping"];

for (
  const { text, want } of [
    { text: "cmd", want: ["cmd.run", "cmd.run_all"] },
    { text: "restart", want: ["file.restart_note", "service.restart"] },
    { text: "PING", want: ["test.ping"] },
    { text: "serv res", want: ["service.restart"] },
    { text: "run_a", want: ["cmd.run_all"] },
    { text: "s", want: ["service.restart", "service.status", "file.restart_note", "test.ping"] },
    { text: "nothing", want: [] },
    { text: "", want: NAMES },
  ]
) {
  test(`findNames(): "${text}" finds ${want.join(", ") || "nothing"}`, () =>
    assert.deepEqual(findNames(NAMES, text, 9), want));
}

test("findNames() returns no more names than asked for", () =>
  assert.deepEqual(findNames(NAMES, "s", 1), ["service.restart"]));

test("nearNames() has what a mistyped name may have been meant to be, the nearest first", () => {
  const names = ["cmd.run", "cmd.run_all", "cmd.shell", "pkg.install", "state.apply"];
  assert.equal(nearNames("cmd.rnu", names, 3)[0], "cmd.run");
  assert.deepEqual(nearNames("zzzzzzzzz", names, 3), []);
});
