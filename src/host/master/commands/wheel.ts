import type { AccessServices } from "../access/access_services.ts";
import type { JobServices } from "../jobs/job_services.ts";
import { messageOf } from "../../../base/errors.ts";
import { eventStamp } from "../../../protocol/wire/event_frame.ts";
import { CommandExecutionError } from "../../../model/loader/family.ts";
import type { LostMinions, WheelContext, WheelFunction } from "../../../model/loader/wheel.ts";
import { withCustomWheels } from "../../../model/loader/wheel.ts";
import type { Args } from "../../../language/python/values.ts";
import { bindArguments, parseSignature, type Signature } from "../../../model/loader/signature.ts";
import { traceback } from "../../../model/loader/traceback.ts";
import { authorizeCall } from "../access/authorize_call.ts";
import { masterUser, withoutProof } from "../access/callers.ts";
import type { Load } from "../load.ts";
import type { MasterServices } from "../services.ts";
import { recordMasterJob, reserveMasterJid } from "../jobs/master_jobs.ts";
import { lowArguments, wholeOf } from "../access/low.ts";

type Services =
  & JobServices
  & AccessServices
  & Pick<MasterServices, "keyAdmin" | "wheels" | "engines" | "files" | "cache">;

async function find({ wheels, runtime, log, opts }: Services, fun: string): Promise<WheelFunction | undefined> {
  const [module = "", name = ""] = fun.split(".");
  const all = withCustomWheels(wheels, { runtime, log: log.child("wheel"), opts });
  if (!Object.hasOwn(all, module)) return undefined;
  const { functions } = (await all[module]!()).wheel;
  return Object.hasOwn(functions, name) ? functions[name] : undefined;
}

/** Returns the arguments of a call for its record: as given, or in Salt's shape for named arguments. */
function shownArguments(low: Load, { params }: Signature, bound: Args): unknown[] {
  const whole = wholeOf(low);
  if (whole !== undefined) {
    return Object.keys(whole.kwargs).length === 0 ? [...whole.args] : [...whole.args, whole.kwargs];
  }
  const named = Object.fromEntries(params.filter((one) => "default" in one).map(({ name }) => [name, bound[name]]));
  const needed = params.filter((one) => !("default" in one)).map(({ name }) => bound[name]);
  return Object.keys(named).length === 0 ? needed : [...needed, named];
}

/** Returns the arguments of a call as events of Salt's reactor have them. */
function givenArguments(low: Load): unknown[] {
  const { args, kwargs } = wholeOf(low) ?? { args: [], kwargs: {} };
  return Object.keys(kwargs).length === 0 ? [...args] : [...args, kwargs];
}

/** Finds lost minions among those with accepted keys: other keys may have been deleted meanwhile. */
function lostMinions({ keys, presence }: Services): LostMinions {
  const lostMs = new Map<string, number>();
  for (const id of keys.list("accepted")) {
    const atMs = presence.goneSince(id);
    if (atMs !== undefined) lostMs.set(id, atMs);
  }
  return { sinceMs: presence.sinceMs, lostMs, unnamed: presence.unnamed() };
}

/** The clear command `wheel`: calls a wheel function, and answers with its return. @see salt/master.py ClearFuncs.wheel */
export async function wheelCommand(services: Services, load: Load): Promise<unknown> {
  const low = withoutProof(load);
  const found = await authorizeCall(services, load, "wheel", low);
  if ("answer" in found) return found.answer;
  const { fun, caller } = found;
  const user = masterUser(caller);
  const { bus, log, opts, keyAdmin, presence, runtime } = services;
  const jid = await reserveMasterJid(services);
  const tag = `salt/wheel/${jid}`;
  // Salt's reactor calls wheel functions in its own process: their events have the arguments but not their own tag.
  const more = caller.reaction === undefined ? { tag } : { fun_args: givenArguments(low) };
  const data: Record<string, unknown> = { fun: `wheel.${fun}`, jid, ...more, user };
  bus.fire(`${tag}/new`, { ...data });
  const startedMs = runtime.clock.now();
  data._stamp = eventStamp(startedMs);
  const context: WheelContext = {
    runtime,
    log: log.child("wheel"),
    opts,
    keys: keyAdmin.as({ user, via: "wheel" }),
    connected: () => [...presence.ids()],
    lost: () => lostMinions(services),
  };
  let funArgs: unknown[] = [];
  let secret = false;
  try {
    const body = await find(services, fun);
    if (body === undefined) throw new CommandExecutionError(`'${fun}' is not available.`);
    const signature = parseSignature(body.signature);
    const { args, kwargs } = lowArguments(low, fun, signature);
    const bound = bindArguments(fun.slice(fun.indexOf(".") + 1), signature, args, new Map(Object.entries(kwargs)));
    funArgs = shownArguments(low, signature, bound);
    secret = body.secret === true;
    data.return = await body.run(context, bound) ?? null;
    data.success = (context.retcode ?? 0) === 0;
    log.info("wheel function called", { fun, user });
  } catch (error) {
    data.return = `Exception occurred in wheel ${fun}: ${traceback(error)}`;
    data.success = false;
    log.warning("wheel function failed", { fun, user, error: messageOf(error) });
  }
  const end = { return: data.return, success: data.success === true, secret };
  const failed = end.success ? {} : { retcode: 1 };
  await recordMasterJob(
    services,
    { jid, fun: `wheel.${fun}`, user, args: funArgs, startedMs },
    { ...end, ...failed },
  );
  bus.fire(`${tag}/ret`, { ...data });
  return { tag, data };
}
