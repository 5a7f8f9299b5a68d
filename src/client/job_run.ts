import type { Outcome } from "./outcome.ts";
import type { Published } from "./publish_request.ts";
import type { JobRun } from "./salt.ts";

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
