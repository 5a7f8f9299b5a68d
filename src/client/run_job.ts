import type { Clock } from "../base/async/clock.ts";
import type { BusEvent } from "../model/event/bus.ts";
import type { Credentials, Published } from "./publish_request.ts";
import { type CollectOptions, JobCollector, type JobSource } from "./job_collector.ts";
import { EarlyEvents } from "./early_events.ts";
import type { Outcome } from "./outcome.ts";

/** The methods of a client that are needed to run a job to its end. */
interface RunSource extends JobSource {
  readonly clock: Clock;
  listening?(signal?: AbortSignal): Promise<void>;
}

/**
 * Publishes a job and yields the outcome of each target.
 *
 * @param publish publishes the job; called once the client listens to events
 * @param ended called once the run has ended, in whatever way
 * @param expected the minions and syndics to wait for, if they differ from the master's reply
 */
export async function* runJob<Return>(
  source: RunSource,
  publish: () => Promise<Published | undefined>,
  { options, credentials, expected = (published) => published, ended = () => {} }: {
    options: CollectOptions;
    credentials: Credentials | undefined;
    expected?: (published: Published) => Published;
    ended?: () => void;
  },
): AsyncGenerator<Outcome<Return>, Published | undefined, void> {
  // Listen before publishing: a fast minion can answer before publish() returns.
  const early = new EarlyEvents(source.catchUp !== undefined);
  let collect = (event: BusEvent, size?: number): void => early.take(event, size);
  const off = source.onEvent((event, size) => collect(event, size));
  try {
    await source.listening?.(options.signal);
    const published = await publish();
    if (published === undefined) return undefined;
    options.onPublished?.(published.jid, published);
    const collector = new JobCollector(source, expected(published), options, source.clock, credentials);
    collect = (event, size) => collector.take(event, size);
    for (const { event, size } of early) collector.take(event, size);
    // A failure to read the record is ignored: the minions are asked instead.
    if (early.lost) await source.catchUp?.(published.jid).catch(() => {});
    yield* collector.outcomes() as AsyncIterable<Outcome<Return>>;
    return published;
  } finally {
    off();
    ended();
  }
}
