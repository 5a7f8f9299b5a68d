import { messageOf } from "../../errors.ts";
import { isPlainJid, jidMs } from "../../job/jid.ts";
import { mergeOutcomes } from "../../job/job_cache.ts";
import type { TargetOutcome } from "../../job/outcome.ts";
import { jobNew, jobPublish } from "../../event/tag.ts";
import {
  asksPillar,
  exactTarget,
  guessesPillar,
  isExpression,
  matchExpression,
  type Target,
} from "../../target/mod.ts";
import type { Call } from "../access/acl.ts";
import { type Caller, proofOf, withoutCredentials } from "../access/callers.ts";
import { JidTakenError, sameJob } from "../jobs/same_job.ts";
import { isRecord, type Load, type MasterServices } from "../services.ts";

/** `module.function`, or `module.sub.function` as some custom modules have it. */
const FUNCTION_NAME = /^[A-Za-z_][\w-]*(\.[\w-]+)*$/;

/** They are matched with every rule before it is known who asks. */
const MAX_NAME = 256;
const MAX_FUNCTIONS = 1000;

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
  if (functions.length > MAX_FUNCTIONS || functions.some((fun) => String(fun).length > MAX_NAME)) {
    return `fun has more than ${MAX_FUNCTIONS} functions, or a name of more than ${MAX_NAME} characters`;
  }
  if (textOf(load.user).length > MAX_NAME) return `user has more than ${MAX_NAME} characters`;
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

/** A jid for a publication, held until {@link Claim.release}; `known` is what is on record of it, if it is of an earlier one. */
interface Claim {
  jid: string;
  known?: KnownJob;
  release(): void;
}

/** A job that was published before. */
interface KnownJob {
  /** As the job cache has it. */
  load: Load;
  /** How its targets stand. */
  outcomes: readonly TargetOutcome[];
  /** Whose return is there. */
  returned: ReadonlySet<string>;
}

/** What there is of a job that somebody publishes again. */
async function knownJob({ jobs, ledger }: MasterServices, jid: string): Promise<KnownJob | undefined> {
  // A master without a job cache has only the ledger.
  const load = await jobs.load(jid) ?? ledger.loadOf(jid);
  if (load === undefined) return undefined;
  const returns = await jobs.returns(jid);
  return {
    load,
    outcomes: mergeOutcomes(await jobs.minions(jid), await jobs.outcomes(jid), returns, jidMs(jid)),
    returned: new Set(returns.map(({ minion }) => minion)),
  };
}

/**
 * A job id that no job has, or the one that was asked for; undefined if none could be had.
 *
 * @throws {JidTakenError} if the one that was asked for is reserved for something else
 */
async function allocate(services: MasterServices, wanted: string): Promise<Claim | undefined> {
  const { jobs, jids, ledger } = services;
  for (let attempt = 0; attempt < 5; attempt++) {
    const jid = wanted || jids.next();
    const release = await ledger.claim(jid);
    try {
      if (await jobs.reserve(jid)) return { jid, release };
      if (wanted !== "") {
        const known = await knownJob(services, jid);
        // Reserved, and nothing on record yet: it is that of a runner or wheel function under way.
        if (known === undefined) throw new JidTakenError(jid);
        return { jid, release, known };
      }
    } catch (error) {
      release();
      throw error;
    }
    release();
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
  /** As minions get it. */
  load: Load;
  /** As the job cache has it. */
  record: Load;
  /** Those who get it when they come back. */
  away: readonly string[];
  /** Those whose return is there: it was published to them before. */
  done: ReadonlySet<string>;
}

/** The load as minions get it. */
function loadOf({ tgt, tgt_type, fun, arg, ret, user, kwargs, asker }: Publication, jid: string): Load {
  const load: Load = { fun, arg, tgt, jid, ret };
  if (typeof kwargs.master_id === "string") load.master_id = kwargs.master_id;
  if (typeof kwargs.delimiter === "string" && kwargs.delimiter !== ":") load.delimiter = kwargs.delimiter;
  if (asker !== undefined) load.id = asker;
  load.tgt_type = tgt_type;
  for (const name of PASSED_ON) if (kwargs[name] !== undefined && kwargs[name] !== null) load[name] = kwargs[name];
  load.user = user;
  const delivery = deliveryOf(kwargs);
  if (delivery !== undefined) load.delivery = delivery;
  return load;
}

/** Puts a job on record; undefined if no jid could be had. @throws {JidTakenError} if the jid is another job's */
async function record(
  services: MasterServices,
  job: Publication,
  minions: readonly string[],
): Promise<RecordedJob | undefined> {
  const claim = await allocate(services, job.jid);
  if (claim === undefined) return undefined;
  try {
    return await recordAs(services, job, minions, claim);
  } finally {
    claim.release();
  }
}

async function recordAs(
  services: MasterServices,
  job: Publication,
  minions: readonly string[],
  { jid, known }: Claim,
): Promise<RecordedJob> {
  const { jobs, ledger, presence, store, runtime: { clock } } = services;
  const { kwargs } = job;
  const load = loadOf(job, jid);
  if (known !== undefined && !sameJob(known.load, load)) throw new JidTakenError(jid);

  const before = known?.outcomes.map(({ minion }) => minion) ?? [];
  // What is on record of a job stays so: only its targets become more.
  const record = known?.load ?? { ...load, cmd: "publish", kwargs };
  const since = store.losses;
  await jobs.saveLoad(
    jid,
    record,
    before.length === 0 ? minions : [...new Set([...before, ...minions])],
    { files: job.files === true },
  );
  const { queue } = kwargs;
  const untilMs = typeof queue === "number" && queue > 0 ? clock.now() + queue * 1000 : undefined;
  const done = known?.returned ?? new Set<string>();
  const away = untilMs === undefined ? [] : minions.filter((id) => !presence.connected(id) && !done.has(id));
  const undo = ledger.open(jid, load, minions, {
    ...(untilMs === undefined ? {} : { queued: { ids: new Set(away), untilMs } }),
    ...(known === undefined ? {} : { earlier: known }),
  });
  try {
    await store.durable(since);
  } catch (error) {
    undo();
    throw error;
  }
  ledger.confirm(jid);
  return { jid, load, record, away, done };
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
    if (!(error instanceof JidTakenError)) services.store.soon();
    throw error;
  }
  if (recorded === undefined) return undefined;
  const { jid, load, record: kept, away, done } = recorded;
  const { tgt, tgt_type, fun, arg, user } = job;

  await services.extJobCache?.(jid, kept, minions);
  bus.fire(jid, { minions });
  bus.fire(jobNew(jid), { jid, tgt_type, tgt, user, fun, arg, minions, missing });
  log.info("job published", {
    jid,
    fun,
    user,
    minions: minions.length,
    ...(away.length > 0 ? { queued: away.length } : {}),
  });
  if (away.length === 0 && done.size === 0) services.send(load, minions);
  else {
    // Those that are away get it from the queue; those that came back before it was on record have asked in vain.
    const waiting = new Set(away.filter((id) => !presence.connected(id)));
    const there = minions.filter((id) => !waiting.has(id) && !done.has(id));
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

/** False if a caller may have these functions run nowhere, or tries patterns on pillar. */
function mightBePermitted({ rules }: MasterServices, { permissions }: Caller, load: Load, target: Target): boolean {
  return permissions === undefined || rules.mightPublish(permissions, callsOf(load)) && !guessesPillar(target);
}

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
  if (asksPillar(target, opts.nodegroups)) {
    const plain = new Set(services.expand(exactTarget(target, opts.nodegroups)).minions);
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

/** A publication that its caller may have: whom it is for, and in whose name. */
interface Allowed {
  who: Caller;
  kwargs: Record<string, unknown>;
  functions: string[];
  tgt_type: string;
  minions: readonly string[];
  missing: readonly string[];
}

/** Looks who asks for a publication and whether they may; the same for those who only want to know whom it would be for. */
async function allowed(services: MasterServices, load: Load): Promise<Allowed | { refusal: unknown }> {
  const { log } = services;
  // Salt fails over this before it has looked at anything else, and its clients know that answer.
  if (load.user === undefined) throw new TypeError("Cannot publish: the load names no user");
  const wrong = malformed(load);
  const kwargs = isRecord(load.kwargs) ? load.kwargs : {};
  const user = textOf(load.user);
  const functions = [load.fun].flat().map(String);

  if (wrong === undefined && blacklisted(services, [user], functions)) {
    log.error("publication refused: blacklisted", { user, fun: functions });
    return { refusal: AUTHORIZATION_ERROR };
  }
  const { callers } = services;
  const who = proofOf(kwargs) === "user" ? callers.byKey(load.user, load.key) : await callers.identify(kwargs);
  if (who === undefined) {
    log.warning("publication refused: nothing proves who it is of", { user, by: proofOf(kwargs) });
    // Anybody can send this: a jid that is none would make another tag of it.
    if (wrong === undefined) tellOfRefusal(services, load, AUTHENTICATION_ERROR);
    return { refusal: AUTHENTICATION_ERROR };
  }
  if (wrong !== undefined) {
    log.warning("publication refused: malformed", { user, reason: wrong });
    return { refusal: { enc: "clear", load: { error: `Cannot publish: ${wrong}` } } };
  }

  const tgt_type = typeof load.tgt_type === "string" ? load.tgt_type : "glob";
  const delimiter = typeof kwargs.delimiter === "string" ? kwargs.delimiter : ":";
  const target = { tgt: load.tgt, tgt_type, delimiter };
  const refused = () => {
    log.warning("publication refused: not permitted", { user: who.user, fun: functions, tgt: load.tgt });
    tellOfRefusal(services, load, AUTHORIZATION_ERROR);
    return { refusal: AUTHORIZATION_ERROR };
  };
  // Before the target is looked at: that takes longer, and its outcome would tell what a pattern finds.
  if (blacklisted(services, [who.user], []) || !mightBePermitted(services, who, load, target)) return refused();
  const { minions, missing, error } = services.expand(target);
  if (error !== undefined) {
    log.warning("publication refused: its target", { user: who.user, reason: error });
    return { refusal: { enc: "clear", load: { error: `Cannot publish: ${error}` } } };
  }
  if (!permitted(services, who, load, target, minions)) return refused();
  return { who, kwargs, functions, tgt_type, minions, missing };
}

/**
 * The clear command `publish_preview`, of our own: whom a publication would be for, by the very rules of `publish`, and
 * without anything being sent. Nobody learns more by it than by publishing.
 */
export async function publishPreview(services: MasterServices, load: Load): Promise<unknown> {
  const found = await allowed(services, load);
  if ("refusal" in found) return found.refusal;
  const { minions, missing } = found;
  return { enc: "clear", load: { minions, missing } };
}

/**
 * The clear command `publish`: a program asks for a job, with the key of its user on this host, a token, or a name and a
 * password.
 *
 * @see salt/master.py ClearFuncs.publish
 */
export async function publish(services: MasterServices, load: Load): Promise<unknown> {
  const { log } = services;
  const found = await allowed(services, load);
  if ("refusal" in found) return found.refusal;
  const { who, kwargs, functions, tgt_type, minions, missing } = found;
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
    if (error instanceof JidTakenError) {
      log.warning("publication refused: the jid is that of another job", {
        user: who.user,
        fun: functions,
        jid: job.jid,
      });
      return { enc: "clear", load: { error: `Cannot publish: ${error.message}` } };
    }
    log.error("job refused: it cannot be recorded", {
      user: textOf(load.user),
      fun: functions,
      error: messageOf(error),
    });
    return { enc: "clear", load: { error: `Cannot publish: ${messageOf(error)}` } };
  }
}
