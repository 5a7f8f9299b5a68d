/** Templates by the grammar of the language, so that most of them run. */
import type { Chance } from "./mutate.ts";

const NAMES = ["x", "y", "i", "loop", "text", "record", "none", "ns", "m", "salt", "self", "caller", "range", "dict"];
const FILTERS = [
  "upper",
  "list",
  "sort",
  "reverse",
  "length",
  "join(',')",
  "default(1)",
  "tojson",
  "first",
  "last",
  "unique",
  "sum",
  "int",
  "float",
  "string",
  "replace('a', 'b')",
  "regex_replace('(a|b)+', 'c')",
  "regex_search('(a+)+$')",
  "map('upper')",
  "selectattr('a')",
  "groupby('a')",
  "batch(2)",
  "slice(2)",
  "dictsort",
  "items",
  "yaml",
  "load_json",
  "load_yaml",
  "truncate(3)",
  "wordwrap(2)",
  "center(9)",
  "indent(2)",
  "format(1, 2)",
  "round(2)",
  "abs",
  "min",
  "max",
  "xmlattr",
  "urlize",
  "striptags",
  "pprint",
  "random",
  "escape",
  "e",
  "safe",
  "sequence",
  "to_bool",
  "quote",
];
const TESTS = [
  "defined",
  "none",
  "string",
  "number",
  "mapping",
  "iterable",
  "even",
  "divisibleby(2)",
  "in([1])",
  "eq(1)",
  "sameas(x)",
  "match('a')",
];
const OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "~", "==", "!=", "<", ">=", "in", "not in", "and", "or"];

export function expression(chance: Chance, depth: number): string {
  const next = () => expression(chance, depth - 1);
  if (depth <= 0) {
    return chance.pick([
      chance.pick(NAMES),
      String(chance.below(9)),
      "'ab'",
      "1.5",
      "[]",
      "{}",
      "true",
      "99999999999",
      "''",
    ]);
  }
  switch (chance.below(13)) {
    case 0:
      return `[${next()}, ${next()}]`;
    case 1:
      return `{'a': ${next()}, ${next()}: 1}`;
    case 2:
      return `(${next()})`;
    case 3:
    case 4:
      return `(${next()} ${chance.pick(OPERATORS)} ${next()})`;
    case 5:
    case 6:
    case 7:
      return `${next()}|${chance.pick(FILTERS)}`;
    case 8:
      return `(${next()} is ${chance.pick(["", "not "])}${chance.pick(TESTS)})`;
    case 9:
      return `${next()}.${
        chance.pick(["a", "upper()", "items()", "append(1)", "format(1)", "join(x)", "split()", "__class__", "index"])
      }`;
    case 10:
      return `${next()}[${chance.pick([next(), ":", "1:", "::-1", "'a'", "-1"])}]`;
    case 11:
      return `(${next()} if ${next()} else ${next()})`;
    default:
      return `${chance.pick(["range", "dict", "cycler", "namespace", "joiner", "m", "lipsum", "x"])}(${
        chance.pick(["", "3", "a=1", next()])
      })`;
  }
}

export function template(chance: Chance, depth = 3): string {
  const parts = Array.from({ length: 1 + chance.below(4) }, () => statement(chance, depth));
  return parts.join(chance.pick(["", "\n", " text "]));
}

function statement(chance: Chance, depth: number): string {
  const value = () => expression(chance, chance.below(4));
  const body = () => depth <= 0 ? "b" : template(chance, depth - 1);
  switch (chance.below(12)) {
    case 0:
      return `{% if ${value()} %}${body()}{% elif ${value()} %}${body()}{% else %}c{% endif %}`;
    case 1:
    case 2:
      return `{% for i in ${value()} ${chance.pick(["", "recursive", "if i"])}%}${body()}{% else %}e{% endfor %}`;
    case 3:
      return `{% set ${chance.pick(["x", "y", "x, y", "ns.a"])} = ${value()} %}`;
    case 4:
      return `{% macro m(a, b=${value()}) %}${body()}{{ a }}{% endmacro %}`;
    case 5:
      return `{% call(i) m(${value()}) %}${body()}{% endcall %}`;
    case 6:
      return `{% filter ${chance.pick(FILTERS)} %}${body()}{% endfilter %}`;
    case 7:
      return `{% with x = ${value()} %}${body()}{% endwith %}`;
    case 8:
      return `{% set y %}${body()}{% endset %}`;
    default:
      return `{{${chance.pick(["", "-"])} ${value()} }}`;
  }
}

/** A document of nested maps and lists, as people write them. */
export function document(chance: Chance, indent = 0): string {
  const pad = " ".repeat(indent);
  const scalar = () =>
    chance.pick([
      "a",
      "1",
      "1.5",
      "yes",
      "~",
      "'q'",
      '"\\x41"',
      "2001-12-14",
      "[1, 2]",
      "{a: 1}",
      "&x b",
      "*x",
      "|\n" + pad + "    t",
      "1:30",
      "0o7",
      "",
    ]);
  const lines = Array.from({ length: 1 + chance.below(4) }, () => {
    const nested = indent < 8 && chance.one(0.4);
    const key = chance.pick(["a", "b", "'c d'", "1", "<<", "? x", "a", "é"]);
    if (chance.one(0.3)) return nested ? `${pad}-\n${document(chance, indent + 2)}` : `${pad}- ${scalar()}`;
    return nested ? `${pad}${key}:\n${document(chance, indent + 2)}` : `${pad}${key}: ${scalar()}`;
  });
  return lines.join("\n");
}
