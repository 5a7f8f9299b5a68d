import assert from "node:assert/strict";
import { test } from "node:test";
import { masterReturn } from "../../src/console/master_return.ts";

const EVENT = { fun: "runner.test.arg", fun_args: [1], jid: "20261121084331391697", success: true, return: "x" };

for (
  const { name, kept, want } of [
    { name: "a value", kept: EVENT, want: { return: "x", retcode: 0, success: true, arg: [1] } },
    {
      name: "a failure",
      kept: { ...EVENT, success: false, fun_args: undefined },
      want: { return: "x", retcode: 1, success: false, arg: [] },
    },
    {
      name: "data of several masters",
      kept: { ...EVENT, return: { data: { a: 1, b: 2 }, outputter: "highstate", retcode: 2 } },
      want: { return: { a: 1, b: 2 }, retcode: 2, success: false, arg: [1] },
    },
    { name: "a value that is no event", kept: "VALUE_TRIMMED", want: undefined },
    { name: "a map that is no event", kept: { web1: true }, want: undefined },
  ]
) {
  test(`what a master keeps of a function of its own is read: ${name}`, () => {
    assert.deepEqual(masterReturn(kept), want);
  });
}
