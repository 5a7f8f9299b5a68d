/** What templates must not reach, and what they must not take. The templates of pillar come from files that others may write. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { silentLogger } from "../../../src/base/log.ts";
import { jinja } from "../../../src/language/render/jinja.ts";
import type { RenderJob } from "../../../src/language/render/renderer.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";

const runtime = await currentRuntime();
const render = jinja(runtime);

/** Renders a template with a few values of each kind. */
async function rendered(text: string, more: Partial<RenderJob> = {}): Promise<string> {
  const globals = {
    record: { a: 1 },
    map: new Map([["a", 1]]),
    list: [1],
    text: "x",
    number: 1,
    real: 1.5,
    none: null,
  };
  return String(
    await render(text, {
      path: "/srv/a.sls",
      sls: "a",
      saltenv: "base",
      argline: "",
      globals,
      log: silentLogger,
      ...more,
    }),
  );
}

const VALUES = [
  "record",
  "map",
  "list",
  "text",
  "number",
  "real",
  "range(3)",
  "range",
  "dict",
  "cycler('a')",
  "namespace()",
];
const INSIDES = [
  "constructor",
  "__proto__",
  "prototype",
  "__defineGetter__",
  "hasOwnProperty",
  "toString",
  "valueOf",
  "isPrototypeOf",
  "call",
  "apply",
  "bind",
  "length",
  "size",
  "set",
  "push",
  "then",
  "globalThis",
  "process",
];

describe("a template reaches no property of JavaScript", () => {
  for (const value of VALUES) {
    for (const name of INSIDES) {
      test(`${value}.${name}`, async () => {
        assert.equal(
          await rendered(`{{ (${value}).${name} is defined }} {{ (${value})['${name}'] is defined }}`),
          "False False",
        );
      });
    }
  }

  for (
    const name of [
      "constructor",
      "globalThis",
      "process",
      "Deno",
      "Bun",
      "require",
      "eval",
      "Function",
      "this",
      "self.constructor",
    ]
  ) {
    test(`the name ${name}`, async () => assert.equal(await rendered(`{{ ${name} is defined }}`), "False"));
  }

  for (const name of ["constructor", "__proto__", "toString"]) {
    test(`a filter and a test called ${name}`, async () => {
      await assert.rejects(rendered(`{{ 1 | ${name} }}`), new RegExp(`No filter named '${name}'`));
      await assert.rejects(rendered(`{{ 1 is ${name} }}`), new RegExp(`No test named '${name}'`));
      await assert.rejects(rendered(`{% ${name} %}`), new RegExp(`Encountered unknown tag '${name}'`));
    });
  }

  test("a key called __proto__ is a key", async () => {
    const probe = {} as Record<string, unknown>;
    assert.equal(
      await rendered("{% do map.update({'__proto__': {'polluted': 1}}) %}{{ map['__proto__'].polluted }}"),
      "1",
    );
    await assert.rejects(
      rendered("{% do record.update({'__proto__': {'polluted': 1}}) %}"),
      /Cannot add the key __proto__/,
    );
    assert.equal(
      await rendered("{% set ns = namespace() %}{% set ns.x = {'__proto__': 1} %}{{ ns.x }}"),
      "{'__proto__': 1}",
    );
    assert.equal(probe.polluted, undefined);
  });
});

describe("a template that takes too much is stopped, with its line", () => {
  const limits = { steps: 10_000, characters: 10_000, depth: 50 };
  for (
    const { name, text, message } of [
      {
        name: "rounds",
        text: "a\n{% for a in range(1000) %}{% for b in range(1000) %}{% endfor %}{% endfor %}\n",
        message: /takes more than 10000 rounds and calls[^]*; line 2\n/,
      },
      {
        name: "a list that grows while it is walked",
        text: "{% set l = [1] %}{% for x in l %}{% do l.append(x) %}{% endfor %}",
        message: /takes more than 10000 rounds/,
      },
      {
        name: "text",
        text: "{% for a in range(5000) %}xxxxx{% endfor %}",
        message: /writes more than 10000 characters/,
      },
      {
        name: "a macro that calls itself",
        text: "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        message: /recursion depth/,
      },
      {
        name: "a loop that calls itself",
        text: "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}",
        message: /recursion/,
      },
      { name: "a repeated text", text: "{{ ('x' * 100000000) | length }}", message: /repetition may have/ },
      { name: "a repeated list", text: "{{ ([0] * 100000000) | length }}", message: /repetition may have/ },
      { name: "a power", text: "{{ 10 ** 100000000 }}", message: /too large/ },
      { name: "a range", text: "{{ range(100000000) | list }}", message: /Range too big/ },
      { name: "a width", text: "{{ '%1000000000d' | format(1) }}", message: /width too big/ },
      { name: "a padded text", text: "{{ 'x'.ljust(1000000000) }}", message: /padded to/ },
      {
        name: "permutations",
        text: "{{ range(20) | list | permutations | list }}",
        message: /at most \d+ combinations/,
      },
      {
        name: "hosts of a network",
        text: "{{ '10.0.0.0/8' | network_hosts }}",
        message: /lists \d+ addresses at most/,
      },
      { name: "a template that imports itself", text: "{% import 'me' as m %}", message: /recursion depth/ },
      { name: "a text of openings alone", text: "{{ ('<' * 10000000) | striptags }}", message: /writes more than/ },
      { name: "nested brackets", text: `{{ ${"[".repeat(5000)}${"]".repeat(5000)} }}`, message: /nested more than/ },
      { name: "nested tags", text: "{% if 1 %}".repeat(5000), message: /nested more than/ },
      { name: "signs in front of a number", text: `{{ ${"-".repeat(50_000)}1 }}`, message: /nested more than/ },
    ]
  ) {
    test(name, async () => {
      const load = () => ({ path: "/srv/me", name: "me", source: "{% import 'me' as m %}" });
      await assert.rejects(rendered(text, { limits, load }), message);
    });
  }

  test("what grows by itself: a text that is joined to itself", async () => {
    const text =
      "{% set ns = namespace(t='x') %}{% for a in range(60) %}{% set ns.t = ns.t ~ ns.t %}{% endfor %}{{ ns.t | length }}";
    await assert.rejects(rendered(text, { limits }), /a text may have \d+ characters at most/);
  });
});

// With backtracking each of these would take years.
describe("a regular expression that does not match costs little", () => {
  const text = `'${"a".repeat(200)}!'`;
  for (
    const { name, template, expected } of [
      { name: "regex_search", template: `{{ ${text} | regex_search('(a+)+$') }}`, expected: "None" },
      { name: "regex_match", template: `{{ ${text} | regex_match('(a|aa)+$') }}`, expected: "None" },
      { name: "regex_replace", template: `{{ ${text} | regex_replace('(a*)*b', 'x') }}`, expected: text.slice(1, -1) },
      {
        name: "regex_search without groups that matches later",
        template: `{{ ${text.slice(0, -1)}ab' | regex_search('(?:a+)+b') }}`,
        expected: "()",
      },
      {
        name: "regex_search with groups that matches later",
        template: `{{ ${text} | regex_search('((a+)+)b|(!)') }}`,
        expected: "(None, None, '!')",
      },
    ]
  ) {
    test(name, async () => assert.equal(await rendered(template), expected));
  }

  test("and one with a reference that would is an error, at its line", async () => {
    await assert.rejects(
      rendered(`\n\n{{ ${text} | regex_search('((a+)+)\\\\1b|(!)') }}`),
      /it takes more than 20000000 steps[^]*line 3/,
    );
  });

  test("and one that matches still has its groups", async () => {
    assert.equal(await rendered("{{ 'web12' | regex_search('([a-z]+)(\\\\d+)(x)?') }}"), "('web', '12', None)");
    assert.equal(await rendered("{{ 'abab' | regex_match('(ab)\\\\1') }}"), "('ab',)");
    assert.equal(await rendered("{{ 'WEB' | regex_search('e', true) }}"), "()");
    assert.equal(await rendered("{{ 'a-b' | regex_replace('(.)-(.)', '\\\\2+\\\\1') }}"), "b+a");
  });

  test("and a template with an unknown group is an error without a match, too", async () => {
    await assert.rejects(rendered("{{ 'abc' | regex_replace('(x)', '\\\\2') }}"), /invalid group reference 2/);
  });
});

test("a call that gives a promise is waited for, wherever it stands", async () => {
  const functions = {
    has: (name: string) => Promise.resolve(name === "t.late"),
    hasModule: (name: string) => Promise.resolve(name === "t"),
    call: async (_name: string, args: readonly unknown[]) => {
      await Promise.resolve();
      return args[0];
    },
  };
  const late = (value: string) => `salt['t.late'](${value})`;
  const text = [
    `{% set a = ${late("1")} %}{{ a + ${late("2")} }}`,
    `{% for x in ${late("[1, 2, 3]")} if ${late("x")} > 1 %}{{ ${
      late("x")
    } }}{{ loop.last }}{% else %}none{% endfor %}`,
    `{% macro m(x, y=${late("5")}) %}<{{ ${late("x")} }}{{ y }}>{% endmacro %}{{ m(${late("1")}) }}{{ m(2, y=${
      late("3")
    }) }}`,
    `{% if ${late("false")} %}a{% elif ${late("true")} %}b{% endif %}`,
    `{{ [${late("1")}, {'k': ${late("'v'")}}] }} {{ ${late("'x'")} | upper ~ ${late("'y'")} }} {{ ${late("2")} in [1, ${
      late("2")
    }] }}`,
    `{% with a=${late("1")}, b=${late("2")} %}{{ a }}{{ b }}{% endwith %}{% set t %}{{ ${
      late("'in'")
    } }}{% endset %}{{ t }}`,
    `{% call(x) m(${late("9")}) %}{% endcall %}`.replace("m(", "n(").replace(
      "{% call",
      "{% macro n(q) %}{{ q }}{{ caller(1) }}{% endmacro %}{% call",
    ),
    `{% for i in [3, 1, 2] %}{% if ${late("i")} == 1 %}{% break %}{% endif %}{{ i }}{% endfor %}{{ salt.t.late('m') }}`,
    `{{ 't.late' in salt }} {{ 't.none' in salt }} {{ 't.none' not in salt }} {{ salt['t.none'] is defined }}`,
  ].join("\n");
  assert.equal(
    await rendered(text, { functions }),
    ["3", "2False3True", "<15><23>", "b", "[1, {'k': 'v'}] Xy True", "12in", "9", "3m", "True False True False"].join(
      "\n",
    ),
  );
});
