/**
 * Every recorded run of a program, whole: what was typed is typed again, against a master and minions of ours, and prints and
 * ends as recorded. Programs run in this process, since starting one takes longer than most runs; some run as they are
 * installed, so that what is around them is tried as well.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import type { ProgramRun } from "../support/program.ts";
import { Bed, type Golden, goldens } from "./bed.ts";
import { difference, sameComplaints, sameOutput } from "./compare.ts";

const TIMEOUT = { timeout: 120_000 };

/** Runs that need what is not there yet. Whether a run does is seen by what it asks for, and by its failing. */
const MISSING: { what: string; needs(golden: Golden): boolean; ids: RegExp }[] = [];

/** Where ours answers otherwise on purpose, or real Salt does by now: `docs/internals/compatibility.md` says why. */
const OTHERWISE: Record<string, { stdout: string; exitCode: number }> = {
  // A job reports how its process ended, instead of vanishing.
  "err-sysexit": { stdout: "alpha:\n    The process of the job ended before it returned: exit code 4\n", exitCode: 1 },
  // Since they were recorded, real Salt has come to leave out keys of which no grains are cached.
  "tgt-grain": { stdout: "gamma:\n    True\n", exitCode: 0 },
  "tgt-compound": { stdout: "gamma:\n    True\nalpha:\n    True\n", exitCode: 0 },
};

/** What Brine says on stderr beside it, and Salt does not: the place of an error, a file that is missing. */
const EXPLAINED: Record<string, RegExp> = {
  "cp-missing-src": /^.*\/nope\.txt does not exist: it is not copied\n/m,
  "err-state-bad-yaml": /^.*\/bad\.sls, line 3, column 3: mapping values are not allowed in this context\n/m,
};

/** What is left of stderr without that, which must be there. */
function withoutExplanation({ id }: Golden, stderr: string): string {
  const said = EXPLAINED[id];
  if (said === undefined) return stderr;
  assert.match(stderr, said);
  return stderr.replace(said, "");
}

const startsWith = (...prefixes: string[]) => ({ id }: Golden) => prefixes.some((prefix) => id.startsWith(prefix));

/** Runs for which a minion is waited for that is not there, and others that take their time: they wait together. */
const PATIENT = new Set([
  "opt-batch-ghost",
  "opt-batch-wait",
  "opt-summary-verbose-ghost",
  "opt-verbose-ghost",
  "out-color-noreturn",
  "out-json-noreturn",
  "run-manage-down",
  "run-manage-status",
  "run-manage-up",
  "run-manage-versions",
  "run-test-sleep",
]);
const patient = ({ id }: Golden) => PATIENT.has(id) || id.startsWith("tgt-");

/** Run as programs: one of each, and what cannot be had without. */
const AS_PROGRAMS = new Set([
  "args-stdin",
  "args-no-parse-env",
  "call-ping",
  "call-sysexit",
  "cp-missing-args",
  "key-list-all",
  "opt-version",
  "run-ident",
  "run-progress",
  "tgt-none-glob",
]);

// Two runners in one process could not write to the job cache at once: the one that waits keeps the other from going on.
const asProgram = (golden: Golden) => AS_PROGRAMS.has(golden.id) || patient(golden) && golden.program === "salt-run";

/** Jobs that end their process. All others run in that of their minion: starting one for each takes longer than the rest. */
const ENDS_PROCESS = new Set(["err-sysexit"]);

/** Runs that find what those before them left. */
const SEQUENCES = [
  JSON.parse(readFileSync(new URL("fixtures/modules-order.json", import.meta.url), "utf8")) as string[],
  ["call-state-ok", "call-state-ok-again"],
  ["out-state-ok", "out-state-ok-terse"],
  ["cp-dir-plain", "cp-simple", "cp-two-sources"],
  ["run-cache-mine", "run-cache-store", "run-cache-fetch", "run-cache-list", "run-cache-flush", "run-cache-fetch-missing"],
  ["run-jobs-listjobs-md", "run-jobs-lastrun", "run-jobs-lastrun-nested"],
  ["run-saltutil-sync-modules", "run-saltutil-sync-all"],
];

/** The order in which runs can follow each other. */
function inOrder(all: readonly Golden[]): Golden[] {
  const byId = new Map(all.map((golden) => [golden.id, golden]));
  const sequenced = SEQUENCES.flat().flatMap((id) => byId.get(id) ?? []);
  const later = new Set(sequenced);
  const free = all.filter((golden) =>
    !later.has(golden) && !patient(golden) && golden.id !== "run-jobs-active-none"
  );
  return [
    // While nothing else runs.
    ...all.filter(({ id }) => id === "run-jobs-active-none"),
    ...all.filter(patient),
    ...sequenced.filter(startsWith("call-", "out-", "cp-", "run-")),
    ...free,
    ...sequenced.filter(startsWith("mod-")),
  ];
}

const missing = (golden: Golden) => MISSING.find(({ ids }) => ids.test(golden.id));
/** Why these tests are not run; false if they are. */
const why = process.platform !== "linux" || process.getuid?.() !== 0
  ? "the runs were recorded by root on Linux"
  : process.env.BRINE_SHUFFLED !== undefined
  ? "some runs build on those that were recorded before them"
  : false;

describe("programs print and end as recorded", { timeout: 900_000, skip: why }, () => {
  let bed: Bed;
  let withProcesses: Bed;
  const waiting = new Map<string, Promise<ProgramRun>>();

  before(async () => {
    [bed, withProcesses] = await Promise.all([Bed.start({ multiprocessing: false }), Bed.start()]);
  }, TIMEOUT);
  after(() => Promise.all([bed, withProcesses].map((each) => each[Symbol.asyncDispose]())), TIMEOUT);

  const values = { HOME: homedir() };
  /** Starts all that wait at once. */
  const wait = () => {
    for (const golden of goldens.filter(patient)) {
      const run = bed.run(golden, { asProgram: asProgram(golden) });
      run.catch(() => {});
      waiting.set(golden.id, run);
    }
  };
  const runOf = async (golden: Golden) => {
    if (patient(golden) && waiting.size === 0) wait();
    // It was recorded when nothing was left to sync.
    if (golden.id === "run-saltutil-sync-all") await bed.run(golden);
    if (ENDS_PROCESS.has(golden.id)) return await withProcesses.run(golden);
    return await (waiting.get(golden.id) ?? bed.run(golden, { asProgram: asProgram(golden) }));
  };

  for (const golden of inOrder(goldens.filter((one) => missing(one) === undefined))) {
    const otherwise = OTHERWISE[golden.id];
    test(otherwise === undefined ? golden.id : `${golden.id}: not as recorded`, TIMEOUT, async () => {
      const run = await runOf(golden);
      const wanted = bed.fill(golden.stdout);
      const equal = sameOutput(golden, wanted, run.stdout, values) && run.exitCode === golden.exit_code;
      if (otherwise !== undefined) {
        assert.ok(!equal, "it is as recorded by now: take it out of OTHERWISE");
        const expected = { ...golden, exit_code: otherwise.exitCode };
        assert.ok(sameOutput(expected, otherwise.stdout, run.stdout, values), difference(golden, otherwise.stdout, run));
        assert.equal(run.exitCode, otherwise.exitCode);
        return;
      }
      assert.ok(equal, difference(golden, wanted, run));
      const complaints = withoutExplanation(golden, run.stderr);
      assert.ok(sameComplaints(bed.fill(golden.stderr), complaints, values), difference(golden, wanted, run));
      for (const [name, content] of Object.entries(golden.files ?? {})) assert.equal(bed.read(name), content, name);
    });
  }

  for (const golden of goldens.filter((one) => missing(one) !== undefined)) {
    const { what, needs } = missing(golden)!;
    test(`${golden.id} needs ${what}`, TIMEOUT, async () => {
      assert.ok(needs(golden), "nothing that it asks for is missing");
      const run = await bed.run(golden);
      const equal = sameOutput(golden, bed.fill(golden.stdout), run.stdout, values) && run.exitCode === golden.exit_code;
      assert.ok(!equal, `it is as recorded by now: take it out of MISSING`);
    });
  }
});

test("replay: each name in a list is that of a recorded run", () => {
  const ids = new Set(goldens.map(({ id }) => id));
  assert.ok(ids.size >= 725);
  const named = [...PATIENT, ...AS_PROGRAMS, ...ENDS_PROCESS, ...Object.keys(OTHERWISE), ...SEQUENCES.flat()];
  assert.deepEqual(named.filter((id) => !ids.has(id)), []);
  // What is said to be missing must not grow unseen.
  assert.deepEqual(
    MISSING.map(({ what, ids }) => [what, goldens.filter(({ id }) => ids.test(id)).length]),
    [],
  );
});
