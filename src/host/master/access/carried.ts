import { CARRIED_FIELDS, isCarried } from "../../../model/job/carried_fields.ts";
import { jidMs } from "../../../model/job/jid.ts";
import { isRecord, type Load } from "../load.ts";
import type { AccessServices } from "./access_services.ts";
import { isOpen } from "./acl.ts";
import { type Caller, withoutCredentials } from "./callers.ts";
import { textOf } from "./publish_load.ts";

/** What a publication carries beside function, arguments and target. */
export interface Carried {
  /** Returners, comma separated. */
  ret: string;
  jid: string;
  /** The other fields, without credentials. */
  kwargs: Record<string, unknown>;
  /** The jid of the runner that asks for it. */
  cause?: string;
}

/** Fields of `kwargs` that each need a right. */
const RIGHTS = CARRIED_FIELDS.filter((field) => field !== "ret" && field !== "jid");

/** Fields of `kwargs` that need none: part of the target, or for the eyes of the caller. */
const FREE = ["delimiter", "show_timeout", "show_jid", "stream"] as const;

/** A client may choose the jid of a job that it publishes now; older and later ones are other jobs'. */
const JID_IS_NEW_MS = 3_600_000;

/** What a permission's patterns are matched with; undefined if there are no texts. */
function textsOf(value: unknown): string[] | undefined {
  const texts = [value].flat();
  return texts.every((text) => typeof text === "string") ? texts : undefined;
}

/** The returners that a field `ret` names. */
export const namesOf = (ret: string): string[] =>
  ret.split(",").map((name) => name.trim()).filter((name) => name !== "");

/** True if the jid is a new one, or that of a job of this user. */
async function isOwnJid({ ledger, jobs, runtime: { clock } }: AccessServices, jid: string, user: string) {
  if (Math.abs(clock.now() - jidMs(jid)) <= JID_IS_NEW_MS) return true;
  return (ledger.loadOf(jid) ?? await jobs.load(jid))?.user === user;
}

/**
 * What a publication may carry beside function, arguments and target: the one rule for all of them. Who may do everything carries
 * everything; anybody else what `@publish` grants, of a function that is always allowed nothing, and fields that nobody acts on are left
 * out.
 *
 * @returns or the name of a field that is not permitted
 */
export async function carriedBy(
  services: AccessServices,
  caller: Caller,
  load: Load,
  kwargs: Record<string, unknown>,
): Promise<Carried | { denied: string }> {
  const { rules, opts } = services;
  const { permissions } = caller;
  const carried: Carried = { ret: textOf(load.ret), jid: textOf(load.jid), kwargs: withoutCredentials(kwargs) };
  if (permissions === undefined) {
    const { cause } = isRecord(load.__origin__) ? load.__origin__ : {};
    return typeof cause === "string" ? { ...carried, cause } : carried;
  }
  // Clients name the master's own job cache with each job.
  const own = namesOf(opts.ext_job_cache);
  const returners = namesOf(carried.ret).filter((name) => !own.includes(name));
  const everything = rules.mayRunEverything(permissions) && opts.publisher_acl_blacklist.modules === undefined;
  const may = (field: string, texts?: readonly string[]) => everything || rules.mayCarry(permissions, field, texts);
  if (returners.length > 0 && !may("ret", returners)) return { denied: "ret" };
  for (const field of RIGHTS) {
    if (isCarried(kwargs[field]) && !may(field, textsOf(kwargs[field]))) return { denied: field };
  }
  if (carried.jid !== "" && !may("jid") && !await isOwnJid(services, carried.jid, caller.user)) {
    return { denied: "jid" };
  }
  // Whoever follows a job asks all of its minions, with the fields of the job.
  const none = isOpen([load.fun].flat().map(String)) && !everything;
  const fields = none ? FREE : [...FREE, ...RIGHTS.filter((field) => isCarried(kwargs[field]))];
  return {
    ret: none ? "" : carried.ret,
    jid: carried.jid,
    kwargs: Object.fromEntries(fields.filter((name) => kwargs[name] !== undefined).map((name) => [name, kwargs[name]])),
  };
}
