import { hasReturn, type Outcome } from "./outcome.ts";
import type { Previewed, Published, PublishRequest } from "./publish_request.ts";
import type { CallOptions, JobRun, Salt } from "./salt.ts";
import type { Clock } from "../base/async/clock.ts";
import type { JobSource } from "./job_collector.ts";

/** The returns of a run to its end: id → return, without the targets that did not return. */
export async function returnsOf<Return>(run: JobRun<Return>): Promise<Record<string, Return | string>> {
  const returns: [string, Return | string][] = [];
  for await (const outcome of run) if (hasReturn(outcome)) returns.push([outcome.id, outcome.return]);
  // fromEntries() is used, since assigning a property "__proto__" would set the prototype.
  return Object.fromEntries(returns);
}

/** Adds the method `all` of {@link JobRun} to a generator of outcomes. */
export function jobRun<Return>(
  outcomes: AsyncGenerator<Outcome<Return>, Published | undefined, void>,
): JobRun<Return> {
  const run: JobRun<Return> = {
    next: () => outcomes.next(),
    return: (value) => outcomes.return(value),
    throw: (error) => outcomes.throw(error),
    [Symbol.asyncIterator]: () => run,
    async [Symbol.asyncDispose]() {
      await outcomes.return(undefined);
    },
    async all() {
      const found: Outcome<Return>[] = [];
      for await (const outcome of outcomes) found.push(outcome);
      return found;
    },
  };
  return run;
}

/** The connection that the verbs of {@link Salt} use: to a master on this host, or over HTTP. */
export interface SaltLink extends JobSource, Pick<Salt, "runner" | "wheel"> {
  /** The clock for waits. */
  readonly clock: Clock;
  publish(request: PublishRequest, options?: CallOptions): Promise<Published | undefined>;
  /** The minions that a request would be published for. @throws {ClientError} `NOT_BRINE` */
  preview(request: PublishRequest, options?: CallOptions): Promise<Previewed>;
  /** Resolves once the client listens: later events are not missed. @default the client listens already */
  listening?(signal?: AbortSignal): Promise<void>;
}
