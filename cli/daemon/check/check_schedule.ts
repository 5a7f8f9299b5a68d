/** Checks the times of jobs in `schedule`: invalid times, and jobs that never run. */
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { doubtful, type Finding } from "./finding.ts";
import { scheduleEntries } from "./named_by_options.ts";

/** A job needs at least one of these fields to run at all. */
const TIMES = ["seconds", "minutes", "hours", "days", "when", "cron", "once", "run_on_start", "run_explicit"];

export async function checkSchedule(
  { schedule, grains }: Record<string, unknown>,
  { clock, random }: Runtime,
): Promise<Finding[]> {
  const entries = scheduleEntries(schedule);
  if (entries.length === 0) return [];
  const [{ ScheduledJob }, { LocalTime }, { nextCron }] = await Promise.all([
    import("../../../src/model/schedule/job.ts"),
    import("../../../src/model/schedule/local_time.ts"),
    import("../../../src/model/schedule/cron.ts"),
  ]);
  const whens = () => ({ pillar: undefined, grains: (grains as { whens?: unknown } | undefined)?.whens });
  const parts = { local: new LocalTime(), random: () => random(), whens, nextCron };
  const look = { nowMs: clock.now(), elapsedMs: clock.elapsed(), windowMs: 0, loopMs: 1000, wasSetBack: false };
  const settings = { isEnabled: true, splay: undefined, skipDuringRange: undefined, skipFunction: undefined };
  const findings: Finding[] = [];
  for (const [name, entry] of entries) {
    if (!TIMES.some((field) => Object.hasOwn(entry, field))) {
      findings.push(doubtful(`schedule: ${name}: it never runs`, `give it a time: ${TIMES.slice(0, 7).join(", ")}`));
      continue;
    }
    const job = new ScheduledJob(name, { ...entry });
    job.look(look, parts, settings);
    if (job.error === undefined) continue;
    const remedy = Object.hasOwn(entry, "when")
      ? "write a time such as 5:00pm or 2027-01-31 17:00, or define the name under whens in pillar or grains"
      : "see docs/schedules.md";
    findings.push(doubtful(`schedule: ${name}: it never runs: ${job.error}`, remedy));
  }
  return findings;
}
