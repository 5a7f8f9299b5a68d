/**
 * Lets many who want the same thing done share it: whoever asks while it is under way waits for the next time, which is one for
 * all of these.
 *
 * @param work does it for all that was there when it began
 * @returns asks; resolves or rejects as that time did
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
