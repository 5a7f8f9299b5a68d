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
