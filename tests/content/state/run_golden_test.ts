/**
 * States that real Salt has applied, applied again: tests/golden-states/README.md. `BRINE_CASES=file-managed,requisites-12` chooses
 * files and cases, those that are not there yet among them.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { describe, test } from "node:test";
import { ordered } from "../../support/ordered.ts";
import { comparable } from "../../support/recorded_runs.ts";
import { type Applied, type Node, type StateCase, StateMinion } from "../../support/state_minion.ts";
import { DIFFERENCES, NOT_YET } from "./run_differences.ts";

interface Run extends Partial<Applied> {
  run: "test" | "real" | "again";
  files?: Record<string, Node>;
  same?: true;
  raised?: string;
}

interface Recorded {
  recorded: { grains: Record<string, unknown> };
  cases: (StateCase & { runs: Run[] })[];
}

const folder = new URL("../../golden-states/run/", import.meta.url);
const wanted = process.env.BRINE_CASES?.split(",") ?? [];
const skipped = process.getuid?.() === 0 ? undefined : "they were recorded as root, and speak of its files";

function whyNot(file: string, id: string): string | undefined {
  if (wanted.length > 0) return wanted.includes(file) || wanted.includes(id) ? undefined : "not chosen";
  const missing = NOT_YET[file] ?? NOT_YET[id];
  return skipped ?? (missing === undefined ? DIFFERENCES[id] : `not there yet: ${missing}`);
}

/** What a run came to, with `same` as what it stands for. */
function expected(runs: Run[]): Required<Pick<Run, "run" | "return" | "retcode" | "files" | "raised">>[] {
  let [files, before]: [Record<string, Node> | undefined, Run | undefined] = [undefined, undefined];
  return runs.map((run) => {
    const { same, ...own } = run;
    const whole: Run = same ? { ...before, ...own } : own;
    files = whole.files ?? files;
    before = whole;
    return { ...whole, files } as ReturnType<typeof expected>[number];
  });
}

for (const name of readdirSync(folder).sort()) {
  const file = name.replace(/\.json$/, "");
  const { recorded, cases } = JSON.parse(readFileSync(new URL(name, folder), "utf8")) as Recorded;
  describe(`states of ${name}`, () => {
    for (const one of cases) {
      const skip = whyNot(file, one.id);
      test(one.id, skip === undefined ? {} : { skip }, async () => {
        using minion = new StateMinion(one, recorded.grains);
        for (const want of expected(one.runs)) {
          const got = await minion.apply(want.run === "test" ? { test: true } : {});
          const where = `${one.id}, ${want.run} run`;
          if (want.raised !== undefined) continue;
          assert.deepEqual(
            ordered(comparable(minion.filled(got.return, true))),
            ordered(comparable(want.return)),
            where,
          );
          assert.equal(got.retcode, want.retcode, `${where}: return code`);
          if (want.files !== undefined) assert.deepEqual(minion.tree(), want.files, `${where}: files`);
        }
      });
    }
  });
}
