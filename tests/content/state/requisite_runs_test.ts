/** Requisites of all kinds in all orders: generated SLS files, beside what real Salt made of them. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { type AnyMap, entriesOf, isMap, lookup, sizeOf } from "../../../src/language/python/values.ts";
import { kwargs, testMinion } from "../../support/context.ts";
import { localFiles } from "../../support/local_files.ts";

type Entry = [tag: string, result: boolean | null, comment: string, changed: boolean];

interface Case {
  a: string;
  b?: string;
  failhard?: true;
  test?: true;
  want: Entry[];
}

const { cases } = JSON.parse(readFileSync(new URL("requisite_runs.json", import.meta.url), "utf8")) as {
  cases: Case[];
};

/** A comment as it is compared: the order of names is free in Salt. */
function settled(comment: string): string {
  const line = comment.split("\n")[0]!;
  const [, names] = /^One or more requisite failed: (.*)$/.exec(line) ?? [];
  return names === undefined ? line : `One or more requisite failed: ${names.split(", ").sort().join(", ")}`;
}

function entries(returned: unknown): Entry[] {
  assert.ok(isMap(returned), String(returned));
  const field = (entry: unknown, key: string) => lookup(entry as AnyMap, key);
  return (entriesOf(returned) as [string, unknown][])
    .sort(([, a], [, b]) => Number(field(a, "__run_num__")) - Number(field(b, "__run_num__")))
    .map(([tag, entry]) => [
      tag.replaceAll("_|-", "|"),
      field(entry, "result") as boolean | null,
      settled(String(field(entry, "comment"))),
      sizeOf(field(entry, "changes") as AnyMap) > 0,
    ]);
}

const root = mkdtempSync(join(tmpdir(), "brine-requisites-"));
after(() => rmSync(root, { recursive: true }));

describe("requisites run as in Salt", () => {
  for (const [at, { a, b, failhard = false, test: isTest = false, want }] of cases.entries()) {
    test(`case ${at}: ${JSON.stringify(a).slice(1, 60)}…`, async () => {
      const files = join(root, String(at));
      mkdirSync(files);
      writeFileSync(join(files, "a.sls"), a);
      if (b !== undefined) writeFileSync(join(files, "b.sls"), b);
      const opts = { ...localFiles(files), id: "golden", root_dir: root, conf_file: join(root, "minion"), failhard };
      const minion = await testMinion({ opts, master: null });
      const { return: returned } = await minion.run("state.apply", ["a", kwargs({ test: isTest })]);
      assert.deepEqual(entries(returned), want, `${a}${b === undefined ? "" : `\nb.sls:\n${b}`}`);
    });
  }
});
