/** Templates that are compiled are kept within what they take, not within what their texts take. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compileTemplate, JINJA_DEFAULTS } from "../../../src/language/jinja/mod.ts";
import { TemplateCache } from "../../../src/language/render/jinja/environment.ts";

function compiled(source: string) {
  const file = { path: "/srv/a.sls", source, isMain: true };
  return compileTemplate("a", file, { options: JINJA_DEFAULTS, filters: {}, tests: {}, steady: new Set() });
}

/** A text of which everything is compiled, and one of as many characters of which nothing is. */
const dense = (at: number) => `{{[${Array(200).fill(1)}]}}${at}`;
const plain = (at: number) => `${"word ".repeat(80)}{{ a }}${at}`;

describe("TemplateCache", () => {
  test("keeps what fits, however many templates come, the latest ones", () => {
    const cache = new TemplateCache(1_000_000);
    for (let at = 0; at < 2000; at++) cache.set(dense(at), "", compiled(dense(at)));
    assert.ok(cache.bytes > 500_000 && cache.bytes <= 1_000_000, `${cache.bytes}`);
    assert.ok(cache.get(dense(1999), "") !== undefined);
    assert.equal(cache.get(dense(0), ""), undefined);
  });

  test("counts what is compiled for more than its text", () => {
    assert.ok(compiled(dense(1)).bytes > 10 * compiled(plain(1)).bytes);
  });

  test("counts the variants of a text for other options", () => {
    const cache = new TemplateCache(1_000_000);
    const template = compiled(dense(1));
    cache.set("a", "one", template);
    cache.set("a", "other", template);
    assert.equal(cache.bytes, 2 * template.bytes);
    cache.set("a", "other", template);
    assert.equal(cache.bytes, 2 * template.bytes);
    for (let at = 0; at < 2000; at++) cache.set("b", String(at), template);
    assert.ok(cache.bytes <= 1_000_000, `${cache.bytes}`);
  });
});
