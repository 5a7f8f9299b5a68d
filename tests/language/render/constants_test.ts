/** What of a template is worked out once, and what is not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLogger } from "../../../src/base/log.ts";
import { jinja } from "../../../src/language/render/jinja.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";

const runtime = await currentRuntime();
const render = jinja(runtime);
const job = { path: "a.sls", sls: "a", saltenv: "base", argline: "", globals: {}, log: silentLogger };

test("a constant prints the same in each render", () => {
  const source = "{{ ['b', 'a'] | sort }} {{ 'a' ~ (1 + 1) }} {{ {'x': [1]} }} {{ 2 > 1 if true else 'no' }}";
  const texts = [1, 2, 3].map(() => render(source, job));
  assert.deepEqual(texts, Array(3).fill("['a', 'b'] a2 {'x': [1]} True"));
});

test("a list that a template changes is a new one in the next render", () => {
  const source = "{% set l = [1] %}{% do l.append(2) %}{{ l }}";
  assert.deepEqual([render(source, job), render(source, job)], ["[1, 2]", "[1, 2]"]);
});

test("chance, files and the clock are asked each time", () => {
  const random = "{{ range(100000) | list | random }}";
  const drawn = new Set(Array.from({ length: 20 }, () => render(random, job)));
  assert.ok(drawn.size > 1, [...drawn].join(" "));
  const named = "{{ [[1, 2, 3, 4, 5, 6, 7, 8, 9]] | map('random') | list }}";
  assert.ok(new Set(Array.from({ length: 100 }, () => render(named, job))).size > 1);
});

test("a constant that fails does so each time, and is undefined as the options say", () => {
  const source = "{{ {}['x'] ~ 'y' }}";
  assert.throws(() => render(source, job), /has no attribute 'x'/);
  assert.equal(render(source, { ...job, allowUndefined: true }), "y");
  assert.throws(() => render(source, job), /has no attribute 'x'/);
});
