import { messageOf } from "../../errors.ts";
import { isPlainJid } from "../../job/jid.ts";
import { jobNew, jobPublish } from "../../event/tag.ts";
import { isRecord, type Load, type MasterServices } from "../services.ts";

/** `module.function`, or `module.sub.function` as some custom modules have it. */
const FUNCTION_NAME = /^[A-Za-z_][\w-]*(\.[\w-]+)+$/;

const AUTHENTICATION_ERROR = { error: { name: "AuthenticationError", message: "Authentication error occurred." } };
const AUTHORIZATION_ERROR = { error: { name: "AuthorizationError", message: "Authorization error occurred." } };

/** Fields of `kwargs` that go on to the minions, in the order of the wire. */
const PASSED_ON = ["ret_config", "metadata", "module_executors", "executor_opts", "ret_kwargs"] as const;

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** True if `publisher_acl_blacklist` stands against this user or one of the functions. */
function blacklisted(services: MasterServices, user: string, functions: readonly string[]): boolean {
  const { users, modules } = services.opts.publisher_acl_blacklist as { users?: unknown; modules?: unknown };
  const hits = (rules: unknown, texts: readonly string[]) =>
    Array.isArray(rules) && rules.some((rule) => {
      try {
        const regex = new RegExp(`^(?:${rule})`);
        return texts.some((text) => regex.test(text));
      } catch {
        services.log.error("publisher_acl_blacklist holds a pattern that does not compile", { pattern: rule });
        // A rule that cannot be read must not let through what it was written against.
        return true;
      }
    });
  return hits(users, [user]) || hits(modules, functions);
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

/**
 * The clear command `publish`: a program on the master's host asks for a job.
 *
 * @see salt/master.py ClearFuncs.publish
 */
export async function publish(services: MasterServices, load: Load): Promise<unknown> {
  const { bus, log } = services;
  // Salt fails over this before it has looked at anything else, and its clients know that answer.
  if (load.user === undefined) throw new TypeError("Cannot publish: the load names no user");
  const wrong = malformed(load);
  const kwargs = isRecord(load.kwargs) ? load.kwargs : {};
  const user = textOf(load.user);
  const functions = [load.fun].flat().map(String);

  if (wrong === undefined && blacklisted(services, user, functions)) {
    log.error("publication refused: blacklisted", { user, fun: functions });
    return AUTHORIZATION_ERROR;
  }
  const who = services.clientKeys.authenticate(load.user, load.key);
  if (who === undefined) {
    log.warning("publication refused: its key is not valid", { user });
    // Anybody can send this: a jid that is none would make another tag of it, and credentials do not belong on the bus.
    if ("jid" in load && wrong === undefined) {
      const { cmd, tgt, fun, arg, tgt_type, ret, user } = load;
      const jid = textOf(load.jid);
      const tried = { cmd, tgt, fun, arg, tgt_type, ret, jid, user };
      bus.fire(`salt/job/${jid}/error`, { ...tried, error: AUTHENTICATION_ERROR.error });
    }
    return AUTHENTICATION_ERROR;
  }
  if (!who.privileged) {
    log.warning("publication refused: the user may not publish", { user });
    return AUTHORIZATION_ERROR;
  }
  if (wrong !== undefined) {
    log.warning("publication refused: malformed", { user, reason: wrong });
    return { enc: "clear", load: { error: `Cannot publish: ${wrong}` } };
  }

  const tgt_type = typeof load.tgt_type === "string" ? load.tgt_type : "glob";
  const delimiter = typeof kwargs.delimiter === "string" ? kwargs.delimiter : ":";
  const { minions, missing } = services.expand({ tgt: load.tgt, tgt_type, delimiter });
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
    kwargs,
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
