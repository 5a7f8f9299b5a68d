import { isMap, truthy } from "../../language/python/values.ts";

/** The `success` of a return as one boolean: of several functions, whether all of them succeeded. */
export function verdict(success: unknown): boolean {
  if (isMap(success)) return Object.values(success).every(truthy);
  return Array.isArray(success) ? success.every(truthy) : truthy(success ?? false);
}
