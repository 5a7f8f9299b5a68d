import { deferred } from "../base/async/deferred.ts";
import type { BusEvent } from "../model/event/bus.ts";
import type { Credentials, Published, PublishRequest } from "./publish_request.ts";
import { EarlyEvents } from "./early_events.ts";

/** The methods of a client that `findJob` uses. */
interface Publisher {
  publish(request: PublishRequest): Promise<Published | undefined>;
  onEvent(listener: (event: BusEvent, size?: number) => void): () => void;
  /** Fires the recorded events of a job again, for a source that may lose events. */
  catchUp?(jid: string): Promise<void>;
}

/**
 * Publishes `saltutil.find_job` to minions and waits until all have answered or `signal` aborts.
 *
 * @returns the ids of the minions that say they are working on the job
 * @throws {ClientError} as {@link Publisher.publish}
 */
export async function findJob(
  client: Publisher,
  ids: readonly string[],
  jid: string,
  { credentials, signal }: { credentials: Credentials | undefined; signal: AbortSignal },
): Promise<string[]> {
  const asked = new Set(ids);
  /** Minion → true if it works on the job. */
  const answers = new Map<string, boolean>();
  const settled = deferred<void>();
  signal.addEventListener("abort", () => settled.resolve(), { once: true });
  if (signal.aborted) return [];
  let prefix: string | undefined;
  const early = new EarlyEvents(client.catchUp !== undefined);
  const take = (event: BusEvent, size?: number) => {
    if (prefix === undefined) return early.take(event, size);
    if (!event.tag.startsWith(prefix)) return;
    const id = event.tag.slice(prefix.length);
    if (asked.has(id)) answers.set(id, saysWorking(event.data.return));
    if (answers.size >= asked.size) settled.resolve();
  };
  // Listen before publishing: a fast minion can answer before publish() returns.
  const off = client.onEvent(take);
  try {
    const request = { tgt: [...ids], tgt_type: "list", fun: "saltutil.find_job", arg: [jid], credentials };
    const published = await client.publish(request);
    if (published === undefined) return [];
    prefix = `salt/job/${published.jid}/ret/`;
    for (const { event } of early) take(event);
    if (early.lost) client.catchUp?.(published.jid).catch(() => {});
    await settled.promise;
  } finally {
    off();
  }
  return [...answers].filter(([, working]) => working).map(([id]) => id);
}

/** True if an answer says that the minion works on the job; otherwise the answer is an empty map. */
const saysWorking = (answer: unknown): boolean =>
  typeof answer === "object" && answer !== null && Object.keys(answer).length > 0;
