import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { turns } from "../../../bench/bed/until.ts";
import { type DueJob, Scheduler } from "../../../src/model/schedule/scheduler.ts";
import { LocalTime } from "../../../src/model/schedule/local_time.ts";
import { Schedule } from "../../../src/model/schedule/schedule.ts";
import { scheduleCommands } from "../../../src/model/schedule/commands.ts";
import { DateTime } from "../../../src/protocol/wire/msgpack_values.ts";
import { captureLog } from "../../support/capture_log.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { vectors } from "../../support/vectors.ts";

type Fields = Record<string, unknown>;

/** What real Salt's scheduler did, second by second: `tests/vectors/schedule/record.py`. */
interface Recorded {
  name: string;
  schedule: Fields;
  start: string;
  seconds: number;
  /** Seconds from one look to the next. */
  step?: number;
  pillar?: Fields;
  grains?: Fields;
  /** Runs of jobs that have not ended. */
  running?: Record<string, number>;
  ops?: { at: number; do: string; args: unknown[] }[];
  runs: [string, string, string | null][];
  states: Record<string, Record<string, Fields>>;
}

/** The names of Salt's methods, and the command of `manage_schedule` that calls each. */
const COMMANDS: Record<string, (...args: never[]) => Fields> = {
  add_job: (schedule: unknown) => ({ func: "add", schedule }),
  modify_job: (name: string, schedule: unknown) => ({ func: "modify", name, schedule }),
  delete_job: (name: string) => ({ func: "delete", name }),
  enable_job: (name: string) => ({ func: "enable_job", name }),
  disable_job: (name: string) => ({ func: "disable_job", name }),
  enable_schedule: () => ({ func: "enable" }),
  disable_schedule: () => ({ func: "disable" }),
  run_job: (name: string) => ({ func: "run_job", name }),
  postpone_job: (name: string, data: Fields) => ({ func: "postpone_job", name, ...data }),
  skip_job: (name: string, data: Fields) => ({ func: "skip_job", name, ...data }),
  reload: (schedule: unknown) => ({ func: "reload", schedule }),
};

/** Where we differ on purpose: the runs that are ours, as seconds after the start. */
const DIFFERENT: Record<string, { runs: number[]; why: string }> = {
  "dry run": { runs: [], why: "the recorder counts what real Salt would not have run" },
  "when and cron": { runs: [20, 40, 60], why: "the state of the entry that is refused says so, too" },
  "zero seconds": { runs: [0, 1, 2, 3, 4, 5], why: "the next run is shown where it will be, a second later" },
  once: { runs: [30], why: "real Salt runs it twice where its looks fall on whole seconds" },
  "once format": { runs: [30], why: "as above" },
  "once splay": { runs: [20], why: "as above" },
  "splay range reversed": {
    runs: [10, 20, 30, 40, 50, 60],
    why: "real Salt says that it ignores the splay, and stops",
  },
  "skip function": { runs: [10, 20, 30, 40, 50, 60], why: "real Salt never goes back to the job's own function" },
  "skip explicit": { runs: [10, 20, 40, 50, 60], why: "real Salt runs nothing before the time that is to be skipped" },
  "skip explicit far": { runs: [10, 20, 30, 40, 50, 60], why: "as above" },
  "skip job": { runs: [10, 20, 40, 50, 60], why: "as above" },
  "after and until": { runs: [20, 30, 40], why: "in real Salt the last limit alone counts" },
  "range and until": { runs: [], why: "as above" },
  "splay text": { runs: [25, 50], why: "real Salt stops" },
  "range without an end": { runs: [], why: "real Salt stops without a word" },
  "when null": { runs: [], why: "as above" },
  "cron a number": { runs: [], why: "as above" },
  "cron null": { runs: [], why: "as above" },
  "until bad": { runs: [], why: "as above" },
  "after bad": { runs: [], why: "as above" },
  "once of its own format": { runs: [30], why: "as once" },
  "negative seconds": { runs: [0, 1, 2, 3, 4, 5], why: "as zero seconds" },
};

/** Fields of a job's state that are compared; the others are Salt's own bookkeeping. */
const COMPARED = [
  "_next_fire_time",
  "_last_run",
  "_error",
  "_skip_reason",
  "_skipped",
  "_seconds",
  "_splay",
  "_run_on_start",
  "name",
  "splay",
  "enabled",
  "maxrunning",
  "jid_include",
];

/** Replays a case. */
function replay(recorded: Recorded) {
  const start = Date.parse(`${recorded.start}Z`);
  const clock = new FakeClock(start);
  const { log } = captureLog();
  const schedule = new Schedule(log);
  const runs: [string, string, unknown][] = [];
  const scheduler = new Scheduler({
    clock,
    log,
    schedule,
    local: new LocalTime("UTC"),
    // As the recorder has it: the most.
    random: () => 0.999_999,
    loopInterval: recorded.step ?? 1,
    pillar: () => recorded.pillar?.schedule,
    whens: () => ({ pillar: recorded.pillar?.whens, grains: recorded.grains?.whens }),
    running: (name) => recorded.running?.[name] ?? 0,
    run: ({ name, fun }: DueJob) =>
      void runs.push([new Date(clock.now()).toISOString().slice(0, 19), name, fun ?? null]),
  });
  schedule.merge(recorded.schedule);
  const command = scheduleCommands({ scheduler, log, fire: () => {}, save: () => {} });
  return { clock, scheduler, runs, command, schedule };
}

const shown = (value: unknown) => value instanceof DateTime ? { time: value.toString().slice(0, 19) } : value;

describe("a schedule runs as on real Salt", () => {
  // What reads cron patterns is loaded when it is needed; a test has no time to wait.
  before(async () => void await import("../../../src/model/schedule/cron.ts"));
  for (const recorded of vectors("schedule/runs") as Recorded[]) {
    const { name, ops = [], step = 1 } = recorded;
    test(name, async () => {
      const { clock, scheduler, runs, command, schedule } = replay(recorded);
      scheduler.look();
      await turns(2);
      const stops = [...ops.map(({ at }) => at), recorded.seconds];
      for (let at = 0; at <= recorded.seconds;) {
        for (const op of ops) if (op.at === at) command(COMMANDS[op.do]!(...op.args as never[]));
        // As a minion does, it looks again when there is something to do; here on the seconds that were recorded.
        const wait = Math.max(1, Math.ceil(scheduler.look() / 1000 / step)) * step;
        const next = Math.min(at + wait, ...stops.filter((stop) => stop > at));
        if (at === recorded.seconds) break;
        clock.advance((next - at) * 1000);
        at = next;
      }
      const different = DIFFERENT[name];
      if (different !== undefined) {
        const seconds = runs.map(([time]) => (Date.parse(`${time}Z`) - Date.parse(`${recorded.start}Z`)) / 1000);
        assert.deepEqual(seconds, different.runs, different.why);
        return;
      }
      assert.deepEqual(runs, recorded.runs);
      const state = schedule.shown(scheduler.local) as Record<string, Fields>;
      const wanted = recorded.states[recorded.seconds]!;
      assert.deepEqual(Object.keys(state).sort(), Object.keys(wanted).sort());
      for (const [key, job] of Object.entries(wanted)) {
        if (typeof job !== "object") assert.deepEqual(state[key], job);
        else {
          for (const field of COMPARED) {
            assert.deepEqual(shown(state[key]![field]) ?? null, job[field] ?? null, `${key}: ${field}`);
          }
        }
      }
    });
  }
});
