/** What a schedule refuses, and that it names it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LocalTime } from "../../../src/model/schedule/local_time.ts";
import { Schedule } from "../../../src/model/schedule/schedule.ts";
import { scheduleCommands } from "../../../src/model/schedule/commands.ts";
import { Scheduler } from "../../../src/model/schedule/scheduler.ts";
import { captureLog } from "../../support/capture_log.ts";
import { FakeClock } from "../../support/fake_clock.ts";

type Fields = Record<string, unknown>;

function site() {
  const clock = new FakeClock();
  const captured = captureLog();
  const schedule = new Schedule(captured.log);
  const runs: string[] = [];
  const fired: { tag: string; data: Fields }[] = [];
  const scheduler = new Scheduler({
    clock,
    log: captured.log,
    schedule,
    local: new LocalTime("UTC"),
    random: () => 0.5,
    running: () => 0,
    run: ({ name }) => void runs.push(name),
  });
  let saves = 0;
  const command = scheduleCommands({
    scheduler,
    log: captured.log,
    fire: (tag, data) => void fired.push({ tag, data }),
    save: () => void saves++,
  });
  const add = (name: string, entry: unknown) => command({ func: "add", schedule: { [name]: entry }, persist: true });
  return { clock, schedule, scheduler, runs, fired, command, add, captured, saves: () => saves };
}

const PING = { function: "test.ping", seconds: 10 };

describe("a schedule", () => {
  test("has at most 1000 jobs, and one more replaces none", () => {
    const { add, schedule, captured } = site();
    for (let number = 0; number < 1001; number++) add(`job${number}`, PING);
    assert.equal(schedule.jobs().length, 1000);
    assert.match(captured.complaints().join(), /a scheduled job is refused: the limit of 1000 jobs is reached/);
    add("job5", { ...PING, seconds: 20 });
    assert.equal(schedule.find("job5", "opts")!.entry.seconds, 20);
  });

  test("has at most 4 MiB of entries, counted anew as jobs are replaced and deleted", () => {
    const { add, command, schedule } = site();
    const large = { ...PING, args: ["x".repeat(3 << 20)] };
    add("large", large);
    add("second", large);
    assert.deepEqual(schedule.jobs().map(({ key }) => key), ["large"]);
    for (let turn = 0; turn < 5; turn++) add("large", large);
    command({ func: "delete", name: "large" });
    add("second", large);
    assert.deepEqual(schedule.jobs().map(({ key }) => key), ["second"]);
  });

  test("names what it refuses, and runs the others", () => {
    const { add, schedule, scheduler, clock, runs, captured } = site();
    schedule.merge({
      list: ["no map"],
      huge: { function: "test.ping", days: 1e12 },
      both: { function: "test.ping", when: "5pm", cron: "* * * * *" },
      reversed: { ...PING, splay: { start: 9, end: 1 } },
      range: { ...PING, range: { start: "late", end: "later" } },
      nobody: { seconds: 10 },
      good: PING,
    });
    add("__proto__", PING);
    add("", PING);
    schedule.merge("no schedule");
    scheduler.look();
    clock.advance(10_000);
    scheduler.look();
    assert.deepEqual(runs.sort(), ["__proto__", "good", "nobody", "reversed"].sort());
    const said = captured.complaints().join("\n");
    for (
      const text of [
        'Scheduled job "list" should have a dict value, not list',
        "expected a whole number. Ignoring job huge.",
        'Unable to use "when", "cron", "once" options together. Ignoring.',
        "Invalid date string for start. Ignoring job range.",
        "its name must have 1 to 256 characters",
        "Schedule must be of type dict.",
      ]
    ) assert.ok(said.includes(text), text);
    scheduler.look();
    assert.equal(captured.complaints().length, said.split("\n").length, "each is said once");
  });

  test("takes what any program of the host may put into an event", () => {
    const { command, captured, fired, saves, schedule } = site();
    for (
      const data of [
        {},
        { func: "constructor" },
        { func: 3 },
        { func: "add" },
        { func: "add", schedule: "text" },
        { func: "add", schedule: { a: PING, b: PING } },
        { func: "modify" },
        { func: "modify", name: "a", schedule: "text" },
        { func: "enable_job", name: "a" },
        { func: "skip_job", name: "a", time: { deep: [] } },
        { func: "run_job", name: "a" },
        { func: "reload", schedule: 7 },
        { func: "get_next_fire_time" },
        { func: "job_status", fire_event: true },
      ]
    ) command(data as Fields);
    assert.equal(schedule.jobs().length, 0);
    assert.equal(saves(), 0);
    assert.match(captured.text(), /Function "constructor" is unavailable in salt\.utils\.scheduler/);
    assert.ok(fired.every(({ data }) => data.complete === true));
  });

  test("changes no job of the pillar", () => {
    const { command, schedule, captured } = site();
    schedule.takePillar({ p: PING });
    command({ func: "add", schedule: { p: { ...PING, seconds: 1 } } });
    command({ func: "delete", name: "p" });
    command({ func: "disable_job", name: "p" });
    command({ func: "modify", name: "p", schedule: { ...PING, seconds: 1 } });
    const [job] = schedule.jobs();
    assert.deepEqual([job!.entry.seconds, job!.isEnabled], [10, true]);
    assert.equal(captured.complaints().filter((line) => line.includes("it's in the pillar!")).length, 4);
  });
});
