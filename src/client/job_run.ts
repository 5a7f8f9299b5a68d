import type { Outcome } from "./outcome.ts";
import type { Published } from "./publish_request.ts";
import type { JobRun } from "./salt.ts";

/** A generator of outcomes with what {@link JobRun} has besides. */
export function jobRun(outcomes: AsyncGenerator<Outcome, Published | undefined, void>): JobRun {
  const run: JobRun = {
    next: () => outcomes.next(),
    return: (value) => outcomes.return(value),
    throw: (error) => outcomes.throw(error),
    [Symbol.asyncIterator]: () => run,
    async [Symbol.asyncDispose]() {
      await outcomes.return(undefined);
    },
    async all() {
      const found: Outcome[] = [];
      for await (const outcome of outcomes) found.push(outcome);
      return found;
    },
  };
  return run;
}
