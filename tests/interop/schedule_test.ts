/** Schedules of our minion and Salt's with the same configuration: what they return, answer and write. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { RUNTIME } from "./daemon.ts";
import { Fleet, idOf } from "./fleet.ts";
import { installSalt, type Kind, type Release } from "./release.ts";

const mode = process.env.BRINE_INTEROP ?? "";

function whyNot(): string | undefined {
  if (mode === "") return "NOT TESTED AGAINST REAL SALT: set BRINE_INTEROP to quick or full";
  if (process.versions.bun !== undefined || process.versions.deno !== undefined) {
    return "driven by Node's test runner alone: set BRINE_RUNTIME to test another runtime with it";
  }
  return undefined;
}

type Fields = Record<string, unknown>;

const SCHEDULE = {
  every: { function: "test.ping", seconds: 3 },
  meta: { function: "test.arg", args: [1, "two"], kwargs: { k: "v" }, seconds: 4, metadata: { a: "b" } },
  code: { function: "test.retcode", args: [3], seconds: 4 },
  missing: { function: "no.such", seconds: 5 },
  passing: { function: "test.ping", seconds: 5, return_job: "nocache" },
  silent: { function: "test.ping", seconds: 2, return_job: false },
  first: { function: "test.ping", run_on_start: true, hours: 1 },
  never: { function: "test.ping", seconds: 1, enabled: false },
};

/** Called one after the other on both; the answers are compared. */
const CALLS = [
  ["purge"],
  ["list"],
  ["add", "j1", "function=test.ping", "seconds=3600"],
  ["add", "j1", "function=test.ping", "seconds=3600"],
  ["add", "j2", "function=test.ping", "seconds=1", "cron=* * * * *"],
  ["add", "j2", "function=test.ping", "when=no time"],
  ["add", "j2", "function=test.arg", "job_args=[a]", "job_kwargs={c: d}", "cron=0 3 * * *", "metadata={x: y}"],
  ["add", "j3", "function=test.ping", "when=['11/29/2030 4:00pm']", "range={start: 8:00am, end: 5:00pm}"],
  ["add", "j4", "function=test.ping", "hours=2", "enabled=False", "return_job=False", "until=2030-01-01"],
  ["list"],
  ["list", "return_yaml=False", "show_disabled=False"],
  ["is_enabled", "j1"],
  ["modify", "j1", "function=test.ping", "seconds=7200"],
  ["disable_job", "j1"],
  ["enable_job", "j1"],
  ["disable"],
  ["is_enabled"],
  ["enable"],
  ["run_job", "j4"],
  ["run_job", "zz"],
  ["postpone_job", "j1", "2030-01-01T00:00:00", "2030-01-01T10:00:00"],
  ["skip_job", "j1", "2030-01-02T00:00:00"],
  ["show_next_fire_time", "j3"],
  ["job_status", "zz"],
  ["delete", "zz"],
  ["delete", "j2"],
  ["save"],
];

const returnsOf = (fleet: Fleet, kind: Kind, name: string) =>
  fleet.scheduled.filter(({ id, schedule }) => id === idOf(kind) && schedule === name);

/** Waits for a return of each job that has one. */
async function untilReturned(fleet: Fleet, kinds: readonly Kind[]): Promise<void> {
  const names = ["every", "meta", "code", "missing", "passing", "first"];
  await fleet.until(
    "each scheduled job has returned",
    () => kinds.every((kind) => names.every((name) => returnsOf(fleet, kind, name).length > 0)),
  );
}

/** What is alike in the returns of both. */
function comparable(ret: Fields): Fields {
  const { tag, jid, pid, _stamp, ts: _ts, id, tgt, metadata, return: value, ...rest } = ret;
  const isPassing = jid === "nocache" && tag === `salt/job/nocache/ret/${id}`;
  const args = typeof value === "object" ? (value as Fields).args : value;
  const isOwnTarget = tgt === undefined ? undefined : tgt === id;
  return {
    ...rest,
    args,
    isPassing,
    isOwnTarget,
    metadata: Object.keys((metadata ?? {}) as Fields).sort(),
    pid: typeof pid,
  };
}

const missing = (...kinds: Kind[]) =>
  whyNot() ?? kinds.filter((kind): kind is Release => kind !== "brine").map(installSalt).find(Boolean);

describe(`schedules of our minion and of 3006's (on ${RUNTIME})`, {
  skip: missing("3006"),
  timeout: 300_000,
}, () => {
  const fleet = new Fleet({
    master: "brine",
    minions: ["brine", "3006"],
    minionOptions: () => ({ schedule: SCHEDULE, mine_enabled: true }),
  });
  before(() => fleet.start());
  after(() => fleet.stop());

  test("return the same", async () => {
    await untilReturned(fleet, ["brine", "3006"]);
    for (const name of Object.keys(SCHEDULE)) {
      const [ours, theirs] = (["brine", "3006"] as const).map((kind) => returnsOf(fleet, kind, name)[0]);
      assert.equal(ours === undefined, theirs === undefined, name);
      if (ours !== undefined) assert.deepEqual(comparable(ours), comparable(theirs!), name);
    }
  });

  test("are answered for and written alike", async () => {
    for (const [fun, ...words] of CALLS) {
      const argv = ["*", `schedule.${fun}`, ...words, "--static", "--out=json", "-t", "30"];
      const { stdout, stderr } = await fleet.salt("brine", argv);
      const answers = JSON.parse(stdout) as Fields;
      assert.deepEqual(answers.brine, answers.salt3006, fleet.report(`${fun} ${words.join(" ")}\n${stderr}`));
      fleet.keep = false;
    }
    const [ours, theirs] = (["brine", "3006"] as const).map((kind) =>
      readFileSync(fleet.path(idOf(kind), "etc", "minion.d", "_schedule.conf"), "utf8")
    );
    assert.equal(ours, theirs);
  });
});

describe(`the schedule of our minion below a 3006 master (on ${RUNTIME})`, {
  skip: missing("3006"),
  timeout: 180_000,
}, () => {
  const fleet = new Fleet({ master: "3006", minions: ["brine"], minionOptions: () => ({ schedule: SCHEDULE }) });
  before(() => fleet.start());
  after(() => fleet.stop());

  test("returns jobs for which the master finds a jid", async () => {
    await untilReturned(fleet, ["brine"]);
    const [every] = returnsOf(fleet, "brine", "every") as [Fields];
    assert.match(String(every.jid), /^\d{20}$/);
    assert.deepEqual([every.tgt, every.tgt_type, every.return], ["brine", "glob", true]);
    assert.deepEqual(returnsOf(fleet, "brine", "silent"), []);
  });
});
