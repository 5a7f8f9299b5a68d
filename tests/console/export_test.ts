import assert from "node:assert/strict";
import { test } from "node:test";
import { type Cell, csvRow, exported, fileNameOf, jobTable } from "../../src/console/export.ts";
import { Job } from "../../src/console/job.ts";

for (
  const [cell, expected] of [
    ["plain", '"plain"'],
    ['a "quoted", word\nand a line', '"a ""quoted"", word\nand a line"'],
    ["=HYPERLINK(1)", `"'=HYPERLINK(1)"`],
    ["+1+1", `"'+1+1"`],
    ["-2+3", `"'-2+3"`],
    ["@SUM(A1)", `"'@SUM(A1)"`],
    ["\t=1", `"'\t=1"`],
    ["\r=1", `"'\r=1"`],
    [" =1", `"' =1"`],
    ["＝1", `"'＝1"`],
    ["-5", '"-5"'],
    [-5, '"-5"'],
    [true, '"true"'],
    [undefined, '""'],
    [null, '""'],
  ] as [Cell, string][]
) {
  test(`a cell of CSV is text to a spreadsheet, never a formula: ${JSON.stringify(cell)}`, () => {
    assert.equal(csvRow([cell]), `${expected}\r\n`);
  });
}

const table = () => ({
  fileName: "x",
  columns: ["minion", "return"],
  rows: [["web1", { b: 1 }], ["web2", "=1"], ["web3", undefined]],
});

test("a table is exported as CSV, with JSON for what is neither text nor number", () => {
  assert.equal(
    [...exported(table(), "csv")].join(""),
    '"minion","return"\r\n"web1","{""b"":1}"\r\n"web2","\'=1"\r\n"web3",""\r\n',
  );
});

test("a table is exported as JSON with values as they are", () => {
  assert.deepEqual(JSON.parse([...exported(table(), "json")].join("")), [
    { minion: "web1", return: { b: 1 } },
    { minion: "web2", return: "=1" },
    { minion: "web3" },
  ]);
  assert.deepEqual(JSON.parse([...exported({ ...table(), rows: [] }, "json")].join("")), []);
});

test("the file of a job has outcome, time and return of each minion", () => {
  const jid = "20261121084331391697";
  const job = new Job({ jid, fun: "cmd.run", arg: [], tgt: "*", tgtType: "glob" });
  job.apply({
    tag: `salt/job/${jid}/new`,
    data: { fun: "cmd.run", minions: ["a", "b"], _stamp: "2026-11-21T08:43:31.400000" },
  }, 0);
  job.apply({
    tag: `salt/job/${jid}/ret/a`,
    data: { id: "a", return: "x", retcode: 0, success: true, _stamp: "2026-11-21T08:43:32.650000" },
  }, 0);
  const { fileName, rows } = jobTable(job, job.parts());
  assert.equal(fileName, `cmd.run-${jid}`);
  assert.deepEqual([...rows], [
    ["b", "published", undefined, undefined, undefined, undefined],
    ["a", "returned", 1.25, 0, undefined, "x"],
  ]);
});

test("a file name holds nothing that leads elsewhere", () => {
  assert.equal(fileNameOf("../../etc/passwd", "a b\0"), ".._.._etc_passwd-a_b_");
});
