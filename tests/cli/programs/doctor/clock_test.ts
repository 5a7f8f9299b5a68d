import assert from "node:assert/strict";
import { test } from "node:test";
import { compareClocks } from "../../../../cli/programs/doctor/minion.ts";

test("the clock is compared with the master's, and it is said where it is not", () => {
  const now = Date.UTC(2026, 5, 1);
  const rows: [number | undefined, "well" | "warning" | "error", RegExp][] = [
    [now, "well", /^clock: within 5 s of the clock of master m:4506$/],
    [now + 4000, "well", /within 5 s/],
    [now + 30_000, "warning", /^the clock is 30 s behind the clock of master m:4506$/],
    [now - 5 * 3600_000, "error", /^the clock is 18000 s ahead of the clock of master m:4506$/],
    [now + 9 * 3600_000, "error", /32400 s behind/],
    [undefined, "well", /^clock: not compared with the clock of master m:4506, which does not send its time$/],
  ];
  for (const [masterMs, severity, text] of rows) {
    const { well, findings } = compareClocks("m:4506", now, masterMs);
    assert.equal(well.length + findings.length, 1);
    assert.equal(findings[0]?.severity ?? "well", severity);
    assert.match(findings[0]?.problem ?? well[0]!, text);
  }
});
