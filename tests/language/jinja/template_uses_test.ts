import assert from "node:assert/strict";
import { test } from "node:test";
import { JINJA_DEFAULTS, TemplateSyntaxError, templateUses } from "../../../src/language/jinja/mod.ts";

test("filters, tests, templates and what is taken from names are listed with their lines, and nothing is run", () => {
  const uses = templateUses(
    `{% from "a/b.jinja" import c as d, e with context %}
{{ salt['x.y'](1 | first) ~ salt.pkg.version('n') }}
{% if grains.os.family is defined and salt[name] %}{% include "t.txt" %}{% endif %}
{% filter upper %}{% for i in d.list %}{% set salt2 = 'in "salt[1]"' %}{% endfor %}{% endfilter %}
{% raw %}{{ salt['no.no'] }}{% endraw %}`,
    JINJA_DEFAULTS,
  );
  assert.deepEqual(uses.filters, [{ name: "first", line: 2 }, { name: "upper", line: 4 }]);
  assert.deepEqual(uses.tests, [{ name: "defined", line: 3 }]);
  assert.deepEqual(uses.templates, [{ name: "a/b.jinja", line: 1 }, { name: "t.txt", line: 3 }]);
  assert.deepEqual([...uses.assigned].sort(), ["d", "e", "i", "salt2"]);
  const taken = uses.taken.map(({ from, keys, line }) => [from, ...keys, line].join(" "));
  for (const want of ["salt x.y 2", "salt pkg version 2", "grains os family 3", "d list 4"]) {
    assert.ok(taken.includes(want), `${want}: ${taken.join(", ")}`);
  }
  assert.ok(!taken.some((one) => one.includes("no.no")));
});

test("a template that does not parse is refused with its line", () => {
  assert.throws(
    () => templateUses("\n{{ a | }}", JINJA_DEFAULTS),
    (error) => error instanceof TemplateSyntaxError && error.at === 2,
  );
});
