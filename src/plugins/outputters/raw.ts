import { str } from "../../python/mod.ts";

/** The data as Python would print it: a literal on one line, or a bare text as it is. */
export function raw(data: unknown): string {
  return str(data);
}
