import assert from "node:assert/strict";
import { test } from "node:test";
import { BINARY, COMPARISONS } from "../../../src/language/jinja/operators.ts";
import { MARKUP_METHODS } from "../../../src/language/jinja/methods/markup.ts";
import { TEXT_METHODS } from "../../../src/language/jinja/methods/text.ts";
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

const A = new Markup("a");

for (
  const [operator, left, right, error] of [
    ["+", A, 1, "unsupported operand type(s) for +: 'Markup' and 'int'"],
    ["+", 1, A, "unsupported operand type(s) for +: 'int' and 'Markup'"],
    ["-", A, "b", "unsupported operand type(s) for -: 'Markup' and 'str'"],
    ["/", A, 2, "unsupported operand type(s) for /: 'Markup' and 'int'"],
    ["**", A, 2, "unsupported operand type(s) for ** or pow(): 'Markup' and 'int'"],
    ["*", A, "b", "'str' object cannot be interpreted as an integer"],
    ["*", "b", A, "'str' object cannot be interpreted as an integer"],
    ["<", A, 1, "'<' not supported between instances of 'Markup' and 'int'"],
  ] as const
) {
  test(`markup in an operation that it has not is named in the error: ${operator} ${String(right)}`, () => {
    assert.throws(() => (BINARY[operator] ?? COMPARISONS[operator]!)(left, right), { message: error });
  });
}

test("texts are joined with markup among them, and markup joins anything", () => {
  const joined = (methods: typeof TEXT_METHODS, self: unknown, items: unknown[]) =>
    String(methods.join!.call(self as never, [items], new Map()));
  assert.equal(joined(TEXT_METHODS, ", ", [A, "<"]), "a, <");
  assert.equal((MARKUP_METHODS.join!.call("x" as never, [["<", 1, A]], new Map()) as Markup).text, "&lt;x1xa");
  assert.equal((BINARY["*"]!(A, 2) as Markup).text, "aa");
  assert.equal(COMPARISONS["<"]!(A, "b"), true);
});
