import { deferred } from "../async/deferred.ts";
import type { CollectOptions } from "./job_collector.ts";
import type { LocalClient } from "./local_client.ts";
import type { MinionReturn } from "./outcome.ts";
import type { PublishRequest } from "./publish_request.ts";

/** What happens in the course of a batch. */
export type BatchEvent =
  /** It did not answer the first ping, and gets no job. */
  | { kind: "absent"; id: string }
  /** These get the job now. */
  | { kind: "started"; ids: string[] }
  | { kind: "returned"; id: string; result: MinionReturn }
  /** The job was sent, and nothing came back. */
  | { kind: "silent"; id: string };

/**
 * The number of minions at once that `"3"` or `"25%"` means.
 *
 * @returns undefined if the text means nothing
 */
export function batchSize(text: string, minions: number): number | undefined {
  const percent = /^(?:%(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?)%)$/.exec(text);
  if (percent !== null) {
    const share = Number(percent[1] ?? percent[2]) / 100 * minions;
    return share < 1 ? Math.ceil(share) : Math.floor(share);
  }
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/**
 * Runs a job on at most so many minions at once; whoever returns makes room for the next.
 *
 * @param size text as {@link batchSize} reads it, valid
 * @param waitMs a slot stays taken for so long after its return
 * @see salt/cli/batch.py Batch
 */
export async function* runBatch(
  client: LocalClient,
  request: PublishRequest,
  options: CollectOptions & { size: string; waitMs?: number; sleep(ms: number): Promise<void>; failhard?: boolean },
): AsyncGenerator<BatchEvent> {
  const { tgt, tgt_type, kwargs, credentials } = request;
  const { size, waitMs, sleep, failhard, ...collect } = options;
  const present: string[] = [];
  for await (const outcome of client.run({ tgt, tgt_type, fun: "test.ping", kwargs, credentials }, collect)) {
    if (outcome.kind === "returned") present.push(outcome.id);
    // What has no key is nobody who could be away.
    else if (outcome.kind !== "unknown") yield { kind: "absent", id: outcome.id };
  }
  const limit = Math.max(1, batchSize(size, present.length) ?? 1);
  const queue = present.sort();
  const events: BatchEvent[] = [];
  let wake = deferred<void>();
  let active = 0;
  let stopped = false;
  const push = (event: BatchEvent) => {
    events.push(event);
    wake.resolve();
  };
  const launch = async (ids: string[]): Promise<void> => {
    for await (const outcome of client.run({ ...request, tgt: ids, tgt_type: "list" }, collect)) {
      if (outcome.kind === "returned") {
        push({ kind: "returned", id: outcome.id, result: outcome });
        if (waitMs) await sleep(waitMs);
      } else push({ kind: "silent", id: outcome.id });
      active--;
      wake.resolve();
    }
  };
  let failure: unknown;
  while (queue.length > 0 || active > 0 || events.length > 0) {
    while (events.length > 0) {
      const event = events.shift()!;
      const failed = event.kind === "returned" && event.result.retcode !== 0 && event.result.retcode !== undefined;
      if (failed && failhard) {
        stopped = true;
        queue.length = 0;
      }
      yield event;
    }
    if (failure !== undefined) throw failure;
    // Only now: a failure among the returns may have stopped the batch, and a return is shown before what it made room for.
    if (!stopped && active < limit && queue.length > 0) {
      const ids = queue.splice(0, limit - active);
      active += ids.length;
      yield { kind: "started", ids };
      launch(ids).catch((error) => {
        failure = error;
        wake.resolve();
      });
    }
    if (active > 0 && (active >= limit || queue.length === 0)) {
      wake = deferred<void>();
      if (events.length === 0) await wake.promise;
    }
  }
}
