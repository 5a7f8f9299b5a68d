import { systemClock } from "../base/async/clock.ts";
import { deferred } from "../base/async/deferred.ts";
import { floatOfText, intOfText } from "../language/python/text.ts";
import type { CollectOptions } from "./job_collector.ts";
import type { LocalClient } from "./local_client.ts";
import { hasReturn, highestRetcode, type Outcome } from "./outcome.ts";
import type { PublishRequest } from "./publish_request.ts";

/** A step of a batch. */
export type BatchEvent =
  /** The minion did not answer the first ping, and is not sent the job. */
  | { kind: "absent"; id: string }
  /** The job is published to these minions. */
  | { kind: "started"; ids: string[] }
  /** A minion got its outcome, with or without a return. */
  | { kind: "ended"; outcome: Outcome };

/** The options of a batch. */
export interface BatchOptions extends CollectOptions {
  /** The largest number of minions at once, as {@link batchSize} reads it: `"3"` or `"25%"`. */
  size: string;
  /** How long a minion's place stays taken after its return, in milliseconds. @default 0 */
  waitMs?: number;
  /** Waits for `ms` milliseconds. @default by the clock of this runtime */
  sleep?(ms: number): Promise<void>;
  /** Starts no more minions after the first return with a code other than 0. @default false */
  failhard?: boolean;
}

/**
 * The number of minions at once for a size such as `"3"` or `"25%"`. Blanks around the number are allowed.
 *
 * @returns undefined if the text is neither a number nor a percentage
 * @example
 * ```ts
 * console.log(batchSize("3", 40)); // 3
 * console.log(batchSize("25%", 40)); // 10
 * console.log(batchSize("some", 40)); // undefined
 * ```
 */
export function batchSize(text: string, minions: number): number | undefined {
  if (text.includes("%")) {
    const percent = floatOfText(text.replace(/^%+|%+$/g, ""));
    if (percent === undefined || !(percent >= 0 && percent < Infinity)) return undefined;
    const share = percent / 100 * minions;
    return share < 1 ? Math.ceil(share) : Math.floor(share);
  }
  const number = intOfText(text);
  return number === undefined || number < 0 ? undefined : number;
}

/**
 * Runs a job on a limited number of minions at once; each return makes room for the next minion. Minions that do not
 * answer a first `test.ping` are left out.
 *
 * @example
 * ```ts
 * await using salt = await connect();
 * for await (const event of runBatch(salt, { tgt: "web*", fun: "pkg.upgrade" }, { size: "25%" })) {
 *   if (event.kind === "ended") console.log(event.outcome.id, event.outcome.kind);
 * }
 * ```
 * @throws {ClientError} as {@link LocalClient.publish}
 * @see salt/cli/batch.py Batch
 */
export async function* runBatch(
  client: LocalClient,
  request: PublishRequest,
  options: BatchOptions,
): AsyncGenerator<BatchEvent> {
  const { size, waitMs = 0, sleep = (ms) => systemClock.sleep(ms), failhard = false, ...collect } = options;
  const { tgt, tgt_type, kwargs, credentials } = request;
  const present: string[] = [];
  for await (const outcome of client.run({ tgt, tgt_type, fun: "test.ping", kwargs, credentials }, collect)) {
    if (hasReturn(outcome)) present.push(outcome.id);
    // A name without a key is not a minion, so it is not reported as absent.
    else if (outcome.kind !== "missing") yield { kind: "absent", id: outcome.id };
  }
  const limit = Math.max(1, batchSize(size, present.length) ?? 1);
  const run = (ids: string[]) => client.run({ ...request, tgt: ids, tgt_type: "list" }, collect);
  yield* new Batch(present.sort(), limit, run, { failhard, pause: () => waitMs > 0 ? sleep(waitMs) : undefined }).run();
}

/** The minions of a batch: those that wait for a place, and the places that are taken. */
class Batch {
  readonly #waiting: string[];
  readonly #limit: number;
  readonly #publish: (ids: string[]) => AsyncIterable<Outcome>;
  readonly #failhard: boolean;
  readonly #pause: () => Promise<void> | undefined;
  readonly #ended: Outcome[] = [];
  #active = 0;
  #failure: { error: unknown } | undefined;
  #wake = deferred<void>();

  constructor(
    waiting: string[],
    limit: number,
    publish: (ids: string[]) => AsyncIterable<Outcome>,
    { failhard, pause }: { failhard: boolean; pause: () => Promise<void> | undefined },
  ) {
    this.#waiting = waiting;
    this.#limit = limit;
    this.#publish = publish;
    this.#failhard = failhard;
    this.#pause = pause;
  }

  async *run(): AsyncGenerator<BatchEvent> {
    while (this.#waiting.length > 0 || this.#active > 0 || this.#ended.length > 0) {
      while (this.#ended.length > 0) {
        const outcome = this.#ended.shift()!;
        if (this.#failhard && hasReturn(outcome) && highestRetcode(outcome.retcode) !== 0) {
          this.#waiting.length = 0;
        }
        yield { kind: "ended", outcome };
      }
      if (this.#failure !== undefined) throw this.#failure.error;
      // New minions start after the outcomes were yielded: a failed return may have stopped the batch, and a return is shown before the next start.
      if (this.#active < this.#limit && this.#waiting.length > 0) {
        const ids = this.#waiting.splice(0, this.#limit - this.#active);
        this.#active += ids.length;
        yield { kind: "started", ids };
        this.#follow(ids).catch((error) => {
          this.#failure = { error };
          this.#wake.resolve();
        });
      }
      if (this.#active > 0 && (this.#active >= this.#limit || this.#waiting.length === 0)) {
        this.#wake = deferred<void>();
        if (this.#ended.length === 0) await this.#wake.promise;
      }
    }
  }

  /** Publishes to these minions; each minion releases its place after its outcome. */
  async #follow(ids: string[]): Promise<void> {
    let places = ids.length;
    for await (const outcome of this.#publish(ids)) {
      this.#ended.push(outcome);
      this.#wake.resolve();
      if (hasReturn(outcome)) await this.#pause();
      places--;
      this.#active--;
      this.#wake.resolve();
    }
    // Releases the remaining places: if all keys were deleted since the ping, there is no job and no outcome.
    this.#active -= places;
    this.#wake.resolve();
  }
}
