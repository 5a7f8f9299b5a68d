import { isMap, sizeOf } from "../../language/python/values.ts";

/** `module.function`; some custom modules have `module.sub.function`. */
const FUNCTION_NAME = /^[A-Za-z_][\w-]*(\.[\w-]+)*$/;

/** Limits of a name's characters and of the number of names, because each name is matched with every rule of a user. */
const MAX_NAME = 256;
const MAX_FUNCTIONS = 1000;

/** The error in the field `fun`, a function's name or a list of names; undefined if there is none. */
export function functionsFault(fun: unknown): string | undefined {
  const functions = [fun].flat();
  if (functions.length === 0 || !functions.every((name) => typeof name === "string" && FUNCTION_NAME.test(name))) {
    return `fun is not a function name or a list of them`;
  }
  if (functions.length > MAX_FUNCTIONS || functions.some((name) => String(name).length > MAX_NAME)) {
    return `fun has more than ${MAX_FUNCTIONS} functions, or a name of more than ${MAX_NAME} characters`;
  }
  return undefined;
}

/** Runners that run an orchestration. Their states receive the job id, which is used to pause and stop the orchestration. */
export const ORCHESTRATIONS: readonly string[] = ["state.orchestrate", "state.orch", "state.sls"];

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
