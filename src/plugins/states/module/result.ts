import { entriesOf, isMap } from "../../../language/python/values.ts";

/** Most levels of a return that are looked at. */
const DEPTH = 100;

/** Whether a function succeeded, by its return: false, or a map that says so at any level, is failure. */
export function succeeded(value: unknown, depth = 0): boolean {
  if (typeof value === "boolean") return value;
  return !isMap(value) || depth > DEPTH || entriesOf(value).every(([key, item]) => {
    if (key === "result" && item === false) return false;
    if (key === "retcode" && item !== 0 && item !== false) return false;
    return !isMap(item) || succeeded(item, depth + 1);
  });
}
