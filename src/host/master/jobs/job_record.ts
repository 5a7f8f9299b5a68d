import { jidMs } from "../../../model/job/jid.ts";
import { type JobOwner, mergeOutcomes, storedOwner } from "../../../model/job/job_cache.ts";
import type { TargetOutcome } from "../../../model/job/outcome.ts";
import type { Load } from "../load.ts";
import type { JobServices } from "./job_services.ts";
import { JidTakenError, sameJob } from "./same_job.ts";

/** Fields of `kwargs` that go on to the minions, in the order of the wire. */
const PASSED_ON = ["ret_config", "metadata", "module_executors", "executor_opts", "ret_kwargs"] as const;

/** What to publish, once its caller has been authorized. */
export interface Publication {
  tgt: unknown;
  tgt_type: string;
  fun: unknown;
  arg: unknown;
  ret: string;
  user: string;
  /** The jid that the caller asks for; `""` for a new one. */
  jid: string;
  kwargs: Record<string, unknown>;
  /** The user who asks for the job, unless that user may do everything. */
  owner?: JobOwner | undefined;
  /** The minion that asked for the job, if one did. */
  asker?: string;
  /** The jid of the runner that has asked for the job. */
  cause?: string;
  /** The caller's trace context, as W3C `traceparent`. */
  trace?: string;
  /** True if the caller will read the job's files on the disk. @default false */
  files?: boolean;
  /** False if the job is not for minions below syndics. @default true */
  below?: boolean;
}

/** A job that is recorded durably, and may be published. */
export interface JobOnRecord {
  jid: string;
  /** The load in the form that minions receive. */
  load: Load;
  /** The load in the form that the job cache holds. */
  record: Load;
  /** The minions that are away and receive the job when they come back. */
  away: readonly string[];
  /** The minions that have returned already: the job was published to them before. */
  done: ReadonlySet<string>;
}

/** Returns the load in the form that minions get. */
function loadOf(
  { tgt, tgt_type, fun, arg, ret, user, kwargs, asker }: Publication,
  jid: string,
  hasSyndics: boolean,
): Load {
  const load: Load = { fun, arg, tgt, jid, ret };
  if (typeof kwargs.master_id === "string") load.master_id = kwargs.master_id;
  if (typeof kwargs.delimiter === "string" && kwargs.delimiter !== ":") load.delimiter = kwargs.delimiter;
  if (asker !== undefined) load.id = asker;
  load.tgt_type = tgt_type;
  for (const name of PASSED_ON) if (kwargs[name] !== undefined && kwargs[name] !== null) load[name] = kwargs[name];
  load.user = user;
  const delivery = deliveryOf(kwargs, hasSyndics);
  if (delivery !== undefined) load.delivery = delivery;
  return load;
}

/**
 * Records a job durably in the job cache, and in the ledger. Undefined if there was no free jid.
 *
 * @throws {JidTakenError} if the jid belongs to another job; {SystemError} of the job cache, and then nothing is recorded
 */
export async function recordJob(
  services: JobServices,
  job: Publication,
  minions: readonly string[],
): Promise<JobOnRecord | undefined> {
  const claim = await allocate(services, job.jid);
  if (claim === undefined) return undefined;
  try {
    return await recordUnder(services, job, minions, claim);
  } finally {
    claim.release();
  }
}

async function recordUnder(
  services: JobServices,
  job: Publication,
  minions: readonly string[],
  { jid, known }: Claim,
): Promise<JobOnRecord> {
  const { jobs, ledger, presence, store, runtime: { clock } } = services;
  const { kwargs } = job;
  const load = loadOf(job, jid, services.opts.order_masters);
  if (known !== undefined && !sameJob(known.load, load)) throw new JidTakenError(jid);
  const { cluster } = services;
  // A record that somebody else has changed in the storage must not get a new seal.
  if (known !== undefined && await cluster?.isGenuine(jid, known.load, known.targets) === false) {
    throw new JidTakenError(jid);
  }
  // In a cluster only sealed targets count: outcomes and returns that others have stored add none.
  const before = (cluster === undefined ? known?.outcomes.map(({ minion }) => minion) : known?.targets) ?? [];
  // The record of a job is never changed: only targets are added.
  const owned = job.owner !== undefined && typeof kwargs.queue === "number" ? { owner: job.owner } : {};
  const record = known?.load ?? { ...load, cmd: "publish", kwargs, ...owned };
  const since = store.losses;
  const targets = before.length === 0 ? minions : [...new Set([...before, ...minions])];
  await jobs.saveLoad(jid, record, targets, {
    files: job.files === true,
    ...(cluster === undefined ? {} : { seal: cluster.sealOf(jid, record, targets) }),
  });
  const { queue } = kwargs;
  const untilMs = typeof queue === "number" && queue > 0 ? clock.now() + queue * 1000 : undefined;
  const done = known?.returned ?? new Set<string>();
  const away = untilMs === undefined ? [] : minions.filter((id) => !presence.connected(id) && !done.has(id));
  const undo = ledger.open(jid, load, minions, {
    ...(untilMs === undefined ? {} : { queued: { ids: new Set(away), untilMs } }),
    ...(known === undefined ? {} : { earlier: known }),
    owner: storedOwner(record),
    syndics: job.below === false ? [] : services.syndics.ids(),
  });
  try {
    await store.durable();
    store.assertKept(since);
  } catch (error) {
    undo();
    throw error;
  }
  ledger.confirm(jid);
  return { jid, load, record, away, done };
}

/** A jid for a publication, held until {@link Claim.release}; `known` is the job that was published under it before. */
interface Claim {
  jid: string;
  known?: KnownJob;
  release(): void;
}

/** A job that was published earlier under the same jid. */
interface KnownJob {
  load: Load;
  targets: readonly string[];
  outcomes: readonly TargetOutcome[];
  returned: ReadonlySet<string>;
}

/** Returns the recorded job of a jid that is published again; undefined if there is none. */
async function knownJob({ jobs, ledger }: JobServices, jid: string): Promise<KnownJob | undefined> {
  // A master without a job cache has only the ledger.
  const load = await jobs.load(jid) ?? ledger.loadOf(jid);
  if (load === undefined) return undefined;
  const returns = await jobs.returns(jid);
  const targets = await jobs.minions(jid);
  return {
    load,
    targets,
    outcomes: mergeOutcomes(targets, await jobs.outcomes(jid), returns, jidMs(jid)),
    returned: new Set(returns.map(({ minion }) => minion)),
  };
}

/**
 * Claims a free jid, or the jid that was asked for; undefined if none was free.
 *
 * @throws {JidTakenError} if the jid that was asked for is reserved for a master job
 */
async function allocate(services: JobServices, wanted: string): Promise<Claim | undefined> {
  const { jobs, jids, ledger } = services;
  for (let attempt = 0; attempt < 5; attempt++) {
    const jid = wanted || jids.next();
    const release = await ledger.claim(jid);
    try {
      if (await jobs.reserve(jid)) return { jid, release };
      if (wanted !== "") {
        const known = await knownJob(services, jid);
        // The jid is reserved but has no record yet: it belongs to a runner or wheel function that is running.
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

/** Returns the fields that Brine minions know beyond Salt's: live output, and a time after which the job is stopped. */
function deliveryOf(kwargs: Record<string, unknown>, hasSyndics: boolean): Record<string, unknown> | undefined {
  const delivery: Record<string, unknown> = {};
  // A lower master queues the job for its own minions.
  if (hasSyndics && typeof kwargs.queue === "number" && kwargs.queue > 0) delivery.queue = kwargs.queue;
  if (kwargs.stream === true) delivery.stream = true;
  if (typeof kwargs.job_timeout === "number" && kwargs.job_timeout > 0) delivery.timeout = kwargs.job_timeout;
  return Object.keys(delivery).length > 0 ? delivery : undefined;
}
