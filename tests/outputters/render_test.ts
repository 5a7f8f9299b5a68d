import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { OUTPUTTERS, render } from "../../src/plugins/outputters/mod.ts";

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
});
