import type { PublishRequest } from "../../../client/publish_request.ts";
import { conditionInput } from "../../../model/job/args.ts";
import { CARRIED_FIELDS, isCarried } from "../../../model/job/function_name.ts";
import { inScope } from "../auth/api_keys.ts";
import { isPlainJid } from "../../../model/job/jid.ts";
import { isMap } from "../../../language/python/values.ts";
import { inlineNodegroups } from "../../../model/target/nodegroup.ts";
import { HttpError } from "../wire/errors.ts";
import { argList, checkFunctionNames, flag, lowCredentials } from "./low_fields.ts";
import type { Low, LowContext } from "./lowstate.ts";

/** Fields in `kwargs` of a publication that the master or its minions use. */
const PUBLISH_KWARGS = [
  "delimiter",
  "metadata",
  "module_executors",
  "executor_opts",
  "ret_config",
  "ret_kwargs",
  "show_jid",
] as const;

/** The job that a chunk asks the master to publish. @throws {HttpError} 400 */
export function publication(low: Low, { settings, backend, identity }: LowContext): PublishRequest {
  const { fun, tgt, ret, jid } = low;
  const functions = [fun].flat();
  if (functions.length === 0 || !functions.every((name) => typeof name === "string" && name !== "")) {
    throw new HttpError(400, "fun is missing: expected a function, or a list of them");
  }
  checkFunctionNames(fun);
  const isTarget = typeof tgt === "string" || (Array.isArray(tgt) && tgt.every((id) => typeof id === "string"));
  if (!isTarget) throw new HttpError(400, "tgt is missing: expected a target, or a list of minions");
  const beyond = identity === undefined
    ? undefined
    : CARRIED_FIELDS.find((field) => isCarried(low[field]) && !inScope(identity, `publish:${field}`));
  if (beyond !== undefined) {
    throw new HttpError(401, `The API key does not cover ${beyond}: its scopes have no publish:${beyond}`);
  }
  if (typeof jid === "string" && jid !== "" && !isPlainJid(jid)) throw new HttpError(400, "jid is not a job id");
  const kwargs: Record<string, unknown> = {};
  for (const name of PUBLISH_KWARGS) if (low[name] !== undefined) kwargs[name] = low[name];
  return {
    ...targetOf(low, settings.nodegroups),
    fun: fun as string | string[],
    arg: jobArguments(low),
    ret: typeof ret === "string" ? ret : "",
    jid: typeof jid === "string" ? jid : "",
    kwargs,
    credentials: lowCredentials(low),
    ...(backend.isBrine ? delivery(low) : {}),
  };
}

/** The longest time for which a job may be kept or run, in seconds: a year. */
const MAX_SECONDS = 366 * 86_400;

/** The fields for Brine masters: live output, jobs that are kept for absent minions, and a timeout of the job. */
function delivery(low: Low): Pick<PublishRequest, "stream" | "queue" | "jobTimeout"> {
  const seconds = (name: string) => {
    const value = low[name];
    if (value === undefined || value === null || value === "") return undefined;
    const number = typeof value === "boolean" ? NaN : Number(value);
    if (number > 0 && number <= MAX_SECONDS) return number;
    throw new HttpError(400, `${name} is not a number of seconds from 1 to ${MAX_SECONDS}`);
  };
  const [queue, jobTimeout] = [seconds("queue"), seconds("job_timeout")];
  return {
    ...(flag(low.stream) ? { stream: true } : {}),
    ...(queue === undefined ? {} : { queue }),
    ...(jobTimeout === undefined ? {} : { jobTimeout }),
  };
}

/** The target of a chunk with inlined node groups, since the master does not know them. */
function targetOf(low: Low, nodegroups: Record<string, unknown>): { tgt: string | string[]; tgt_type: string } {
  const tgt_type = low.tgt_type === undefined || low.tgt_type === null ? "glob" : String(low.tgt_type);
  return inlineNodegroups({ tgt: low.tgt as string | string[], tgt_type }, nodegroups);
}

/** `arg` and `kwarg` in the form of a job: for one function, or for each of several. */
function jobArguments(low: Low): unknown[] {
  const { kwarg } = low;
  // A form can send any text as `kwarg`: a value that is not a map is ignored.
  if (!isMap(kwarg)) return conditionInput(argList(low), new Map());
  const named = new Map<unknown, unknown>(kwarg instanceof Map ? kwarg : Object.entries(kwarg));
  return conditionInput(argList(low), named);
}
