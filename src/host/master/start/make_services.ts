import type { Clock } from "../../../base/async/clock.ts";
import type { MasterOpts } from "../../../model/config/master_opts.ts";
import type { EventBus } from "../../../model/event/bus.ts";
import { JidGenerator } from "../../../model/job/jid.ts";
import { FileServer } from "../../../content/fileserver/server.ts";
import { rootProblems } from "../../../content/fileserver/root_problems.ts";
import { matchExpression } from "../../../model/target/expression.ts";
import { PatternCache } from "../../../model/target/patterns.ts";
import type { Logger } from "../../../base/log.ts";
import type { AccountHost } from "../../../runtime/accounts.ts";
import type { FileSystem } from "../../../runtime/fs.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { type Meter, NO_TELEMETRY } from "../../../base/telemetry/mod.ts";
import type { Cluster } from "../cluster_contract.ts";
import type { Audit } from "../audit/audit.ts";
import { ownerFault } from "../access/owner_rights.ts";
import { RefusalEvents } from "../access/refusal_events.ts";
import { AccessRules } from "../access/acl.ts";
import { Callers } from "../access/callers.ts";
import { accountsOfHost, ClientKeys } from "../access/client_keys.ts";
import { ExternalAuth } from "../access/external_auth.ts";
import { tokenFiles } from "../access/tokens.ts";
import { ReplayedReturns } from "../jobs/replayed_returns.ts";
import { UnannouncedReturns } from "../jobs/unannounced_returns.ts";
import { JobStore } from "../jobs/durable_saves.ts";
import { RETURNED } from "../jobs/open_job.ts";
import { JobTraces } from "../jobs/job_traces.ts";
import { Ledger } from "../jobs/ledger.ts";
import { KeyAdmin } from "../keys/key_admin.ts";
import type { KeyDirectories } from "../keys/key_directories.ts";
import type { RotatingMasterKey } from "../keys/publication_key.ts";
import type { MasterOptions } from "../master_options.ts";
import { MasterTopsHost } from "../master_tops.ts";
import { MasterMetrics } from "../master_metrics.ts";
import { MinionCache } from "../minion_cache.ts";
import { minionExpansion } from "../minion_expansion.ts";
import type { Presence } from "../presence.ts";
import type { Publisher } from "../publisher.ts";
import { HourlyQuota } from "../jobs/hourly_quota.ts";
import { SyndicTargets } from "../jobs/syndic_targets.ts";
import { Syndics } from "../syndics.ts";
import { joinPath } from "../../../base/paths.ts";
import type { MasterServices } from "../services.ts";
import { type JobServices, REFUSALS, type RefusedReturn } from "../jobs/job_services.ts";
import { countedRunners } from "./observe.ts";
import type { ProcessAccount } from "../../../runtime/process.ts";
import { messageOf } from "../../../base/errors.ts";
import { publishJob } from "../jobs/publication.ts";

/**
 * Asks minions by `saltutil.find_job` whether they work on a job; their returns reach the ledger as {@link Ledger.foundJob}.
 * Resolves to false if the question could not be published.
 */
async function askForJob(services: JobServices, jid: string, ids: readonly string[]): Promise<boolean> {
  const { opts, log } = services;
  const question = { tgt: [...ids], tgt_type: "list", fun: "saltutil.find_job", arg: [jid], ret: "" };
  try {
    const published = await publishJob(services, { ...question, user: opts.user, jid: "", kwargs: {} }, ids, []);
    return published !== undefined;
  } catch (error) {
    log.warning("minions could not be asked for a job", { jid, error: messageOf(error) });
    return false;
  }
}

/** The parts of a master that its services are built on. */
interface ServiceParts {
  /** The runtime, with the durability that the configuration asks for. */
  runtime: Runtime;
  bus: EventBus;
  keys: KeyDirectories;
  masterKey: RotatingMasterKey;
  presence: Presence;
  publisher: Publisher;
  audit: Audit | undefined;
  cluster: Cluster | undefined;
}

/** Logs directories that serve no files: minions only see that a file is missing. */
function sayRootProblems(runtime: Runtime, log: Logger, opts: MasterOpts): void {
  for (const { option, path, problem, remedy } of rootProblems(runtime, { ...opts }, false)) {
    log.warning("a configured directory serves no files", { option, path, problem, remedy });
  }
}

/** Builds what the commands of a master work with. */
export function makeServices(options: MasterOptions, parts: ServiceParts): MasterServices {
  const { opts, log, jobs, extJobCache, runners, wheels = {}, tops = {}, eauth = {}, telemetry = NO_TELEMETRY } =
    options;
  const { meter } = telemetry;
  const { heavyFiles } = options;
  const [metrics, traces] = [new MasterMetrics(meter), new JobTraces(telemetry.tracer)];
  const { runtime, bus, keys, presence, cluster } = parts;
  const { fs, clock } = runtime;
  const fire = (tag: string, data: Record<string, unknown>) => bus.fire(tag, data);

  const cache = new MinionCache(fs, log, opts.cachedir);
  const patterns = new PatternCache();
  const rules = new AccessRules(patterns);
  const tokens = tokenFiles(runtime, log, opts);
  /** The services under the present options, by which work without a request goes after a change of the configuration. */
  let latest: MasterServices | undefined;
  const permitting = (opts: MasterOpts, before?: ClientKeys) => {
    const externalAuth = new ExternalAuth({ runtime, log: log.child("auth"), opts, tokens, rules, backends: eauth });
    const clientKeys = makeClientKeys(runtime, log, opts, before);
    const callers = new Callers(opts, clientKeys, externalAuth, rules);
    const expand = minionExpansion({ opts, keys, cache, presence, patterns });
    const reconfigured = (opts: MasterOpts) => latest = { ...services, opts, ...permitting(opts, clientKeys) };
    const topsHost = new MasterTopsHost(runtime, log.child("tops"), opts, tops, options.customTops);
    return { callers, externalAuth, expand, reconfigured, tops: topsHost };
  };
  const store = makeStore(options, parts, meter);

  sayRootProblems(runtime, log, opts);
  const syndics = makeSyndics(fs, log, opts, keys);
  const rotate = () => services.rotateMasterKey();
  const keyAdmin = new KeyAdmin({ runtime, log: log.child("key"), opts, keys, fire, rotate, presence });
  const services: MasterServices = {
    opts,
    runtime,
    log,
    bus,
    keys,
    cache,
    files: new FileServer({ runtime, log: log.child("fileserver"), opts, fire, heavy: heavyFiles }),
    heavyFiles,
    jobs,
    extJobCache,
    cluster,
    sendToReturners: options.sendToReturners,
    store,
    replayed: new ReplayedReturns(() => latest ?? services),
    ledger: makeLedger(options, parts, store, syndics, () => latest ?? services),
    metrics,
    traces,
    presence,
    syndics,
    syndicTargets: new SyndicTargets(jobs, clock),
    ...quotasOf(clock, opts),
    refused: Object.fromEntries(REFUSALS.map((why) => [why, 0])) as Record<RefusedReturn, number>,
    ...parts.audit === undefined ? {} : { audit: parts.audit },
    rules,
    refusals: new RefusalEvents(bus, clock),
    keyAdmin,
    rotations: keyAdmin.rotations,
    wheels,
    engines: options.engines,
    runners: runners === undefined ? undefined : countedRunners(runners, meter),
    jids: new JidGenerator(clock, opts.unique_jid ? { pid: runtime.process.pid } : {}),
    tokens,
    steps: patterns.steps,
    ...permitting(opts),
    send(load, minions) {
      metrics.publications.add(1);
      publishTo(parts, traces.withContext(load), minions);
    },
    rotateMasterKey() {
      rotateKey(parts);
      log.info("master key rotated");
      bus.fire("key", { rotate_aes_key: true });
    },
  };
  return services;
}

/** Returns the quotas of returns that no master has asked for. */
function quotasOf(clock: Clock, opts: MasterOpts): Pick<MasterServices, "syndicQuota" | "minionQuota"> {
  const hourly = (amount: number) => new HourlyQuota(clock, amount);
  return {
    syndicQuota: hourly(opts.syndic_jobs_hourly),
    minionQuota: { jobs: hourly(opts.minion_jobs_hourly), bytes: hourly(opts.minion_job_bytes_hourly) },
  };
}

/** Returns the function that publishes to the minions of this master, or of the whole cluster. */
function publishTo(
  { publisher, cluster }: ServiceParts,
  load: Record<string, unknown>,
  minions: readonly string[],
): void {
  if (cluster === undefined) publisher.send(load, minions);
  else cluster.publish(load, minions);
}

function rotateKey({ masterKey, cluster }: ServiceParts): void {
  if (cluster === undefined) masterKey.rotate();
  else void cluster.rotateKey();
}

function makeSyndics(fs: FileSystem, log: Logger, opts: MasterOpts, keys: KeyDirectories): Syndics {
  return new Syndics({
    fs,
    log,
    directory: joinPath(opts.cachedir, "syndics"),
    served: opts.order_masters,
    minions: opts.syndic_minions,
    accepted: (id) => keys.has("accepted", id),
  });
}

function makeClientKeys(runtime: Runtime, log: Logger, opts: MasterOpts, before?: ClientKeys): ClientKeys {
  const { fs, crypto } = runtime;
  const accounts = accountsWithPermissions(runtime, opts);
  const { cachedir: cacheDir, user: masterUser } = opts;
  return new ClientKeys({
    fs,
    crypto,
    log,
    cacheDir,
    masterUser,
    accounts,
    ...(before === undefined ? {} : { before }),
  });
}

/** Makes the store, which makes saves durable and knows which returns were not announced. */
function makeStore({ opts, log, jobs }: MasterOptions, { runtime }: ServiceParts, meter: Meter): JobStore {
  const { fs, clock } = runtime;
  return new JobStore({
    jobs,
    later: (call) => runtime.later(call),
    now: () => clock.now(),
    log: log.child("jobs"),
    unannounced: new UnannouncedReturns({
      fs,
      clock,
      log: log.child("jobs"),
      path: joinPath(opts.cachedir, "unannounced"),
    }),
    meter,
  });
}

function makeLedger(
  { opts, log, jobs }: MasterOptions,
  { runtime: { clock }, bus, presence, audit, cluster }: ServiceParts,
  store: JobStore,
  syndics: Syndics,
  services: () => MasterServices,
): Ledger {
  return new Ledger({
    jobs,
    clock,
    log: log.child("jobs"),
    bus,
    presence,
    syndics,
    send: (load, ids) => services().send(load, ids),
    ask: (jid, ids) => askForJob(services(), jid, ids),
    ended: ({ jid, parts }) => {
      if (audit === undefined) return;
      const returned = [...parts.values()].filter((part) => part === RETURNED).length;
      audit.jobEnd(jid, { returned, without_return: parts.size - returned });
    },
    durable: () => store.durable(),
    untold: (jid, returned) => services().replayed.find(jid, returned),
    ...(cluster === undefined ? {} : { isGenuine: (...stored) => cluster.isGenuine(...stored) }),
    ownerFault: (owner, load, minion) => ownerFault(services(), owner, load, minion),
    onEnded: (state) => services().metrics.outcomes.add(1, state),
    resendMs: opts.job_resend_interval * 1000,
    deliveryMs: opts.job_delivery_timeout * 1000,
    lostMs: opts.job_lost_after * 1000,
    gatherMs: opts.gather_job_timeout * 1000,
  });
}

/** The accounts of this host that `publisher_acl` names; patterns count only where `client_acl_verify` is on. */
function accountsWithPermissions(
  host: AccountHost,
  { publisher_acl, client_acl_verify }: MasterOpts,
): ProcessAccount[] {
  const names = Object.keys(publisher_acl);
  if (names.length === 0) return [];
  return accountsOfHost(
    host,
    names,
    (account) => client_acl_verify && names.some((name) => matchExpression(account, name)),
  );
}
