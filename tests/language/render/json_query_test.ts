/** The filter json_query: recorded searches of jmespath.py, and expressions that would take for ever. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { silentLogger } from "../../../src/base/log.ts";
import { dumpJson } from "../../../src/language/python/json_dump.ts";
import { parseOrderedJson } from "../../../src/language/python/json.ts";
import { jinja } from "../../../src/language/render/jinja.ts";
import { parseQuery } from "../../../src/language/render/jmespath/parse.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";

type Case = [doc: number, expression: string, result: Map<string, unknown>];

const recorded = parseOrderedJson(
  readFileSync(new URL("../../vectors/jmespath.json", import.meta.url), "utf8"),
) as Map<string, unknown>;
const docs = recorded.get("docs") as unknown[];
const free = { step() {}, write() {} };

describe("recorded searches", () => {
  for (const [doc, expression, wanted] of recorded.get("cases") as Case[]) {
    test(`${expression} of document ${doc}`, () => {
      const search = () => parseQuery(expression)(docs[doc], free) ?? null;
      if (wanted.has("err")) assert.throws(search, { name: /^(?:JMESPathError|ValueError)$/ });
      else assert.equal(dumpJson(search()), dumpJson(wanted.get("ok")));
    });
  }
});

describe("json_query in a template", async () => {
  const render = jinja(await currentRuntime());
  const job = { path: "/t", saltenv: "base", argline: "", log: silentLogger };
  const run = (expression: string, limits = { steps: 100_000, characters: 100_000, depth: 200 }) =>
    render("{{ data | json_query(expression) }}", {
      ...job,
      globals: { data: { a: [1, [2]], s: "xy" }, expression },
      limits,
    });
  const many = (part: string, count: number) => Array(count).fill(part).join("|");

  test("gives what it finds", () => assert.equal(run("a[1]"), "[2]"));

  for (
    const { name, expression, wants } of [
      { name: "a list that doubles", expression: many("[@,@][]", 60), wants: /rounds and calls/ },
      {
        name: "lists in lists that are written",
        expression: `${many("[@,@]", 60)}|to_string(@)`,
        wants: /rounds and calls/,
      },
      { name: "lists in lists that are compared", expression: `${many("[@,@]", 60)}|@==@`, wants: /rounds and calls/ },
      {
        name: "lists in lists that are looked through",
        expression: `${many("[@,@]", 60)}|contains(@, @)`,
        wants: /rounds and calls/,
      },
      {
        name: "a text that doubles",
        expression: `s|${many("join(@, [@,@,@])", 30)}`,
        wants: /more than 100000 characters/,
      },
      {
        name: "brackets in brackets",
        expression: `${"(".repeat(2000)}a`,
        wants: /more than 2000 parts|more than 200 deep/,
      },
      { name: "many denials", expression: `${"!".repeat(1900)}a`, wants: /more than 200 deep/ },
      { name: "a long path", expression: `a${".a".repeat(5000)}`, wants: /more than 2000 parts/ },
      { name: "a long text", expression: " ".repeat(100_000), wants: /longer than 65536 characters/ },
      { name: "the constructor", expression: "constructor(@)", wants: /Unknown function: constructor\(\)/ },
    ]
  ) {
    test(`${name} is refused`, () => assert.throws(() => run(expression), wants));
  }

  test("a path of all the parts that there may be is followed", () => {
    assert.equal(run(`a${".a".repeat(990)}`), "None");
    assert.equal(run(`${many("@", 990)}.s`), "xy");
  });

  test("names of the runtime are no fields", () => {
    for (const name of ["constructor", "__proto__", "length", "toString"]) assert.equal(run(`"${name}"`), "None", name);
  });
});
