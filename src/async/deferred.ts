/** A promise with its two handles outside. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T | PromiseLike<T>): void;
  reject(reason: unknown): void;
}

/** Makes a {@link Deferred}; its rejection never counts as unhandled, since whoever waits may come late. */
export function deferred<T>(): Deferred<T> {
  const made = Promise.withResolvers<T>();
  made.promise.catch(() => {});
  return made;
}
