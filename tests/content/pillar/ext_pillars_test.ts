import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { entriesOf, OrderedMap } from "../../../src/language/python/values.ts";
import { pillarBed, type PillarCase } from "../../support/pillar.ts";
import { canonical, type Json, unescape, vectors } from "../../support/vectors.ts";

interface RecordedCase extends PillarCase {
  /** Name → the SQL that makes it. */
  databases?: Record<string, string>;
  request?: PillarCase["request"] & { extra_minion_data?: Record<string, unknown> };
  pillar: Json;
}

const { cases } = vectors("ext_pillar") as { cases: RecordedCase[] };

/** What our message must match where real Salt fails: its own is an exception's, or shows the text of the file. */
const MESSAGES: Record<string, RegExp> = {
  "csv: an empty first line": /Cannot find minions in "{ROOT}\/m\.csv": it has no column 'id'$/,
  "csv: no column": /Cannot find minions in "{ROOT}\/m\.csv": it has no column 'id'$/,
  "csv: no file": /Cannot read "{ROOT}\/gone\.csv": there is no such file$/,
  "csv: no dialect": /Cannot use the dialect 'x': expected one of excel, excel-tab, unix$/,
  "stack: no such strategy": /Cannot merge by the strategy "nosuch": expected one of overwrite, merge-first, /,
  "stack: no strategy": /Cannot merge by the strategy "None": expected one of overwrite, /,
  "stack: no such strategy in a list": /Cannot merge by the strategy "nosuch": expected one of overwrite, /,
  "stack: keys of other kinds": /Cannot parse {ROOT}\/s\/a\.yml\. The log of the master says why$/,
  "stack: YAML that fails": /Cannot parse {ROOT}\/s\/a\.yml\. The log of the master says why$/,
  "stack: a key twice": /Cannot parse {ROOT}\/s\/a\.yml\. The log of the master says why$/,
  "stack: a template that fails": /Cannot render {ROOT}\/s\/a\.yml\. The log of the master says why$/,
  "stack: a directory": /Cannot render {ROOT}\/s\/d\. The log of the master says why$/,
  "stack: chosen by a list": /unhashable type: 'list'$/,
  "stack: chosen by what there is not": /Cannot choose by "nosuch:os": expected pillar:…, grains:…, opts:…$/,
  "stack: outside": /Cannot use "\.\.\/o\/x\.yml": it leaves {ROOT}\/s$/,
  "stack: outside by a grain": /Cannot use "roles\/\.\.\/\.\.\/o\/x\.yml": it leaves {ROOT}\/s$/,
  "options of the minion: into a text": /include has "hi:th", but the option hi is no map$/,
  "options of the minion: into a number": /include has "n:a", but the option n is no map$/,
  "options of the minion: a name that is no text": /include must be a list of names of options, or '\*': 5 is no name$/,
  "options of the minion: a number": /'int' object is not iterable$/,
  "options of the minion: null": /'NoneType' object is not iterable$/,
  "options of the minion: without an argument": /missing 1 required positional argument: 'include'$/,
  "sqlite3: JSON that is no map": /Cannot use a row as JSON: expected a map, got list$/,
};

describe("external pillars as real Salt's", () => {
  for (const { name, pillar, request = {}, databases = {}, ...tree } of cases) {
    test(name, async () => {
      using bed = await pillarBed(tree);
      const { extra_minion_data: extraMinionData = {}, ...rest } = request;
      for (const [file, sql] of Object.entries(databases)) {
        const database = bed.runtime.databases.open(`${bed.root}/${file}`);
        database.exec(sql);
        database.close();
      }
      const compiled = new OrderedMap(entriesOf(await bed.compile({ ...rest, extraMinionData })));
      const errors = (compiled.get("_errors") ?? []) as string[];
      const got = JSON.stringify(canonical(compiled)).replaceAll(bed.root, "{ROOT}");
      if (!Object.hasOwn(MESSAGES, name)) {
        assert.deepEqual(JSON.parse(got), JSON.parse(JSON.stringify(canonical(unescape(pillar)))));
        return;
      }
      assert.match(errors.join("\n").replaceAll(bed.root, "{ROOT}"), MESSAGES[name]!);
      assert.equal((pillar as { _errors: string[] })._errors.length, errors.length);
      assert.ok(!got.includes("hunter2"));
    });
  }
});
