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
