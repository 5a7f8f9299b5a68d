/** Follows a recorded job: its outcomes so far, and those that come from now on. */
import { BusEvent } from "../model/event/bus.ts";
import type { Clock } from "../base/async/clock.ts";
import { EarlyEvents } from "./early_events.ts";
import type { Credentials, Published } from "./publish_request.ts";
import { type CollectOptions, JobCollector, type JobSource } from "./job_collector.ts";
import type { Outcome, ReportedOutcome } from "./outcome.ts";

export interface JobRecord {
  minions: string[];
  results: Record<string, Record<string, unknown>>;
}

/** The methods of a client that are needed to follow a job. */
interface FollowSource extends JobSource {
  readonly clock: Clock;
  listening?(signal?: AbortSignal): Promise<void>;
}

/**
 * Yields the outcome of each target of a job: recorded outcomes first, the others as they come.
 *
 * @param read reads the record; called once the client listens to events
 */
export async function* followRecorded(
  source: FollowSource,
  jid: string,
  options: CollectOptions & { credentials?: Credentials },
  read: () => Promise<JobRecord>,
): AsyncGenerator<Outcome, Published | undefined, void> {
  const early = new EarlyEvents(source.catchUp !== undefined);
  let collect = (event: BusEvent, size?: number): void => early.take(event, size);
  // Listen before asking: a return may come while the record is read.
  const off = source.onEvent((event, size) => collect(event, size));
  try {
    await source.listening?.(options.signal);
    const record = await read();
    const known = await reported(source, jid);
    const queued = Object.keys(known).filter((id) => known[id]!.outcome === "queued");
    const minions = [...new Set([...record.minions, ...Object.keys(known)])];
    const published = { jid, minions, missing: [], queued };
    options.onPublished?.(jid, published);
    const collector = new JobCollector(source, published, options, source.clock, options.credentials);
    for (const [id, result] of Object.entries(record.results)) {
      collector.take(BusEvent.fromData(`salt/job/${jid}/ret/${id}`, { ...result, id, jid, _stamp: "" }));
    }
    for (const [id, outcome] of Object.entries(known)) {
      // Skips targets with a return: the return itself is in the record, or comes as an event.
      if (outcome.outcome === "returned" || outcome.outcome === "failed") continue;
      collector.take(BusEvent.fromData(`salt/job/${jid}/outcome/${id}`, { ...outcome, id, _stamp: "" }));
    }
    collect = (event, size) => collector.take(event, size);
    for (const { event, size } of early) collector.take(event, size);
    if (early.lost) await source.catchUp?.(jid).catch(() => {});
    yield* collector.outcomes();
    return published;
  } finally {
    off();
  }
}

/** The outcomes that a Brine master keeps of each target; none with a Salt master. */
async function reported(source: JobSource, jid: string): Promise<Record<string, ReportedOutcome>> {
  if (!source.isBrine) return {};
  try {
    return (await source.ask("job_outcomes", { jid }) as { outcomes: Record<string, ReportedOutcome> }).outcomes;
  } catch {
    // The master no longer has the outcomes of an old job; its returns are in the record.
    return {};
  }
}
