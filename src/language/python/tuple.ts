import { Tuple } from "./containers.ts";

/** A tuple of items; `Tuple.of` and `new Tuple` treat a single number as a length. */
export function tupleOf<T>(items: Iterable<T>): Tuple<T> {
  const tuple = new Tuple<T>();
  for (const item of items) tuple.push(item);
  return tuple;
}
