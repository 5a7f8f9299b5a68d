/** Returns a function that calls `make` once, at its first call, and returns that result each time. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
