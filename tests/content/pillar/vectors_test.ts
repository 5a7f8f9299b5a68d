import assert from "node:assert/strict";
import { test } from "node:test";
import { entriesOf, OrderedMap } from "../../../src/language/python/values.ts";
import { pillarBed, type PillarCase } from "../../support/pillar.ts";
import { canonical, type Json, unescape, vectors } from "../../support/vectors.ts";

/** Where real Salt fails without a message, or with a shorter one: what our message must match instead. */
const CLEARER: Record<string, RegExp> = {
  "a way of matching that there is not": /^Error encountered .* matches by "nosuch": expected one of glob, pcre, /,
  "top file that is a list":
    /^Rendering Primary Top file failed, render error:\n.*\/top\.sls is a list: expected a map /,
  "top file that does not parse":
    /^Rendering Primary Top file failed, render error:\n.*\/top\.sls, line \d, column \d+: /,
  "environment that is a list": /^Error encountered while rendering pillar top file\. Environment "base" is a list: /,
  "environment with nothing in it": /^Error encountered .* Environment "base" is empty: expected a map /,
  "target with nothing in it": /^Error encountered .* Target '\*' of environment "base" is empty: expected a list /,
};

const { cases } = vectors("pillar") as { cases: (PillarCase & { pillar: Json })[] };

test("the recorded cases are there", () => assert.ok(cases.length > 140, String(cases.length)));

for (const { name, pillar, request, ...tree } of cases) {
  test(`pillar as real Salt compiles it: ${name}`, async () => {
    using bed = await pillarBed(tree);
    const compiled = await bed.compile(request);
    if (Object.hasOwn(CLEARER, name)) {
      const errors = new Map(entriesOf(compiled)).get("_errors") as string[];
      assert.equal(errors.length, 1);
      assert.match(errors[0]!, CLEARER[name]!);
      return;
    }
    const got = JSON.parse(
      JSON.stringify(canonical(new OrderedMap(entriesOf(compiled)))).replaceAll(bed.root, "{ROOT}"),
    );
    assert.deepEqual(got, JSON.parse(JSON.stringify(canonical(unescape(pillar)))));
  });
}
