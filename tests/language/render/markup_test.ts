import assert from "node:assert/strict";
import { test } from "node:test";
import { Markup, withoutMarkup } from "../../../src/language/jinja/mod.ts";

test("a value without markup is the same value, however often it has a part, and though it is in itself", () => {
  let deep: unknown[] = ["x"];
  for (let level = 0; level < 100; level++) deep = [deep, deep];
  assert.equal(withoutMarkup(deep), deep);
  const own = new Map<string, unknown>([["a", 1]]);
  own.set("self", own);
  assert.equal(withoutMarkup(own), own);
});

test("markup becomes text in a copy, which shares its parts as the value does", () => {
  const shared = new Map<string, unknown>([["text", new Markup("<b>")]]);
  const whole = new Map<string, unknown>([["one", shared], ["two", [shared, "x"]]]);
  whole.set("self", whole);
  const plain = withoutMarkup(whole) as Map<string, unknown>;
  assert.equal((plain.get("one") as Map<string, unknown>).get("text"), "<b>");
  assert.equal((plain.get("two") as unknown[])[0], plain.get("one"));
  assert.equal(plain.get("self"), plain);
  assert.ok(shared.get("text") instanceof Markup, "the value is as it was");
});
