import { CARRIED_FIELDS, isCarried } from "../../../model/job/function_name.ts";
import { jidMs } from "../../../model/job/jid.ts";
import { isRecord, type Load } from "../load.ts";
import type { AccessServices } from "./access_services.ts";
import { isOpen } from "./acl.ts";
import { type Caller, withoutCredentials } from "./callers.ts";
import { loadText } from "./publish_load.ts";

/** The fields of a publication beside function, arguments and target. */
export interface Carried {
  /** The names of returners, separated by commas. */
  ret: string;
  jid: string;
  /** All other fields of the publication, without credentials. */
  kwargs: Record<string, unknown>;
  /** The jid of the runner that asks for the publication. */
  cause?: string;
}

/** The fields of `kwargs` that each need a right by `@publish`. */
const RIGHTS = CARRIED_FIELDS.filter((field) => field !== "ret" && field !== "jid");

/** The fields of `kwargs` that need no right: they are part of the target, or change only what the caller sees. */
const FREE = ["delimiter", "show_timeout", "show_jid", "stream"] as const;

/** How far a jid that a client chooses for a new job may be from now, in milliseconds: older and later jids belong to other jobs. */
const JID_IS_NEW_MS = 3_600_000;

/** Returns the texts of a field that a permission's patterns are matched with; undefined if it holds none. */
function textsOf(value: unknown): string[] | undefined {
  const texts = [value].flat();
  return texts.every((text) => typeof text === "string") ? texts : undefined;
}

/** The returners that a field `ret` names. */
export const carriedNames = (ret: string): string[] =>
  ret.split(",").map((name) => name.trim()).filter((name) => name !== "");

async function isOwnJid({ ledger, jobs, runtime: { clock } }: AccessServices, jid: string, user: string) {
  if (Math.abs(clock.now() - jidMs(jid)) <= JID_IS_NEW_MS) return true;
  return (ledger.loadOf(jid) ?? await jobs.load(jid))?.user === user;
}

/**
 * Returns the fields that a publication may have beside function, arguments and target. A caller with all permissions may use every
 * field, any other caller those that `@publish` grants, and none with a function that is always allowed. Fields that nobody acts on
 * are left out.
 *
 * @returns the fields, or the name of a field that is not permitted
 */
export async function carriedBy(
  services: AccessServices,
  caller: Caller,
  load: Load,
  kwargs: Record<string, unknown>,
): Promise<Carried | { denied: string }> {
  const { rules, opts } = services;
  const { permissions } = caller;
  const carried: Carried = { ret: loadText(load.ret), jid: loadText(load.jid), kwargs: withoutCredentials(kwargs) };
  if (permissions === undefined) {
    const { cause } = isRecord(load.__origin__) ? load.__origin__ : {};
    return typeof cause === "string" ? { ...carried, cause } : carried;
  }
  // Salt's clients name the master's own job cache with each job: these names need no right.
  const own = carriedNames(opts.ext_job_cache);
  const returners = carriedNames(carried.ret).filter((name) => !own.includes(name));
  const everything = rules.mayRunEverything(permissions) && opts.publisher_acl_blacklist.modules === undefined;
  const may = (field: string, texts?: readonly string[]) => everything || rules.mayCarry(permissions, field, texts);
  if (returners.length > 0 && !may("ret", returners)) return { denied: "ret" };
  for (const field of RIGHTS) {
    if (isCarried(kwargs[field]) && !may(field, textsOf(kwargs[field]))) return { denied: field };
  }
  if (carried.jid !== "" && !may("jid") && !await isOwnJid(services, carried.jid, caller.user)) {
    return { denied: "jid" };
  }
  // A client that follows its job asks all minions of the job, and repeats the fields of the job: they are dropped.
  const none = isOpen([load.fun].flat().map(String)) && !everything;
  const fields = none ? FREE : [...FREE, ...RIGHTS.filter((field) => isCarried(kwargs[field]))];
  return {
    ret: none ? "" : carried.ret,
    jid: carried.jid,
    kwargs: Object.fromEntries(fields.filter((name) => kwargs[name] !== undefined).map((name) => [name, kwargs[name]])),
  };
}
