import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { OUTPUTTERS, render } from "../../../src/plugins/outputters/mod.ts";

describe("render()", () => {
  test("finds a function for each name", async () => {
    for (const load of Object.values(OUTPUTTERS)) assert.equal(typeof await load(), "function");
  });
  test("uses nested without a name", async () => {
    assert.deepEqual(await render(null, { a: 1 }), { text: "a:\n    1" });
  });
  test("warns about an unknown name, and prints as nested", async () => {
    assert.deepEqual(await render("constructor", { a: 1 }), { text: "a:\n    1", unknownOutputter: "constructor" });
  });
  test("does not warn about grains", async () => assert.deepEqual(await render("grains", "x"), { text: "x" }));
  test("tries nested if the data has the wrong form", async () => {
    assert.deepEqual(await render("highstate", { m1: { s: { result: true } } }), {
      text: "m1:\n    ----------\n    s:\n        ----------\n        result:\n            True",
    });
  });
  test("trims white space at the end", async () => assert.equal((await render("txt", "x \n\n")).text, "x"));
  test("takes colours from a theme", async () => {
    const { text } = await render("nested", 1, { color: true, color_theme: { LIGHT_YELLOW: "35" } });
    assert.equal(text, "\x1b[35m1\x1b[0;0m");
  });
  test("shows orchestrations within one another only so deep: each is indented by more", async () => {
    let data: unknown = { m1: "x" };
    for (let depth = 0; depth < 150; depth++) {
      const state = { result: true, comment: "", changes: data, name: "state.orch", __run_num__: 0 };
      data = { m1: { "salt_|-a_|-b_|-state": state } };
    }
    assert.ok((await render("highstate", data)).text.length < 10_000_000);
  });
  test("shows more states than a call has arguments", async () => {
    const states = Array.from({ length: 150_000 }, (_, at) => {
      const state = { result: `r${at}`, comment: "", changes: {}, __run_num__: at, __parallel__: true, duration: 1 };
      return [`test_|-${at}_|-b_|-nop`, state];
    });
    const data = { m1: Object.fromEntries(states) };
    const { text } = await render("highstate", data, { state_output: "terse", state_output_profile: true });
    assert.match(text, /Total states run: 150000\nTotal run time: {3}1\.000 ms$/);
  });
});
