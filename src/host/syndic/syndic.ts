import type { MinionIdentity } from "../../protocol/channel/auth_client.ts";
import { loadPair } from "../../protocol/channel/key_pair.ts";
import { durableRuntime } from "../../model/config/durability.ts";
import type { MasterOpts } from "../../model/config/master_opts.ts";
import type { MinionOpts } from "../../model/config/minion_opts.ts";
import { joinPath } from "../../base/paths.ts";
import { ConfigError, messageOf } from "../../base/errors.ts";
import type { JobCache } from "../../model/job/job_cache.ts";
import type { Logger } from "../../base/log.ts";
import { minionId } from "../minion/id.ts";
import { mastersOf } from "../minion/master_address.ts";
import { RejectedError } from "../minion/sign_in.ts";
import { openTransport } from "../../protocol/transport/open_transport.ts";
import type { Transport } from "../../protocol/transport/transport.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { ForwardJournal } from "./forward_journal.ts";
import { HigherMaster, ReturnMemory } from "./higher_master.ts";
import { LocalEvents } from "./local_events.ts";
import { LocalJobs } from "./local_job_cache.ts";
import { LocalMaster } from "./local_master.ts";
import { type Meter, METRICS, NO_TELEMETRY, type Telemetry } from "../../base/telemetry/mod.ts";

type ObservedMaster = Pick<HigherMaster, "isOpen" | "size" | "unsent"> & { uplink: { dropped: number } };

/** Makes the meter read counts that a syndic keeps. */
export function observeSyndic(
  meter: Meter,
  masters: readonly ObservedMaster[],
  local: Pick<LocalMaster, "isConnected">,
): void {
  if (!meter.enabled) return;
  const total = (of: (master: ObservedMaster) => number) => masters.reduce((sum, master) => sum + of(master), 0);
  meter.read(METRICS.syndicMasters, () => {
    const connected = masters.filter(({ isOpen }) => isOpen).length;
    return [{ value: connected, values: ["connected"] }, { value: masters.length - connected, values: ["away"] }];
  });
  meter.read(METRICS.syndicLocalMaster, () => local.isConnected ? 1 : 0);
  meter.read(METRICS.syndicJobs, () => total(({ size }) => size));
  meter.read(METRICS.syndicReturnsUnsent, () => total(({ unsent }) => unsent));
  meter.read(METRICS.syndicEventsDropped, () => total(({ uplink }) => uplink.dropped));
}

export interface SyndicOptions {
  runtime: Runtime;
  log: Logger;
  /** The configuration of the master on this host, with the options of the syndic. */
  masterOpts: MasterOpts;
  /** The configuration of the minion on this host: id, keys, and how connections are made. */
  minionOpts: MinionOpts;
  /** The names of the options that the minion's configuration sets itself. */
  given: ReadonlySet<string>;
  /** See {@link LocalMasterOptions.openJobs}. */
  openJobs(isBrine: boolean): Promise<JobCache>;
  /** @default the transport that the minion's configuration asks for, and towards the local master that of the master's */
  sockets?: Transport;
  /** The telemetry of the syndic, which closes it. @default nothing is counted */
  telemetry?: Telemetry;
  /** Called when a higher master has refused the syndic for good; the process should end with this code. */
  onRejected?(error: RejectedError): void;
}

export interface Syndic extends AsyncDisposable {
  readonly id: string;
  /** Resolves once every higher master has let the syndic in. */
  readonly ready: Promise<void>;
  /** The higher masters and their pending data, for monitoring. */
  status(): Record<string, unknown>;
  close(): Promise<void>;
}

/** How often jobs that have not ended are looked up, in milliseconds. */
const SWEEP_MS = 60_000;

/**
 * Starts a syndic. Resolves before the sign-ins have ended, whether the local master runs or not.
 *
 * @throws {ConfigError} and {SystemError} for problems that an operator must solve first
 */
export async function startSyndic(options: SyndicOptions): Promise<Syndic> {
  const { log, masterOpts, minionOpts } = options;
  checkOptions(masterOpts);
  const runtime = durableRuntime(options.runtime, masterOpts);
  await using stack = new AsyncDisposableStack();
  const { telemetry = NO_TELEMETRY } = options;
  stack.defer(() => telemetry.close());
  const identity = await openIdentity(runtime, minionOpts, log);
  const journal = new ForwardJournal({
    fs: runtime.fs,
    clock: runtime.clock,
    log: log.child("journal"),
    directory: joinPath(masterOpts.cachedir, "syndic"),
  });
  stack.defer(() => journal.close());
  const sockets = options.sockets ?? openTransport({ runtime, log, opts: minionOpts });

  const masters: HigherMaster[] = [];
  const local: LocalMaster = new LocalMaster({
    runtime,
    log: log.child("local"),
    opts: masterOpts,
    openJobs: options.openJobs,
    ...(options.sockets === undefined ? {} : { sockets }),
    onEvent: (event) => events.take(event),
    onConnected: () => {
      for (const master of masters) master.represent();
      void jobs.recover(true);
    },
  });
  const jobs = new LocalJobs({ clock: runtime.clock, log, opts: masterOpts, local, masters });
  const events = new LocalEvents({ runtime, log, opts: masterOpts, jobs, masters });

  const memory = new ReturnMemory();
  for (const address of mastersOf(higherAddresses(masterOpts, minionOpts))) {
    const master = new HigherMaster({
      runtime,
      log,
      sockets,
      identity,
      opts: connectionOpts(masterOpts, minionOpts),
      masterOpts,
      master: address,
      ...(options.given.has("publish_port") && minionOpts.publish_port !== 4506
        ? { publishPort: minionOpts.publish_port }
        : {}),
      local,
      journal,
      memory,
      jobs,
      elsewhere: (jid, than) =>
        masters.find((other) => other !== than && other.job(jid)?.isPublished === true)?.job(jid),
    });
    masters.push(master);
    stack.use(master);
  }
  observeSyndic(telemetry.meter, masters, local);
  restoreJobs(journal, masters, log);
  stack.use(local);
  const sweep = everySoOften(runtime, () => jobs.recover(false));
  stack.defer(sweep);
  local.start();

  const ready = Promise.all(masters.map((master) => master.open())).then(() => {});
  ready.catch((error) => gaveUp(error, options));
  const owned = stack.move();
  let closing: Promise<void> | undefined;
  const close = () => closing ??= owned.disposeAsync();
  const status = () => ({ id: identity.id, local_master: local.isConnected, masters: masters.map(statusOf) });
  return { id: identity.id, ready, status, close, [Symbol.asyncDispose]: close };
}

function statusOf(master: HigherMaster): Record<string, unknown> {
  const { address, isOpen, size, unsent, uplink } = master;
  return { address, signed_in: isOpen, jobs: size, returns_unsent: unsent, events_dropped: uplink.dropped };
}

/** Returns the problems that prevent a start of a syndic with these configurations, each as a sentence. */
export function syndicProblems(masterOpts: MasterOpts, minionOpts: MinionOpts): string[] {
  const problems: string[] = [];
  for (const check of [() => checkOptions(masterOpts), () => mastersOf(higherAddresses(masterOpts, minionOpts))]) {
    try {
      check();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(error.message);
    }
  }
  return problems;
}

/** @throws {ConfigError} for values that make no sense */
function checkOptions({ syndic_failover, syndic_mode }: MasterOpts): void {
  if (syndic_failover !== "random" && syndic_failover !== "ordered") {
    throw new ConfigError(`Unknown syndic_failover "${syndic_failover}": expected random or ordered`);
  }
  if (syndic_mode !== "sync" && syndic_mode !== "cluster") {
    throw new ConfigError(`Unknown syndic_mode "${syndic_mode}": expected sync or cluster`);
  }
}

/** Returns the addresses of the higher masters in the form that {@link mastersOf} reads. */
function higherAddresses(
  { syndic_master, syndic_master_port }: MasterOpts,
  { master_port }: MinionOpts,
): { master: unknown; master_port: number } {
  const port = Number(syndic_master_port ?? master_port);
  if (!Number.isInteger(port) || port < 1 || port > 65535) {
    throw new ConfigError(`Cannot use syndic_master_port "${String(syndic_master_port)}": expected a port, 1 to 65535`);
  }
  return { master: syndic_master, master_port: port };
}

/** Returns the minion's options with which a syndic signs in: the fingerprint is that of the higher master. */
function connectionOpts({ syndic_finger }: MasterOpts, opts: MinionOpts): MinionOpts {
  // Salt takes the fingerprint from either configuration.
  const finger = opts.syndic_finger || String(syndic_finger ?? "");
  return finger === "" ? opts : { ...opts, master_finger: finger };
}

/** Finds the id, and loads the key pair of this host's minion or generates it: a syndic signs in with both. */
async function openIdentity(runtime: Runtime, opts: MinionOpts, log: Logger): Promise<MinionIdentity> {
  opts.id = await minionId(runtime, opts, log);
  runtime.fs.mkdir(opts.pki_dir, 0o700);
  const pair = await loadPair(runtime, log, { pkiDir: opts.pki_dir, name: "minion", keySize: opts.keysize });
  return { id: opts.id, ...pair };
}

/** Gives the jobs that an earlier process has left to their higher masters. */
function restoreJobs(journal: ForwardJournal, masters: readonly HigherMaster[], log: Logger): void {
  for (const { master: address, job } of journal.open()) {
    const master = masters.find((one) => one.address === address);
    if (master !== undefined) {
      master.restore(job);
      continue;
    }
    log.warning("job dropped: its higher master is no longer configured", { jid: job.jid, master: address });
    journal.remove(job);
  }
}

/** Calls a function once a minute; the returned function ends that. */
function everySoOften({ clock }: Runtime, call: () => Promise<void>): () => void {
  const closing = new AbortController();
  const run = async () => {
    while (!closing.signal.aborted) {
      await clock.sleep(SWEEP_MS, closing.signal).catch(() => {});
      if (!closing.signal.aborted) await call();
    }
  };
  void run();
  return () => closing.abort();
}

/** Called when a higher master cannot be connected to and is not tried again. */
function gaveUp(error: unknown, { log, onRejected }: Pick<SyndicOptions, "log" | "onRejected">): void {
  if (error instanceof RejectedError) {
    log.critical(error.message);
    onRejected?.(error);
  } else log.debug("connection given up", { reason: messageOf(error) });
}
