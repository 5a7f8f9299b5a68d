import { str } from "../../language/python/values.ts";

/** Shows data as Python's `print` does: a literal on one line, or a text as it is. */
export function raw(data: unknown): string {
  return str(data);
}
