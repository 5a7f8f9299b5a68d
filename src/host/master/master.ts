import { MASTER_OPTIONS, type MasterOpts } from "../../model/config/master_opts.ts";
import { PublicationSealer } from "../../protocol/channel/pub_server.ts";
import { joinPath } from "../../base/paths.ts";
import { durableRuntime } from "../../model/config/durability.ts";
import { observeEngines } from "../../feature/engine/engines.ts";
import { openTransport } from "../../protocol/transport/open_transport.ts";
import { messageOf } from "../../base/errors.ts";
import { EventBus } from "../../model/event/bus.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { VERSION } from "../../base/version.ts";
import { runtimeSockets } from "../../protocol/zmtp/mod.ts";
import { openAudit } from "./audit/open_audit.ts";
import { loadIdentity } from "./keys/master_key_pair.ts";
import { KeyDirectories } from "./keys/key_directories.ts";
import { RotatingMasterKey } from "./keys/publication_key.ts";
import { SessionKeys } from "./keys/session_keys.ts";
import { maintain } from "./maintenance/maintenance.ts";
import { MasterSchedule } from "./maintenance/master_schedule.ts";
import { masterId } from "./master_id.ts";
import type { MasterOptions } from "./master_options.ts";
import { Presence } from "./presence.ts";
import { Publisher } from "./publisher.ts";
import { RequestIntake } from "./request_intake.ts";
import type { MasterServices } from "./services.ts";
import { serveEvents, showSockets } from "./start/event_sockets.ts";
import { makeRequestServer } from "./start/request_server.ts";
import { makeServices } from "./start/make_services.ts";
import { makeAuthServer } from "./start/sign_in.ts";
import { masterStatus, observeEventReturns, observeMaster, observeParts } from "./start/observe.ts";
import { NO_TELEMETRY } from "../../base/telemetry/mod.ts";
import { MasterSockets, portOf } from "./start/sockets.ts";
import { optionsThat } from "../../model/config/option.ts";
import { equal } from "../../language/python/values.ts";

const RELOADED: ReadonlySet<string> = new Set(optionsThat("reload", MASTER_OPTIONS));

/** Rows that say so, and settings of the backends of `external_auth`: `auth.ldap.server`. */
const isReloaded = (name: string) => RELOADED.has(name) || name.startsWith("auth.");

/**
 * Returns the options after a configuration was read again.
 *
 * @param before the present options, which are not changed
 * @returns a new configuration, and the names of the options that differ in it
 */
function reloadedOptions(
  before: MasterOpts,
  values: Record<string, unknown>,
): { opts: MasterOpts; taken: string[] } {
  const names = [...new Set([...Object.keys(before), ...Object.keys(values)])];
  const taken = names.filter((name) => isReloaded(name) && !equal(before[name] ?? null, values[name] ?? null));
  const opts = { ...before, ...Object.fromEntries(taken.map((name) => [name, values[name]])) };
  return { opts: opts as MasterOpts, taken };
}

export type { MasterOptions } from "./master_options.ts";

/** How long a master that stops continues requests that it has begun, in milliseconds. */
const STOP_MS = 10_000;

/** The most targets of a small job, whose caller waits for the answer: requests of its minions go before those of a large job. */
const SMALL_JOB = 20;

/** A running master. */
export interface Master extends AsyncDisposable {
  /** The present configuration. */
  readonly opts: MasterOpts;
  /** The keys of its minions. */
  readonly keys: KeyDirectories;
  /** Where publications come from, `tcp://0.0.0.0:4505`, with the port that was taken. */
  readonly publishEndpoint: string;
  /** Where requests go, `tcp://127.0.0.1:4506`, with the port that was taken. */
  readonly requestEndpoint: string;
  /** Counts for monitoring: requests, connections, minions, open jobs, events, refused returns. */
  status(): Record<string, unknown>;
  /**
   * Takes options of a configuration that was read again: who may do what, node groups, and which keys are accepted. A request
   * that is under way is answered by the former options.
   *
   * @returns the names of the options that have changed and hold from now on
   */
  reload(opts: Record<string, unknown>): string[];
  /** Stops taking requests, answers those under way, and makes everything durable. A second call does nothing. */
  close(): Promise<void>;
}

/** A master with its parts, for its own programs and their tests. */
export interface MasterWithParts extends Master {
  readonly services: MasterServices;
}

/**
 * Starts a master and resolves once minions can sign in. What it opened is closed again if a later step fails.
 *
 * @throws {SystemError} naming the port, file or directory that cannot be used
 */
export async function startMaster(options: MasterOptions): Promise<MasterWithParts> {
  const { opts, log, telemetry = NO_TELEMETRY } = options;
  const { meter } = telemetry;
  const runtime = durableRuntime(options.runtime, opts);
  const { fs, crypto, clock } = runtime;
  // The stack closes in reverse order: first the requests, at last the job cache.
  await using stack = new AsyncDisposableStack();
  stack.defer(() => telemetry.close());
  stack.defer(async () => await options.jobs.close());
  stack.defer(() => options.cluster?.storage.close());
  stack.defer(() => options.runners?.close());
  stack.defer(async () => await options.supervisor?.close());

  const keys = prepareDirectories(runtime, opts);
  const identity = await loadIdentity(runtime, log, opts);
  const masterKey = new RotatingMasterKey(crypto);
  const sessionKeys = new SessionKeys({
    fs,
    crypto,
    clock,
    log: log.child("auth"),
    cacheDir: opts.cachedir,
    masterPem: identity.publicPem,
    lifetimeSeconds: opts.publish_session,
  });

  const presence = new Presence(() => clock.now());
  const sockets = new MasterSockets({
    transport: options.sockets ?? openTransport({ runtime, log, opts }),
    local: runtimeSockets(runtime, log),
    opts,
    fs,
    presence,
  });
  const publications = sockets.publisher();
  stack.defer(() => publications.close());
  presence.subscribers = () => [...publications.peers()].map(({ remote }) => remote);
  const publisher = new Publisher({
    socket: publications,
    sealer: new PublicationSealer({
      crypto,
      identity,
      masterKey: () => masterKey.current,
      sign: opts.sign_pub_messages,
      algorithm: opts.publish_signing_algorithm,
    }),
    crypto,
    log,
    filtering: sockets.byTopic,
    orderMasters: opts.order_masters,
    onSend(minions) {
      if (minions.length <= SMALL_JOB) intake.hurry(minions.flatMap((id) => presence.connectionsOf(id)));
    },
  });
  stack.defer(() => publisher.drained());
  const requests = sockets.requests();
  stack.defer(() => requests.close());
  requests.onDisconnect((peer) => presence.left(peer.remote));

  const bus = new EventBus(
    () => clock.now(),
    (error) => log.error("event listener failed", { error: messageOf(error) }),
  );
  const audit = openAudit(runtime, opts, log, identity, bus);
  const joining = {
    runtime,
    log,
    id: opts.id,
    identity,
    masterKey,
    directory: joinPath(opts.cachedir, "cluster"),
    presence,
    publisher,
    services: () => current,
  };
  const cluster = await options.cluster?.join(joining);
  stack.defer(() => cluster?.close());
  const services = makeServices(options, { runtime, bus, keys, masterKey, presence, publisher, audit, cluster });
  let current = services;
  const auth = makeAuthServer(() => current, {
    identity,
    sessionKeys,
    masterKey,
    publisher,
    socket: publications,
    publishPort: () => portOf(publishEndpoint),
    unread: () => requests.outside ?? 0,
    meter,
  });
  const { compilePillar } = options;
  const server = makeRequestServer(() => current, { identity, sessionKeys, auth, masterKey, compilePillar, telemetry });
  const intake = new RequestIntake({ socket: requests, server, clock, log, later: (call) => runtime.later(call) });

  const restored = await services.ledger.restore();
  if (restored > 0) log.info("open jobs restored from the job cache", { jobs: restored });

  stack.defer(() => services.replayed.close());
  const busServer = await serveEvents({ runtime, opts, log: log.child("event"), bus });
  stack.defer(() => busServer.close());
  await cluster?.start();
  void services.replayed.tell().then(() => cluster === undefined && services.store.unannounced.settled());
  const { publishEndpoint, requestEndpoint } = await sockets.listen(publications, requests);
  await sockets.markRunning((marker) => stack.defer(() => marker.close()));

  const stopping = new AbortController();
  const id = masterId(opts, runtime.host.hostname());
  const schedule = new MasterSchedule(services, id);
  const maintenance = maintain(services, {
    id,
    sessionKeys,
    schedule,
    signal: stopping.signal,
  });
  stack.defer(async () => {
    stopping.abort();
    intake.stop();
    await maintenance;
    auth.close();
    await intake.idle(STOP_MS);
    await services.store.durable();
    services.store.unannounced.close();
    await audit?.close();
    sessionKeys.save((id) => server.newest(id));
  });

  stack.defer(() => options.engines?.close());
  await audit?.note({ kind: "start", id: opts.id, version: VERSION, pid: runtime.process.pid, outcome: "ok" });
  log.info("master is running", { publish: publishEndpoint, requests: requestEndpoint });
  void options.engines?.open((tag, data) => void bus.fire(tag, data));
  const owned = stack.move();
  let closing: Promise<void> | undefined;
  const close = () => closing ??= owned.disposeAsync();
  const observed = { services, publications, requests, intake, busServer, auth, publishLimit: opts.pub_hwm };
  observeMaster(meter, observed);
  if (options.supervisor !== undefined) {
    observeParts(meter, options.supervisor);
    observeEventReturns(meter, options.supervisor);
  }
  if (options.engines !== undefined) observeEngines(meter, options.engines);
  const status = () => ({
    publish: publishEndpoint,
    requests: requestEndpoint,
    ...masterStatus(observed),
    ...partsOf(options),
  });
  return {
    get services() {
      return current;
    },
    get opts() {
      return current.opts;
    },
    keys,
    publishEndpoint,
    requestEndpoint,
    status,
    reload(values) {
      const { taken, opts } = reloadedOptions(current.opts, values);
      void audit?.note({ kind: "reload", taken, outcome: "ok" });
      if (taken.length > 0) {
        current = current.reconfigured(opts);
        options.reloaded?.(opts);
        schedule.reload(opts);
      } else {
        // An engine that was missing may have been synced meanwhile.
        options.engines?.renew();
      }
      showSockets(fs, opts);
      return taken;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Makes the directories of the configuration; those of the keys are closed to others. */
function prepareDirectories({ fs, crypto, clock, later }: Runtime, opts: MasterOpts): KeyDirectories {
  fs.mkdir(opts.cachedir, 0o755);
  fs.mkdir(opts.sock_dir, 0o755);
  const keys = new KeyDirectories(fs, crypto, opts.pki_dir, clock, later);
  keys.prepare();
  return keys;
}

/** The status of the master's supervised processes. */
function partsOf({ supervisor }: MasterOptions): Record<string, unknown> {
  return supervisor === undefined ? {} : { parts: supervisor.status() };
}
