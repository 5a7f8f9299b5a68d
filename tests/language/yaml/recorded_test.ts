/** Documents of which Salt's loader was asked: tests/vectors/yaml. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { repr } from "../../../src/language/python/values.ts";
import { explainYaml } from "../../../src/language/yaml/libyaml/explain_yaml.ts";
import { parseYaml, YamlError } from "../../../src/language/yaml/document.ts";

type Answer = { value: string } | { error: string; text: string };

const vectors = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../vectors/yaml/${name}`, import.meta.url), "utf8"));
const cases: string[] = vectors("cases.json");
const answers: Answer[] = vectors("answers.json");

describe("YAML is read as Salt's loader reads it", () => {
  for (const [at, text] of cases.entries()) {
    const answer = answers[at]!;
    test(`document ${at}`, () => {
      if ("value" in answer) return assert.equal(repr(parseYaml(text).value), answer.value, text);
      assert.throws(() => parseYaml(text), YamlError, text);
      assert.equal(explainYaml(text)?.text, answer.text, text);
    });
  }
});
