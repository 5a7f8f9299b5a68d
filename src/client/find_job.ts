import { deferred } from "../async/deferred.ts";
import type { BusEvent } from "../event/bus.ts";
import type { Credentials } from "./credentials.ts";
import type { Published, PublishRequest } from "./publish_request.ts";

/** What `findJob` needs of a client. */
interface Publisher {
  publish(request: PublishRequest): Promise<Published | undefined>;
  onEvent(listener: (event: BusEvent) => void): () => void;
}

/**
 * Publishes `saltutil.find_job` to minions and waits until all have answered or `signal` aborts.
 *
 * @returns the ids of those that say they are working on the job
 * @throws {ClientError} as {@link Publisher.publish}
 */
export async function findJob(
  client: Publisher,
  ids: readonly string[],
  jid: string,
  { credentials, signal }: { credentials: Credentials | undefined; signal: AbortSignal },
): Promise<string[]> {
  const answers = new Map<string, BusEvent>();
  const settled = deferred<void>();
  signal.addEventListener("abort", () => settled.resolve(), { once: true });
  if (signal.aborted) return [];
  let prefix: string | undefined;
  const early: BusEvent[] = [];
  const take = (event: BusEvent) => {
    if (prefix === undefined) return void early.push(event);
    if (!event.tag.startsWith(prefix)) return;
    answers.set(event.tag.slice(prefix.length), event);
    if (answers.size >= ids.length) settled.resolve();
  };
  // Listen before publishing: a fast minion can answer before publish() returns.
  const off = client.onEvent(take);
  try {
    const request = { tgt: [...ids], tgt_type: "list", fun: "saltutil.find_job", arg: [jid], credentials };
    const published = await client.publish(request);
    if (published === undefined) return [];
    prefix = `salt/job/${published.jid}/ret/`;
    for (const event of early.splice(0)) take(event);
    await settled.promise;
  } finally {
    off();
  }
  return [...answers].filter(([, { data }]) => {
    const answer = data.return;
    return typeof answer === "object" && answer !== null && Object.keys(answer).length > 0;
  }).map(([id]) => id);
}
