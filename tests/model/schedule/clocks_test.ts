import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { turns } from "../../../bench/bed/until.ts";
import { LocalTime } from "../../../src/model/schedule/local_time.ts";
import { Schedule } from "../../../src/model/schedule/schedule.ts";
import { Scheduler } from "../../../src/model/schedule/scheduler.ts";
import { captureLog } from "../../support/capture_log.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A schedule that runs in a zone from a moment on. */
function started(schedule: Record<string, unknown>, start: string, zone = "Europe/Berlin") {
  const clock = new FakeClock(Date.parse(start));
  const { log, complaints } = captureLog();
  const jobs = new Schedule(log);
  const runs: { name: string; at: number }[] = [];
  const running: Record<string, number> = {};
  const scheduler = new Scheduler({
    clock,
    log,
    schedule: jobs,
    local: new LocalTime(zone),
    random: () => 0.5,
    running: (name) => running[name] ?? 0,
    run: ({ name }) => void runs.push({ name, at: clock.now() }),
  });
  jobs.merge(schedule);
  /** Goes on, with a look whenever there is something to do. */
  const pass = (ms: number) => {
    const end = clock.elapsed() + ms;
    for (;;) {
      const wait = scheduler.look();
      if (clock.elapsed() >= end) return;
      clock.advance(Math.max(1, Math.min(Math.ceil(wait), end - clock.elapsed())));
    }
  };
  const times = (name = "j") => runs.filter((run) => run.name === name).map(({ at }) => new Date(at).toISOString());
  return {
    clock,
    scheduler,
    runs,
    running,
    jobs,
    pass,
    times,
    complaints,
    ready: async () => {
      scheduler.look();
      // What reads cron patterns is loaded with the first one.
      await turns(2);
    },
  };
}

describe("a year of a schedule", () => {
  before(async () => void await import("../../../src/model/schedule/cron.ts"));

  test("runs each job as often as the calendar has its time", async () => {
    const year = started({
      hourly: { function: "test.ping", hours: 1 },
      nightly: { function: "test.ping", cron: "30 2 * * *" },
      weekly: { function: "test.ping", when: "Monday 5:00pm" },
      daily: { function: "test.ping", when: ["8:00am", "8:00pm"] },
      leap: { function: "test.ping", cron: "0 0 29 2 *" },
      monthly: { function: "test.ping", cron: "0 0 L * *" },
      splayed: { function: "test.ping", cron: "0 3 * * *", splay: 600 },
    }, "2026-01-01T00:00:30+01:00");
    await year.ready();
    year.pass(365 * DAY_MS);
    const count = (name: string) => year.times(name).length;
    assert.deepEqual(
      ["hourly", "nightly", "weekly", "daily", "leap", "monthly", "splayed"].map((name) => [name, count(name)]),
      [["hourly", 8760], ["nightly", 365], ["weekly", 52], ["daily", 730], ["leap", 0], ["monthly", 12], [
        "splayed",
        365,
      ]],
    );
    assert.deepEqual(year.complaints(), []);
  });
});

describe("daylight saving", () => {
  before(async () => void await import("../../../src/model/schedule/cron.ts"));

  test("a time that is left out in spring comes after the gap, once", async () => {
    const { ready, pass, times } = started({
      when: { function: "test.ping", when: "2:30am" },
      cron: { function: "test.ping", cron: "30 2 * * *" },
      interval: { function: "test.ping", hours: 1 },
    }, "2026-03-29T00:00:00+01:00");
    await ready();
    pass(6 * HOUR_MS);
    assert.deepEqual(times("when"), ["2026-03-29T01:30:00.000Z"], "3:30 local time");
    assert.deepEqual(times("cron"), ["2026-03-29T01:00:00.000Z"], "3:00 local time");
    assert.equal(times("interval").length, 6);
  });

  test("a time that comes twice in autumn counts once, and intervals go on through the hour", async () => {
    const { ready, pass, times } = started({
      when: { function: "test.ping", when: "2:30am" },
      cron: { function: "test.ping", cron: "30 2 * * *" },
      often: { function: "test.ping", cron: "*/30 * * * *" },
      interval: { function: "test.ping", minutes: 30 },
    }, "2026-10-25T00:10:00+02:00");
    await ready();
    pass(5 * HOUR_MS);
    assert.deepEqual(times("when"), ["2026-10-25T00:30:00.000Z"]);
    assert.deepEqual(times("cron"), ["2026-10-25T00:30:00.000Z"]);
    assert.equal(times("often").length, 10);
    assert.equal(times("interval").length, 10);
  });
});

describe("a clock that is set", () => {
  before(async () => void await import("../../../src/model/schedule/cron.ts"));
  const schedule = {
    interval: { function: "test.ping", minutes: 10 },
    cron: { function: "test.ping", cron: "*/10 * * * *" },
    when: { function: "test.ping", when: "2026-03-02T16:05:00" },
    once: { function: "test.ping", once: "2026-03-02T16:05:00" },
  };

  test("forward by hours lets each job run once, and those whose moment was jumped over not at all", async () => {
    const { ready, pass, times, clock, complaints } = started(schedule, "2026-03-02T12:01:00+01:00");
    await ready();
    pass(60_000);
    clock.set(clock.now() + 6 * HOUR_MS);
    pass(60_000);
    assert.deepEqual(["interval", "cron", "when", "once"].map((name) => times(name).length), [1, 1, 0, 0]);
    assert.match(complaints().join(), /the system clock was changed/);
    pass(HOUR_MS);
    assert.equal(times("interval").length, 7);
    assert.equal(times("cron").length, 7);
  });

  test("back by hours holds up none, and runs nothing twice", async () => {
    const { ready, pass, times, clock } = started(schedule, "2026-03-02T16:01:00+01:00");
    await ready();
    pass(6 * 60_000);
    assert.deepEqual(["interval", "cron", "when", "once"].map((name) => times(name).length), [0, 0, 1, 1]);
    clock.set(clock.now() - 3 * HOUR_MS);
    pass(HOUR_MS);
    assert.deepEqual(["interval", "cron"].map((name) => times(name).length), [6, 6]);
    pass(3 * HOUR_MS);
    assert.deepEqual(["when", "once"].map((name) => times(name).length), [1, 1], "their moment has come again");
  });

  test("back and forth a hundred times runs no job more often than the clock was set", async () => {
    const { ready, pass, times, clock } = started(schedule, "2026-03-02T12:01:00+01:00");
    await ready();
    for (let turn = 0; turn < 50; turn++) {
      clock.set(clock.now() + 5 * HOUR_MS);
      pass(1000);
      clock.set(clock.now() - 5 * HOUR_MS);
      pass(1000);
    }
    for (const name of ["interval", "cron"]) assert.ok(times(name).length <= 51, `${name}: ${times(name).length}`);
  });
});

describe("a job that never ends", () => {
  test("is not started again while as many run as may, and is once one has ended", () => {
    const { pass, times, running, jobs, scheduler } = started(
      { j: { function: "test.sleep", minutes: 1, maxrunning: 2 } },
      "2026-03-02T12:00:00Z",
    );
    running.j = 2;
    pass(HOUR_MS);
    assert.deepEqual(times(), []);
    const state = jobs.shown(scheduler.local).j as Record<string, unknown>;
    assert.equal(state._skip_reason, "maxrunning");
    running.j = 1;
    pass(60_000);
    assert.equal(times().length, 1);
  });

  test("without a bound of its own has one all the same", () => {
    const { pass, times, running } = started(
      { j: { function: "test.sleep", seconds: 1, jid_include: false } },
      "2026-03-02T12:00:00Z",
    );
    running.j = 99;
    pass(2500);
    assert.equal(times().length, 2);
    running.j = 100;
    pass(10_000);
    assert.equal(times().length, 2);
  });
});
