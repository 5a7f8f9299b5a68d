import assert from "node:assert/strict";
import { test } from "node:test";
import { executionFunction, executionFunctions, type JobContext } from "../../../src/model/loader/family.ts";
import { ArgumentMismatchError, bindArguments, parseSignature } from "../../../src/model/loader/signature.ts";

test("parseSignature: reads parameters, Python's literals, *args and **kwargs", () => {
  assert.deepEqual(parseSignature("a, b=42, c='x y', d=None, e=True, f=1.5, *args, **kwargs"), {
    params: [
      { name: "a" },
      { name: "b", default: 42 },
      { name: "c", default: "x y" },
      { name: "d", default: null },
      { name: "e", default: true },
      { name: "f", default: 1.5 },
    ],
    varargs: "args",
    keywords: "kwargs",
  });
});

for (
  const { signature, positional, keyword = {}, message } of [
    { signature: "a, b", positional: [], message: "f() missing 2 required positional arguments: 'a' and 'b'" },
    { signature: "a, b, c", positional: [], message: "f() missing 3 required positional arguments: 'a', 'b', and 'c'" },
    { signature: "a, b", positional: [1], message: "f() missing 1 required positional argument: 'b'" },
    { signature: "", positional: [1], message: "f() takes 0 positional arguments but 1 was given" },
    { signature: "a", positional: [1, 2], message: "f() takes 1 positional argument but 2 were given" },
    {
      signature: "a, b, c=1",
      positional: [1, 2, 3, 4],
      message: "f() takes from 2 to 3 positional arguments but 4 were given",
    },
    { signature: "a", positional: [1], keyword: { a: 2 }, message: "f() got multiple values for argument 'a'" },
    { signature: "a", positional: [1], keyword: { z: 2 }, message: "f() got an unexpected keyword argument 'z'" },
  ] as { signature: string; positional: unknown[]; keyword?: Record<string, unknown>; message: string }[]
) {
  test(`bindArguments: ${message}`, () => {
    assert.throws(
      () => bindArguments("f", parseSignature(signature), positional, new Map(Object.entries(keyword))),
      (error: unknown) => error instanceof ArgumentMismatchError && error.message === message,
    );
  });
}

test("bindArguments: a default that is a container is fresh for each call", () => {
  const signature = parseSignature("a=[]");
  const first = bindArguments("f", signature, [], new Map());
  (first.a as unknown[]).push(1);
  assert.deepEqual(bindArguments("f", signature, [], new Map()).a, []);
});

test("bindArguments: a keyword called __proto__ stays a keyword", () => {
  const bound = bindArguments("f", parseSignature("**kwargs"), [], new Map([["__proto__", { bad: 1 }]]));
  const kwargs = bound.kwargs as Record<string, unknown>;
  assert.equal(kwargs.bad, undefined);
  assert.deepEqual(Object.keys(kwargs), ["__proto__"]);
});

test("parseSignature(): a quoted text is what is between the quotes", () => {
  const { params } = parseSignature("char='#', none='None', number='5', empty='', dashes='#-- x --'");
  assert.deepEqual(params.map((param) => param.default), ["#", "None", "5", "", "#-- x --"]);
});

test("parseSignature(): a parameter may have a type", () => {
  const { params } = parseSignature(`force: bool=False,
    cmd : str, sep=':'`);
  assert.deepEqual(params, [
    { name: "force", type: "bool", default: false },
    { name: "cmd", type: "str" },
    { name: "sep", default: ":" },
  ]);
});

test("executionFunction(): arguments are what the signature says", async () => {
  const REST = "root=None, **others";
  const fun = executionFunction({
    signature: `force: bool=False, cmd: str='', ${REST}`,
    doc: "",
    run: (_context, args) => {
      const typed: { force: boolean; cmd: string; root: unknown; others: Record<string, unknown> } = args;
      // @ts-expect-error It has no such parameter.
      return [typed.force, typed.cmd, typed.root, args.dir];
    },
  });
  const bound = bindArguments("f", parseSignature(fun.signature), ["yes", 1.5], new Map([["more", 1]]));
  assert.deepEqual(await fun.run({} as JobContext, bound), [true, "1.5", null, undefined]);
  assert.deepEqual(bound.force, "yes");
});

test("executionFunctions(): a key has the name and the arguments; what is declared elsewhere keeps its name", async () => {
  const other = executionFunction({ signature: "a", doc: "Other.", run: () => 1 });
  const functions = executionFunctions({
    "set(name: str, force: bool=False, *values)": {
      doc: "Sets.",
      inline: true,
      run(_context, { name, values, force, ...rest }) {
        const typed: [string, unknown[], boolean] = [name, values, force];
        // @ts-expect-error It has no such parameter.
        return [...typed, rest.dir];
      },
    },
    "none()": { doc: "", run: () => true },
    other,
  });
  assert.deepEqual(Object.keys(functions), ["set", "none", "other"]);
  assert.equal(functions.other, other);
  const { signature, doc, inline, run } = functions.set;
  assert.deepEqual([doc, inline], ["Sets.", true]);
  const bound = bindArguments("set", parseSignature(signature), [5, 1, 6], new Map());
  assert.deepEqual(run({} as JobContext, bound as Parameters<typeof run>[1]), ["5", [6], true, undefined]);
  assert.equal(functions.none.run({} as JobContext, {}), true);
});
