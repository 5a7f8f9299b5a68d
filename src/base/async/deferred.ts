/** A promise that is resolved or rejected from outside. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T | PromiseLike<T>): void;
  reject(reason: unknown): void;
}

/** Makes a {@link Deferred}; its rejection never counts as unhandled, since a caller may await it late. */
export function deferred<T>(): Deferred<T> {
  const made = Promise.withResolvers<T>();
  made.promise.catch(() => {});
  return made;
}

/** Returns a function that calls `make` once, at its first call, and returns that result each time. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/**
 * Lets many callers share one run of `work`: callers that arrive during a run wait for the next run, which is one for
 * all of them.
 *
 * @param work handles everything that was pending when it began
 * @returns a function that requests a run; its promise settles as that run does
 */
export function grouped(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const begin = (): Promise<void> => {
    next = undefined;
    const own = running = work().finally(() => {
      if (running === own) running = undefined;
    });
    return own;
  };
  return () => {
    if (running === undefined) return begin();
    return next ??= running.then(begin, begin);
  };
}
