import { messageOf } from "../../errors.ts";
import { isPlainJid } from "../../job/jid.ts";
import { jobNew, jobPublish } from "../../event/tag.ts";
import { isExpression, matchExpression, type Target } from "../../target/mod.ts";
import type { Call } from "../acl.ts";
import { type Caller, proofOf, withoutCredentials } from "../credentials.ts";
import { isRecord, type Load, type MasterServices } from "../services.ts";

/** `module.function`, or `module.sub.function` as some custom modules have it. */
const FUNCTION_NAME = /^[A-Za-z_][\w-]*(\.[\w-]+)*$/;

const AUTHENTICATION_ERROR = { error: { name: "AuthenticationError", message: "Authentication error occurred." } };
const AUTHORIZATION_ERROR = { error: { name: "AuthorizationError", message: "Authorization error occurred." } };

/** Fields of `kwargs` that go on to the minions, in the order of the wire. */
const PASSED_ON = ["ret_config", "metadata", "module_executors", "executor_opts", "ret_kwargs"] as const;

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** True if `publisher_acl_blacklist` stands against one of these users or functions. */
function blacklisted({ opts, log }: MasterServices, users: readonly string[], functions: readonly string[]): boolean {
  const blacklist = opts.publisher_acl_blacklist as { users?: unknown; modules?: unknown };
  const hits = (rules: unknown, texts: readonly string[]) => {
    if (rules === undefined || rules === null) return false;
    const listed = Array.isArray(rules) ? rules : [rules];
    return listed.some((rule) => {
      if (typeof rule === "string" && isExpression(rule)) return texts.some((text) => matchExpression(text, rule));
      log.error("publisher_acl_blacklist holds a pattern that does not compile", { pattern: rule });
      // A rule that cannot be read must not let through what it was written against.
      return true;
    });
  };
  return hits(blacklist.users, users) || hits(blacklist.modules, functions);
}

/** What is wrong with the form of a publish load, or undefined. */
function malformed(load: Load): string | undefined {
  const functions = [load.fun].flat();
  if (functions.length === 0 || !functions.every((fun) => typeof fun === "string" && FUNCTION_NAME.test(fun))) {
    return `fun is not a function name or a list of them`;
  }
  if (!Array.isArray(load.arg)) return "arg is not a list";
  if (typeof load.tgt !== "string" && !Array.isArray(load.tgt) && load.tgt !== null) {
    return "tgt is neither text nor a list";
  }
  if (
    load.jid !== undefined && load.jid !== "" && load.jid !== null &&
    !(typeof load.jid === "string" && isPlainJid(load.jid))
  ) {
    return "jid is not a job id";
  }
  return undefined;
}

/** A job id that no job has, or the one that was asked for, and whom its job has gone to before; undefined if none could be had. */
async function allocate(
  services: MasterServices,
  wanted: string,
): Promise<{ jid: string; before: string[] } | undefined> {
  const { jobs, jids } = services;
  if (wanted !== "") return { jid: wanted, before: await jobs.reserve(wanted) ? [] : await jobs.minions(wanted) };
  for (let attempt = 0; attempt < 5; attempt++) {
    const jid = jids.next();
    if (await jobs.reserve(jid)) return { jid, before: [] };
  }
  return undefined;
}

/** What a job asks of our minions beyond Salt's fields: live output, and a time after which it is ended. */
function deliveryOf(kwargs: Record<string, unknown>): Record<string, unknown> | undefined {
  const delivery: Record<string, unknown> = {};
  if (kwargs.stream === true) delivery.stream = true;
  if (typeof kwargs.job_timeout === "number" && kwargs.job_timeout > 0) delivery.timeout = kwargs.job_timeout;
  return Object.keys(delivery).length > 0 ? delivery : undefined;
}

/** What a publication needs once somebody may publish it. */
export interface Publication {
  tgt: unknown;
  tgt_type: string;
  fun: unknown;
  arg: unknown;
  ret: string;
  user: string;
  /** `""` for a new one. */
  jid: string;
  kwargs: Record<string, unknown>;
  /** The minion that asked for it, if one did. */
  asker?: string;
  /** True if whoever asked will look for the job on the disk. @default false */
  files?: boolean;
}

/** A job that was published; `queued` are those that will get it when they come back. */
export interface PublishedJob {
  jid: string;
  minions: readonly string[];
  missing: readonly string[];
  queued?: readonly string[];
}

/** A job of which minions may hear. */
interface RecordedJob {
  jid: string;
  load: Load;
  /** Those who get it when they come back. */
  away: readonly string[];
}

/** Puts a job on record; undefined if no jid could be had. */
async function record(
  services: MasterServices,
  job: Publication,
  minions: readonly string[],
): Promise<RecordedJob | undefined> {
  const { jobs, ledger, presence, store, runtime: { clock } } = services;
  const allocated = await allocate(services, job.jid);
  if (allocated === undefined) return undefined;
  const { jid, before } = allocated;
  const { tgt, tgt_type, fun, arg, ret, user, kwargs } = job;

  const load: Load = { fun, arg, tgt, jid, ret };
  if (typeof kwargs.master_id === "string") load.master_id = kwargs.master_id;
  if (typeof kwargs.delimiter === "string" && kwargs.delimiter !== ":") load.delimiter = kwargs.delimiter;
  if (job.asker !== undefined) load.id = job.asker;
  load.tgt_type = tgt_type;
  for (const name of PASSED_ON) if (kwargs[name] !== undefined && kwargs[name] !== null) load[name] = kwargs[name];
  load.user = user;
  const delivery = deliveryOf(kwargs);
  if (delivery !== undefined) load.delivery = delivery;

  await jobs.saveLoad(
    jid,
    { ...load, cmd: "publish", kwargs },
    before.length === 0 ? minions : [...new Set([...before, ...minions])],
    { files: job.files === true },
  );
  const ttl = kwargs.queue;
  const away = typeof ttl === "number" && ttl > 0 ? minions.filter((id) => !presence.connected(id)) : [];
  const untilMs = clock.now() + Number(ttl) * 1000;
  const undo = ledger.open(jid, load, minions, away.length === 0 ? undefined : { ids: new Set(away), untilMs });
  try {
    await store.durable();
  } catch (error) {
    undo();
    throw error;
  }
  ledger.confirm(jid);
  return { jid, load, away };
}

/**
 * Publishes a job: allocates its jid, records it, tells the bus and the minions. Nobody hears of a job that is not on
 * record.
 *
 * @returns undefined if no jid could be had
 * @throws {SystemError} of the job cache; then nothing was published
 */
export async function publishJob(
  services: MasterServices,
  job: Publication,
  minions: readonly string[],
  missing: readonly string[],
): Promise<PublishedJob | undefined> {
  const { bus, log, presence } = services;
  let recorded: RecordedJob | undefined;
  try {
    recorded = await record(services, job, minions);
  } catch (error) {
    // The job cache keeps nothing of a turn in which something went wrong, and is of use again after it.
    services.store.soon();
    throw error;
  }
  if (recorded === undefined) return undefined;
  const { jid, load, away } = recorded;
  const { tgt, tgt_type, fun, arg, user } = job;

  await services.extJobCache?.(jid, { ...load, cmd: "publish", kwargs: job.kwargs }, minions);
  bus.fire(jid, { minions });
  bus.fire(jobNew(jid), { jid, tgt_type, tgt, user, fun, arg, minions, missing });
  log.info("job published", {
    jid,
    fun,
    user,
    minions: minions.length,
    ...(away.length > 0 ? { queued: away.length } : {}),
  });
  if (away.length === 0) services.send(load, minions);
  else {
    // Those that are away get it from the queue; those that came back before it was on record have asked in vain.
    const waiting = new Set(away.filter((id) => !presence.connected(id)));
    const there = minions.filter((id) => !waiting.has(id));
    if (there.length > 0) services.send({ ...load, tgt: there, tgt_type: "list" }, there);
  }
  bus.fire(jobPublish(jid), load);
  return { jid, minions, missing, ...(away.length === 0 ? {} : { queued: away }) };
}

/** The functions of a load with their arguments, as permissions look at them. */
function callsOf({ fun, arg }: Load): Call[] {
  const parts = Array.isArray(arg) ? arg : [];
  const several = Array.isArray(fun);
  return [fun].flat().map((name, at) => {
    const given: unknown = several ? parts[at] : parts;
    const args = Array.isArray(given) ? given : given === undefined ? [] : [given];
    const last: unknown = args.at(-1);
    if (!isRecord(last) || last.__kwarg__ !== true) return { fun: String(name), args, kwargs: {} };
    const { __kwarg__: _, ...kwargs } = last;
    return { fun: String(name), args: args.slice(0, -1), kwargs };
  });
}

/** Target types whose patterns could search out what a pillar holds, and what they are without patterns. */
const EXACT: Record<string, string> = {
  pillar: "pillar_exact",
  pillar_pcre: "pillar_exact",
  compound: "compound_pillar_exact",
};

/** True if a caller may have these functions run on these minions. */
function permitted(
  services: MasterServices,
  { permissions }: Caller,
  load: Load,
  target: Target,
  minions: readonly string[],
): boolean {
  if (permissions === undefined) return true;
  const { rules, opts } = services;
  const exact = EXACT[target.tgt_type ?? "glob"];
  if (exact !== undefined) {
    const plain = new Set(services.expand({ ...target, tgt_type: exact }).minions);
    if (minions.some((id) => !plain.has(id))) return false;
  }
  const scope = {
    minions,
    // Only who is known to match: a minion that the master has no grains of is nobody's.
    expand: (rule: string) => services.expand({ tgt: rule, tgt_type: "compound" }, { greedy: false }).minions,
  };
  const calls = callsOf(load);
  return opts["auth.enable_expanded_auth_matching"] === true
    ? rules.mayPublishExpanded(permissions, calls, scope)
    : rules.mayPublish(permissions, calls, scope);
}

/** Tells the bus of a publication that was refused: nothing of its credentials, and nothing that would change the tag. */
function tellOfRefusal({ bus }: MasterServices, load: Load, error: Record<string, unknown>): void {
  if (!("jid" in load)) return;
  const { cmd, tgt, fun, arg, tgt_type, ret, user } = load;
  const jid = textOf(load.jid);
  bus.fire(`salt/job/${jid}/error`, { cmd, tgt, fun, arg, tgt_type, ret, jid, user, ...error });
}

/**
 * The clear command `publish`: a program asks for a job, with the key of its user on this host, a token, or a name and a
 * password.
 *
 * @see salt/master.py ClearFuncs.publish
 */
export async function publish(services: MasterServices, load: Load): Promise<unknown> {
  const { log } = services;
  // Salt fails over this before it has looked at anything else, and its clients know that answer.
  if (load.user === undefined) throw new TypeError("Cannot publish: the load names no user");
  const wrong = malformed(load);
  const kwargs = isRecord(load.kwargs) ? load.kwargs : {};
  const user = textOf(load.user);
  const functions = [load.fun].flat().map(String);

  if (wrong === undefined && blacklisted(services, [user], functions)) {
    log.error("publication refused: blacklisted", { user, fun: functions });
    return AUTHORIZATION_ERROR;
  }
  const { credentials } = services;
  const who = proofOf(kwargs) === "user" ? credentials.byKey(load.user, load.key) : await credentials.identify(kwargs);
  if (who === undefined) {
    log.warning("publication refused: nothing proves who it is of", { user, by: proofOf(kwargs) });
    // Anybody can send this: a jid that is none would make another tag of it.
    if (wrong === undefined) tellOfRefusal(services, load, AUTHENTICATION_ERROR);
    return AUTHENTICATION_ERROR;
  }
  if (wrong !== undefined) {
    log.warning("publication refused: malformed", { user, reason: wrong });
    return { enc: "clear", load: { error: `Cannot publish: ${wrong}` } };
  }

  const tgt_type = typeof load.tgt_type === "string" ? load.tgt_type : "glob";
  const delimiter = typeof kwargs.delimiter === "string" ? kwargs.delimiter : ":";
  const target = { tgt: load.tgt, tgt_type, delimiter };
  const { minions, missing } = services.expand(target);
  if (blacklisted(services, [who.user], []) || !permitted(services, who, load, target, minions)) {
    log.warning("publication refused: not permitted", { user: who.user, fun: functions, tgt: load.tgt });
    tellOfRefusal(services, load, AUTHORIZATION_ERROR);
    return AUTHORIZATION_ERROR;
  }
  if (minions.length === 0) {
    return {
      enc: "clear",
      load: {
        jid: null,
        minions,
        error: `Master could not resolve minions for target ${typeof load.tgt === "string" ? load.tgt : `${load.tgt}`}`,
      },
    };
  }
  const job: Publication = {
    tgt: load.tgt,
    tgt_type,
    fun: load.fun,
    arg: load.arg,
    ret: textOf(load.ret),
    user: who.user,
    jid: textOf(load.jid),
    kwargs: withoutCredentials(kwargs),
    // Our own programs say that they do not.
    files: load.files !== false,
  };
  try {
    const published = await publishJob(services, job, minions, missing);
    if (published === undefined) return { enc: "clear", load: { error: "Master failed to assign jid" } };
    return { enc: "clear", load: published };
  } catch (error) {
    log.error("job refused: it cannot be recorded", { user, fun: functions, error: messageOf(error) });
    return { enc: "clear", load: { error: `Cannot publish: ${messageOf(error)}` } };
  }
}
