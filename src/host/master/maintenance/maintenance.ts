import type { JobServices } from "../jobs/job_services.ts";
import { allPillarRepositories } from "../../../content/git/pillar_remotes.ts";
import type { SessionKeys } from "../keys/session_keys.ts";
import type { MasterServices } from "../services.ts";
import { ClockWatch } from "./clock_watch.ts";
import { DescriptorWatch } from "./descriptor_watch.ts";
import { carryOut, type Duty } from "../duty.ts";
import { cleanLeftovers, inBatches } from "./leftovers.ts";
import { KeyCache } from "./key_cache.ts";
import { KeyRotation } from "./master_key_rotation.ts";
import { RotationCalls } from "./rotation_calls.ts";
import { AuditCopy } from "../audit/audit_copy.ts";
import { expirePendingKeys } from "./pending_keys.ts";
import type { MasterSchedule } from "./master_schedule.ts";
import { PresenceEvents } from "./presence_events.ts";
import { joinPath } from "../../../base/paths.ts";
import { isPlainJid, jidMs } from "../../../model/job/jid.ts";

/** The most files in `publish_auth` that are kept: each job that a minion publishes makes one. */
const MAX_FILES = 50_000;

/**
 * Removes the files that say which minion may ask for the returns of a job (`publish_auth/<jid>`), once the job is too old,
 * and the oldest where there are too many. @returns how many
 */
export async function cleanPublishAuth(
  { opts, runtime: { fs, later } }: Pick<MasterServices, "opts" | "runtime">,
  beforeMs: number,
  signal: AbortSignal,
): Promise<number> {
  const directory = joinPath(opts.cachedir, "publish_auth");
  if (fs.stat(directory)?.kind !== "directory") return 0;
  const names = fs.list(directory).sort();
  let gone = 0;
  await inBatches(names, later, signal, (name, at) => {
    // The name of a valid file is a jid, which tells the time; a file with another name is useless.
    if (isPlainJid(name) && jidMs(name) >= beforeMs && names.length - at <= MAX_FILES) return;
    fs.remove(joinPath(directory, name), { recursive: true });
    gone++;
  });
  return gone;
}

/**
 * How long jobs are kept, in seconds, 0 for ever: the option `keep_jobs_seconds`, or the older `keep_jobs` (in hours) if only
 * the latter differs from its default.
 *
 * @see salt/utils/job.py get_keep_jobs_seconds
 */
export function keepJobsSeconds(opts: Record<string, unknown>): number {
  const seconds = Number(opts.keep_jobs_seconds ?? 86_400);
  const hours = opts.keep_jobs === null || opts.keep_jobs === undefined ? NaN : Number(opts.keep_jobs);
  return seconds === 86_400 && Number.isFinite(hours) ? hours * 3600 : seconds;
}

type Services =
  & JobServices
  & Pick<
    MasterServices,
    "audit" | "cache" | "externalAuth" | "files" | "keyAdmin" | "rotateMasterKey" | "rotations" | "tokens"
  >;

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
/** How long a cluster remembers removed records, in ms. A master that was away longer reads all records again. */
const REMEMBERED_MS = 7 * 24 * HOUR_MS;
/** How often a master of a cluster copies its audit log, in milliseconds; the next constant is how long copies are kept. */
const AUDIT_COPY_MS = 2000;
const AUDIT_KEPT_MS = 90 * 24 * HOUR_MS;
/** How often the master tests whether a file can still be opened, in milliseconds. */
const PROBE_MS = 4000;
/** The shortest `loop_interval`, in seconds. */
const LEAST_INTERVAL = 1;
/** By which part of its allowed age a job may outlive that age before it is removed. */
const LATE = 1 / 24;

interface MaintenanceOptions {
  /** The master's own id. */
  id: string;
  sessionKeys: Pick<SessionKeys, "sweep">;
  schedule: MasterSchedule;
  signal: AbortSignal;
}

/**
 * Periodic work of a master: everything that the Maintenance process of real Salt does, each duty by itself. Returns when the
 * signal aborts.
 */
export async function maintain(services: Services, options: MaintenanceOptions): Promise<void> {
  const { log, runtime: { clock } } = services;
  const watch = new ClockWatch(clock, log);
  const duties = [
    ...everySecond(services, options.id, watch),
    ...expiry(services, options.sessionKeys, watch),
    ...forOthers(services),
    ...inCluster(services),
    ...services.audit?.duties ?? [],
  ].map((duty) => SHARED.has(duty.name) ? onDutyOnly(duty, services) : duty);
  await Promise.all([carryOut(duties, { clock, log }, options.signal), options.schedule.keep(options.signal)]);
}

/** The duties on shared data of a cluster: only the master on duty does them. */
const SHARED: ReadonlySet<string> = new Set([
  "remove old jobs",
  "limit the job cache",
  "remove keys that nobody decided on",
  "fire presence events",
  "forget removed records",
  "remove old audit lines",
]);

/** Returns the duties on the shared data of a cluster. */
function inCluster({ cluster, log, opts, audit, runtime: { clock, fs } }: Services): Duty[] {
  if (cluster === undefined) return [];
  const copy = new AuditCopy({
    fs,
    directory: opts.audit_dir,
    store: cluster.audit,
    id: opts.id,
    log: log.child("audit"),
  });
  const copying = { name: "copy the audit log", everyMs: AUDIT_COPY_MS, run: () => copy.run() };
  return [...(audit === undefined ? [] : [copying]), {
    name: "remove old audit lines",
    everyMs: HOUR_MS,
    run: async () => void await cluster.audit.expire(clock.now() - AUDIT_KEPT_MS),
  }, {
    name: "forget removed records",
    everyMs: HOUR_MS,
    async run() {
      const gone = await cluster.forgetRemoved(clock.now() - REMEMBERED_MS);
      if (gone > 0) log.info("old records of removed keys, tokens and data deleted", { names: gone });
    },
  }];
}

function onDutyOnly(duty: Duty, { cluster }: Services): Duty {
  if (cluster === undefined) return duty;
  return { ...duty, run: (signal) => cluster.onDuty ? duty.run(signal) : undefined };
}

/** `loop_interval` in milliseconds. */
function loopMs({ opts }: Services): number {
  return Math.max(LEAST_INTERVAL, opts.loop_interval) * 1000;
}

/** Returns the duties of each second: an operator who deletes a key expects it to take effect at once. */
function everySecond(services: Services, id: string, watch: ClockWatch): Duty[] {
  const rotation = new KeyRotation(services, id);
  const calls = new RotationCalls(services);
  return [
    { name: "watch the clock", everyMs: SECOND_MS, run: () => watch.look() },
    { name: "review open jobs", everyMs: SECOND_MS, run: () => services.ledger.tick() },
    { name: "tell minions to change their keys", everyMs: SECOND_MS, run: () => calls.look() },
    { name: "rotate the master key", everyMs: SECOND_MS, run: () => rotation.look() },
  ];
}

/** Returns the duties that remove expired data. */
function expiry(services: Services, sessionKeys: Pick<SessionKeys, "sweep">, watch: ClockWatch): Duty[] {
  const { opts, jobs, log, externalAuth, runtime: { clock, later } } = services;
  const everyMs = loopMs(services);
  const keptMs = keepJobsSeconds(opts) * 1000;
  /** Makes a duty skip runs while the clock cannot be trusted. */
  const trusting = (run: Duty["run"]): Duty["run"] => (signal) => watch.trusted ? run(signal) : undefined;
  const duties: Duty[] = [
    {
      name: "remove expired tokens",
      everyMs,
      run: trusting(async (signal) => {
        let gone = 0;
        await inBatches(externalAuth.tokens(), later, signal, (token) => {
          if (externalAuth.sweep(token)) gone++;
        });
        if (gone > 0) log.info("expired tokens removed", { tokens: gone });
      }),
    },
    {
      name: "end overlaps of changed keys",
      everyMs,
      run: trusting(async () => {
        const gone = services.rotations.sweep();
        if (gone > 0) await services.keyAdmin.saved();
      }),
    },
    { name: "remove expired session keys", everyMs, run: () => void sessionKeys.sweep() },
    {
      name: "remove half-written files",
      everyMs: HOUR_MS,
      run: trusting(async (signal) => {
        const gone = await cleanLeftovers(services, signal);
        if (gone > 0) log.info("half-written files removed: a program was killed while it wrote them", { files: gone });
      }),
    },
  ];
  if (keptMs > 0) {
    const often = Math.max(everyMs, Math.min(HOUR_MS, keptMs * LATE));
    duties.push({
      name: "remove old jobs",
      everyMs: often,
      run: trusting(async () => {
        const gone = await jobs.expire(clock.now() - keptMs);
        if (gone > 0) log.info("old jobs removed", { jobs: gone });
      }),
    }, {
      name: "remove old publish_auth files",
      everyMs: often,
      run: trusting(async (signal) => void await cleanPublishAuth(services, clock.now() - keptMs, signal)),
    });
  }
  if (opts.pending_key_ttl > 0) {
    duties.push({
      name: "remove keys that nobody decided on",
      everyMs,
      run: trusting(async (signal) => {
        const gone = await expirePendingKeys(services, signal);
        if (gone > 0) log.info("keys removed that were not accepted within pending_key_ttl", { keys: gone });
      }),
    });
  }
  if (opts.brine_job_cache_bytes > 0) {
    duties.push({
      name: "limit the job cache",
      everyMs,
      async run() {
        const gone = await jobs.shrink(opts.brine_job_cache_bytes);
        if (gone > 0) log.info("oldest jobs removed: brine_job_cache_bytes is reached", { jobs: gone });
      },
    });
  }
  return duties;
}

/** Returns the duties that inform other programs and operators. */
function forOthers(services: Services): Duty[] {
  const { opts, log, files } = services;
  const everyMs = loopMs(services);
  const descriptors = new DescriptorWatch(services, log);
  const duties: Duty[] = [
    { name: "compare the minions with the limit of open files", everyMs: HOUR_MS, run: () => descriptors.compare() },
    { name: "check whether files can be opened", everyMs: PROBE_MS, run: () => descriptors.probe() },
  ];
  if (opts.key_cache === "sched") {
    const cache = new KeyCache(services);
    duties.push({ name: "write the key cache", everyMs, run: () => cache.write() });
  }
  if (opts.presence_events) {
    const events = new PresenceEvents(services);
    duties.push({ name: "fire presence events", everyMs, run: () => events.fire() });
  }
  if (opts.fileserver_events && files.backends().some(({ name }) => name === "roots")) {
    duties.push({
      name: "check for changed files",
      everyMs: opts.fileserver_interval * 1000,
      run: async () => void await files.update("roots"),
    });
  }
  return [...duties, ...fetching(services)];
}

/** Returns the duties that fetch git remotes: each remote has its own interval. */
function fetching(services: Services): Duty[] {
  const { runtime, opts, log, files } = services;
  const everyMs = loopMs(services);
  const duties: Duty[] = [];
  if (files.backends().some(({ name }) => name === "gitfs")) {
    duties.push({ name: "fetch git remotes", everyMs, run: async () => void await files.update("gitfs", true) });
  }
  const pillars = allPillarRepositories({ runtime, log: log.child("git_pillar") }, opts);
  if (pillars.length > 0) {
    duties.push({
      name: "fetch git remotes of pillar",
      everyMs,
      run: async () => {
        for (const repository of pillars) await repository.update(true);
      },
    });
  }
  return duties;
}
