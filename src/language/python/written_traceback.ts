/** Errors that Python itself has written the text of. */
const WRITTEN = new WeakMap<Error, string>();

/** Keeps the text that Python printed of an exception. */
export function tracebackIs(error: Error, text: string): void {
  WRITTEN.set(error, text);
}

/** The text that Python printed of an exception; undefined for one that was never in Python. */
export function writtenTraceback(error: unknown): string | undefined {
  return error instanceof Error ? WRITTEN.get(error) : undefined;
}
