import { isMap, sizeOf } from "../../language/python/containers.ts";

/** Fields of a publication beside function, arguments and target, on which minions or the master act: each is a right of its own. */
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

/** True if a field asks for something: clients also send those that were not set. */
export function isCarried(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "" && value !== false &&
    !(Array.isArray(value) && value.length === 0) && !(isMap(value) && sizeOf(value) === 0);
}
