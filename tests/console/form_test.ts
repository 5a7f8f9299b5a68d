import assert from "node:assert/strict";
import { test } from "node:test";
import {
  docText,
  EMPTY,
  type Filled,
  filledFrom,
  formArguments,
  formEntry,
  formOf,
  typed,
  withTest,
} from "../../src/console/form.ts";

for (
  const { text, value, type } of [
    { text: "5", value: 5, type: "number" },
    { text: "-1.5", value: -1.5, type: "number" },
    { text: "20261121084331391697", value: "20261121084331391697", type: "text" },
    { text: "007", value: "007", type: "text" },
    { text: "1.10", value: "1.10", type: "text" },
    { text: "true", value: true, type: "true/false" },
    { text: "False", value: false, type: "true/false" },
    { text: "None", value: null, type: "null" },
    { text: '["a", 1]', value: ["a", 1], type: "list" },
    { text: '{"a": 1}', value: { a: 1 }, type: "mapping" },
    { text: "{{ grains.os }}", value: "{{ grains.os }}", type: "text" },
    { text: '"5"', value: "5", type: "text" },
    { text: "df -h", value: "df -h", type: "text" },
    { text: " keep blanks ", value: " keep blanks ", type: "text" },
    { text: "toString", value: "toString", type: "text" },
  ]
) {
  test(`${text} is sent as ${type}`, () => {
    assert.deepEqual(typed({ text }), { value, type });
    assert.deepEqual(typed({ text, literal: true }), { value: text, type: "text" });
    assert.deepEqual(typed(formEntry(value)).value, value);
  });
}

const RUN = formOf({ args: ["cmd", "cwd", "timeout"], defaults: [null, 30], varargs: null, kwargs: true });
const ARG = formOf({ args: null, defaults: null, varargs: "args", kwargs: "kwargs" });
const filled = (fields: Record<string, string>, more: string[] = [], named: Record<string, string> = {}): Filled => ({
  fields: Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, { text }])),
  more: more.map((text) => ({ text })),
  named: Object.entries(named).map(([name, text]) => ({ name, entry: { text } })),
});

test("a form has the arguments of the signature, and which are required", () => {
  assert.deepEqual(RUN.fields, [
    { name: "cmd", required: true },
    { name: "cwd", required: false, fallback: null },
    { name: "timeout", required: false, fallback: 30 },
  ]);
  assert.deepEqual([RUN.more, RUN.named, ARG.more, ARG.named], [false, true, true, true]);
});

for (
  const { name, form, entered, arg, kwarg, problems = [] } of [
    { name: "goes by its place", form: RUN, entered: filled({ cmd: "df", cwd: "/" }), arg: ["df", "/"], kwarg: {} },
    {
      name: "goes by name after a gap",
      form: RUN,
      entered: filled({ cmd: "df", timeout: "5" }),
      arg: ["df"],
      kwarg: { timeout: 5 },
    },
    {
      name: "that looks named goes by its name",
      form: RUN,
      entered: filled({ cmd: "A=1 make" }),
      arg: [],
      kwarg: { cmd: "A=1 make" },
    },
    { name: "that is needed is missed", form: RUN, entered: EMPTY, arg: [], kwarg: {}, problems: ["cmd"] },
    { name: "beyond the names follows", form: ARG, entered: filled({}, ["a", "2", ""]), arg: ["a", 2], kwarg: {} },
    {
      name: "with a name of its own is named",
      form: ARG,
      entered: filled({}, [], { n: "true" }),
      arg: [],
      kwarg: { n: true },
    },
    {
      name: "with a bad name is refused",
      form: ARG,
      entered: filled({}, [], { "a b": "1" }),
      arg: [],
      kwarg: {},
      problems: ["named"],
    },
  ]
) {
  test(`an argument ${name}`, () => {
    const found = formArguments(form, entered);
    assert.deepEqual([found.arg, found.kwarg, Object.keys(found.problems)], [arg, kwarg, problems]);
  });
}

test("arguments of an earlier run fill the form so that they are sent again as they were", () => {
  const before = { arg: ["df", "007"], kwarg: { timeout: 5, umask: "022", env: { A: "1" } } };
  const again = formArguments(RUN, filledFrom(RUN, before));
  assert.deepEqual(again.problems, {});
  assert.deepEqual([again.arg, again.kwarg], [["df", "007", 5], { umask: "022", env: { A: "1" } }]);
});

test("docText() removes the common indentation", () => {
  assert.equal(
    docText("\n    Does it.\n\n    CLI Example:\n\n        salt x\n    "),
    "Does it.\n\nCLI Example:\n\n    salt x",
  );
  assert.equal(docText(undefined), "");
});

test("the switch of a dry run is the argument test, wherever the function has it", () => {
  const field = formOf({ args: ["mods", "test"], defaults: [null, null], varargs: null, kwargs: true });
  const named = formOf({ args: ["mods"], defaults: [null], varargs: null, kwargs: true });
  for (const form of [field, named]) {
    const filled = { fields: { mods: { text: "app" } }, more: [], named: [{ name: "pillar", entry: { text: "{}" } }] };
    const dry = withTest(form, filled, true);
    assert.equal(formArguments(form, withTest(form, dry, true)).kwarg.test ?? formArguments(form, dry).arg[1], true);
    assert.deepEqual(withTest(form, dry, false), filled);
  }
});
