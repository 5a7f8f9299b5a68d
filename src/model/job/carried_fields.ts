import { isMap, sizeOf } from "../../language/python/values.ts";

/**
 * Fields of a publication, besides function, arguments and target, that minions or the master act on: each needs its own
 * permission.
 */
export const CARRIED_FIELDS = [
  "ret",
  "jid",
  "ret_config",
  "ret_kwargs",
  "metadata",
  "module_executors",
  "executor_opts",
  "queue",
  "job_timeout",
] as const;

/** True if a field has a value: clients also send fields that are not set. */
export function isCarried(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "" && value !== false &&
    !(Array.isArray(value) && value.length === 0) && !(isMap(value) && sizeOf(value) === 0);
}
