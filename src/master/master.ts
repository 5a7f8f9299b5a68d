import { type Deferred, deferred } from "../async/deferred.ts";
import { AuthServer, type MasterKey } from "../channel/auth_server.ts";
import { loadPair } from "../channel/key_pair.ts";
import { PublicationSealer } from "../channel/pub_server.ts";
import { RequestServer } from "../channel/req_server.ts";
import { Turns } from "../channel/turns.ts";
import type { MasterOpts } from "../config/master_opts.ts";
import { durableRuntime } from "../config/durability.ts";
import { dirName, joinPath } from "../config/paths.ts";
import { Crypticle, newKeyString } from "../crypto/crypticle.ts";
import { EventBus } from "../event/bus.ts";
import { type BusServer, OWN_BUS, serveBus } from "../event/ipc.ts";
import { codeOf, messageOf, SystemError } from "../errors.ts";
import type { JobCache } from "../job/job_cache.ts";
import { JidGenerator } from "../job/jid.ts";
import { publicationTopic } from "../job/minion_id.ts";
import { FileServer } from "../fileserver/mod.ts";
import type { EauthRegistry } from "../loader/eauth.ts";
import type { WheelRegistry } from "../loader/wheel.ts";
import type { Logger } from "../log.ts";
import type { FileSystem } from "../runtime/fs.ts";
import type { Runtime } from "../runtime/mod.ts";
import { expandTarget, matchExpression, PatternCache } from "../target/mod.ts";
import type { ListenOptions } from "../runtime/net.ts";
import { Crowd, hostOf, type PeerHandle, runtimeSockets, type Socket, type SocketFactory } from "../zmtp/mod.ts";
import { Autosign } from "./keys/autosign.ts";
import { AccessRules } from "./access/acl.ts";
import { type Account, accountsOfHost, ClientKeys } from "./access/client_keys.ts";
import type { PillarCompiler } from "./commands/pillar.ts";
import { publishJob } from "./commands/publish.ts";
import { Callers } from "./access/callers.ts";
import { ExternalAuth } from "./access/external_auth.ts";
import { withKeySignature, withStoredSignature } from "./keys/identity.ts";
import { JobStore } from "./jobs/durable_saves.ts";
import { KeyAdmin } from "./keys/key_admin.ts";
import { KeyDirectories } from "./keys/key_directories.ts";
import { Ledger } from "./jobs/ledger.ts";
import { detectListenerFraming } from "./listener_framing.ts";
import { maintain } from "./maintenance.ts";
import { masterId } from "./master_id.ts";
import { MinionCache } from "./minion_cache.ts";
import { descriptorsForOthers } from "../runtime/descriptors.ts";
import { Presence } from "./presence.ts";
import { requestHandler } from "./request_table.ts";
import { type ExtJobCache, type MasterServices, REFUSALS, type RefusedReturn, type Runners } from "./services.ts";
import { SessionKeys } from "./keys/session_keys.ts";
import { CountedStrangerKeys } from "./keys/stranger_keys.ts";
import { tokenFiles } from "./access/tokens.ts";

export interface MasterOptions {
  runtime: Runtime;
  opts: MasterOpts;
  log: Logger;
  /** Where jobs and returns are kept; the master closes it. */
  jobs: JobCache;
  /** Where publications are saved beside {@link MasterOptions.jobs}: `ext_job_cache`. Must not reject. */
  extJobCache?: ExtJobCache;
  /** @default our own ZeroMQ */
  sockets?: SocketFactory;
  /** @default every pillar is empty */
  compilePillar?: PillarCompiler;
  /** Backends that `external_auth` may name. @default none */
  eauth?: EauthRegistry;
  /** @default none */
  wheels?: WheelRegistry;
  /** @default there are no runners */
  runners?: Runners;
}

/** Connections that wait to be accepted; the system allows no more than `net.core.somaxconn`. */
const LEAST_BACKLOG = 8192;

/** How long a master that stops works on at what it has begun, in milliseconds. */
const STOP_MS = 10_000;

/** A running master. */
export interface Master extends AsyncDisposable {
  readonly services: MasterServices;
  /** `tcp://0.0.0.0:4505`, with the port that was had. */
  readonly publishEndpoint: string;
  readonly requestEndpoint: string;
  /** Where it stands: queues, connections, open jobs; for whoever looks after it. */
  status(): Record<string, unknown>;
  /** Stops taking requests, answers those under way, makes everything durable. Twice is harmless. */
  close(): Promise<void>;
}

function endpoint(host: string, port: number): string {
  return `tcp://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** `10.0.0.7` of `tcp://10.0.0.7:51312`. */
function portOf(bound: string): number {
  return Number(bound.slice(bound.lastIndexOf(":") + 1));
}

/**
 * Starts a master and resolves once minions can sign in. What it opened is closed again if a later step fails.
 *
 * @throws {SystemError} naming the port, file or directory that could not be had
 */
export async function startMaster(options: MasterOptions): Promise<Master> {
  const { opts, log, jobs } = options;
  const runtime = durableRuntime(options.runtime, opts);
  const { fs, crypto, clock, net } = runtime;
  await using stack = new AsyncDisposableStack();
  stack.defer(async () => await jobs.close());
  stack.defer(() => options.runners?.close());

  fs.mkdir(opts.cachedir, 0o755);
  fs.mkdir(opts.sock_dir, 0o755);
  const keys = new KeyDirectories(fs, crypto, opts.pki_dir, clock);
  keys.prepare();

  const pair = (name: string, passphrase: unknown) =>
    loadPair(runtime, log, {
      pkiDir: opts.pki_dir,
      name,
      keySize: opts.keysize,
      passphrase: typeof passphrase === "string" ? passphrase : undefined,
    });
  const own = await pair("master", opts.key_pass);
  const identity = !opts.master_sign_pubkey
    ? own
    : opts.master_use_pubkey_signature
    ? withStoredSignature(runtime, own, joinPath(opts.pki_dir, opts.master_pubkey_signature))
    : withKeySignature(runtime, own, await pair(opts.master_sign_key_name, opts.signing_key_pass));

  const newMasterKey = (): MasterKey => {
    const keyString = newKeyString(crypto);
    return { keyString, crypticle: new Crypticle(crypto, keyString) };
  };
  let masterKey = newMasterKey();

  const bus = new EventBus(
    () => clock.now(),
    (error) => log.error("event listener failed", { error: messageOf(error) }),
  );
  const cache = new MinionCache(fs, log, opts.cachedir);
  const files = new FileServer({
    runtime,
    log: log.child("fileserver"),
    opts,
    fire: (tag, data) => bus.fire(tag, data),
  });
  const sessionKeys = new SessionKeys({
    fs,
    crypto,
    clock,
    log: log.child("auth"),
    cacheDir: opts.cachedir,
    lifetimeSeconds: opts.publish_session,
  });
  const sealer = new PublicationSealer({
    crypto,
    identity,
    masterKey: () => masterKey,
    sign: opts.sign_pub_messages,
    algorithm: opts.publish_signing_algorithm,
  });

  const sockets = options.sockets ?? runtimeSockets(runtime, log);
  const presence = new Presence(() => clock.now());
  const knownHost = (host: string) => presence.knows(host);
  const crowd = new Crowd({ maxConnections: descriptorsForOthers(fs), knownHost });
  const publisher = sockets.pub({ sendHighWaterMark: opts.pub_hwm, lingerMs: 1000, maxTopics: 64, crowd });
  stack.defer(() => publisher.close());
  /** The last publication that is being signed: they go out in their order. */
  let publishing: Promise<void> = Promise.resolve();
  stack.defer(() => publishing);
  const requests = sockets.router({
    lingerMs: 1000,
    sendHighWaterMark: 0,
    // A minion that this master has not heard of may still bring a return of 100 MB.
    unfinishedBytes: 2 ** 27,
    unfinishedBytesKnown: 2 ** 29,
    knownHost,
    crowd,
  });
  stack.defer(() => requests.close());

  const patterns = new PatternCache();
  const text = new TextEncoder();
  const store = new JobStore({
    jobs,
    later: (call) => runtime.later(call),
    now: () => clock.now(),
    log: log.child("jobs"),
  });
  const ledger: Ledger = new Ledger({
    jobs,
    clock,
    log: log.child("jobs"),
    bus,
    presence,
    send: (load, ids) => services.send(load, ids),
    async ask(jid, ids) {
      const question = { tgt: [...ids], tgt_type: "list", fun: "saltutil.find_job", arg: [jid], ret: "" };
      try {
        const asking = publishJob(services, { ...question, user: opts.user, jid: "", kwargs: {} }, ids, []);
        return await asking !== undefined;
      } catch (error) {
        log.warning("minions could not be asked for a job", { jid, error: messageOf(error) });
        return false;
      }
    },
    durable: () => store.durable(),
    resendMs: opts.job_resend_interval * 1000,
    deliveryMs: opts.job_delivery_timeout * 1000,
    lostMs: opts.job_lost_after * 1000,
    gatherMs: opts.gather_job_timeout * 1000,
  });
  const rules = new AccessRules(patterns);
  const clientKeys = new ClientKeys({
    fs,
    crypto,
    log,
    cacheDir: opts.cachedir,
    masterUser: opts.user,
    accounts: accountsWithPermissions(fs, opts),
  });
  const tokens = tokenFiles(runtime, log, opts);
  const externalAuth = new ExternalAuth({
    runtime,
    log: log.child("auth"),
    opts,
    tokens,
    rules,
    backends: options.eauth ?? {},
  });
  const services: MasterServices = {
    opts,
    runtime,
    log,
    bus,
    keys,
    cache,
    files,
    jobs,
    extJobCache: options.extJobCache,
    store,
    ledger,
    presence,
    refused: Object.fromEntries(REFUSALS.map((why) => [why, 0])) as Record<RefusedReturn, number>,
    callers: new Callers(opts, clientKeys, externalAuth, rules),
    externalAuth,
    rules,
    keyAdmin: new KeyAdmin({
      runtime,
      log: log.child("key"),
      opts,
      keys,
      fire: (tag, data) => bus.fire(tag, data),
      rotate: () => services.rotateMasterKey(),
    }),
    wheels: options.wheels ?? {},
    runners: options.runners,
    jids: new JidGenerator(clock, opts.unique_jid ? { pid: runtime.process.pid } : {}),
    tokens,
    steps: patterns.steps,
    expand: (target, { greedy = true } = {}) =>
      expandTarget(
        target,
        {
          accepted: () => keys.list("accepted"),
          cached: () => cache.ids(),
          data: (id) => cache.data(id),
          // One that has just come for the first time is about to tell its grains.
          countsOn: (id) => presence.connected(id),
          cacheEnabled: opts.minion_data_cache,
          nodegroups: opts.nodegroups,
        },
        { greedy, patterns },
      ),
    send(load, minions) {
      const sealing = sealer.seal(load);
      const topics = !opts.zmq_filtering
        ? undefined
        : !["glob", "pcre", "list"].includes(String(load.tgt_type))
        ? ["broadcast"]
        : [...minions.map((id) => publicationTopic(crypto, id)), ...(opts.order_masters ? ["syndic"] : [])];
      publishing = Promise.all([sealing, publishing]).then(([sealed]) => {
        if (topics === undefined) publisher.send(sealed);
        else for (const topic of topics) publisher.send([text.encode(topic), sealed]);
      }).catch((error) => log.error("publication could not be sent", { jid: load.jid, error: messageOf(error) }));
    },
    rotateMasterKey() {
      masterKey = newMasterKey();
      log.info("master key rotated");
      bus.fire("key", { rotate_aes_key: true });
    },
  };

  const handler = requestHandler(services, options.compilePillar ?? (() => Promise.resolve({})));
  const auth = new AuthServer({
    crypto,
    clock,
    random: () => runtime.random(),
    identity,
    keys,
    strangers: new CountedStrangerKeys({ keys, clock, log: log.child("auth"), limit: opts.max_pending_keys }),
    sessionKeys,
    masterKey: () => masterKey,
    publishPort: () => portOf(publishEndpoint),
    serial: () => sealer.serial,
    minimumVersion: opts.minimum_auth_version,
    openMode: opts.open_mode,
    maxMinions: opts.max_minions,
    connected: () => {
      const hosts = new Set([...publisher.peers()].map((peer) => hostOf(peer.remote)));
      return new Set([...presence.remotes()].filter(([, remote]) => hosts.has(hostOf(remote))).map(([id]) => id));
    },
    policy: new Autosign({
      fs,
      clock,
      log,
      pkiDir: opts.pki_dir,
      autoAccept: opts.auto_accept,
      autosignFile: typeof opts.autosign_file === "string" ? opts.autosign_file : "",
      autorejectFile: typeof opts.autoreject_file === "string" ? opts.autoreject_file : "",
      autosignTimeout: opts.autosign_timeout,
      autosignGrainsDir: typeof opts.autosign_grains_dir === "string" ? opts.autosign_grains_dir : "",
      autosignGrains: opts.autosign_grains.map(String),
      permissivePkiAccess: opts.permissive_pki_access,
    }),
    log: log.child("auth"),
    onEvent: (event) => {
      if (opts.auth_events) bus.fire("salt/auth", { ...event });
    },
  });

  const server = new RequestServer({
    crypto,
    clock,
    log: log.child("req"),
    identity,
    keys,
    sessionKeys,
    auth,
    masterKey: () => masterKey,
    handler: {
      clear: handler.clear,
      vouches: handler.vouches,
      aes(request) {
        const { minion, sender } = request;
        if (minion !== undefined) {
          if (sender.open) presence.heard(minion, sender.remote);
          if (ledger.size > 0) deliver(minion, request.load);
        }
        return handler.aes(request);
      },
    },
    minimumVersion: opts.minimum_auth_version,
    ttlSeconds: opts.request_server_ttl,
    keep: ["return"],
  });

  /** Requests that are being answered, and who waits for there to be none. */
  let running = 0;
  let idle: Deferred<void> | undefined;
  const stopping = new AbortController();
  const answer = async (peer: PeerHandle, frames: Uint8Array[]): Promise<void> => {
    // Whoever asks now asks the next master again; and what was taken after the session keys were left to it would be taken twice.
    if (stopping.signal.aborted) return;
    // From a REQ: an empty frame, then the body. A DEALER may put more before.
    const route = frames.slice(0, -1);
    running++;
    try {
      const reply = await server.handle(frames.at(-1) ?? new Uint8Array(0), peer);
      if (reply !== undefined && peer.open) requests.send(peer, [...route, reply]);
    } catch (error) {
      log.error("reply not sent", { error: messageOf(error) });
    }
    if (--running === 0) idle?.resolve();
  };
  const turns = new Turns<PeerHandle>({
    now: () => clock.now(),
    later: (call) => runtime.later(call),
    begin: (peer, frames) => void answer(peer, frames),
  });
  requests.onMessage((peer, frames) => turns.add(peer, frames));

  requests.onDisconnect((peer) => presence.left(peer.remote));

  /** A minion that does not ask for what is queued for it gets it as soon as it says something that it says when ready. */
  const deliver = (minion: string, { cmd }: Record<string, unknown>) => {
    if (cmd === "_pillar" || cmd === "_jobs" || presence.isBrine(minion) || !ledger.awaits(minion)) return;
    for (const load of ledger.take(minion)) services.send(load, [minion]);
  };

  const restored = await ledger.restore();
  if (restored > 0) log.info("open jobs taken up again", { jobs: restored });

  const forOthers = Object.keys(opts.publisher_acl).length > 0 || Object.keys(opts.external_auth).length > 0;
  // Users of this host with permissions have to find the sockets there, whose own modes say who may use them.
  const sockDirMode = fs.stat(opts.sock_dir)?.mode ?? 0;
  if (forOthers && (sockDirMode & 0o001) === 0) fs.chmod(opts.sock_dir, (sockDirMode & 0o7777) | 0o001);
  const busServer: BusServer = await serveBus(
    bus,
    net,
    {
      pub: { kind: "unix", path: joinPath(opts.sock_dir, "master_event_pub.ipc") },
      pull: { kind: "unix", path: joinPath(opts.sock_dir, "master_event_pull.ipc") },
      own: { kind: "unix", path: joinPath(opts.sock_dir, OWN_BUS) },
    },
    log.child("event"),
    {
      // As in Salt: for those whom the master's group has as members.
      listenMode: forOthers ? 0o660 : 0o600,
      later: (call) => runtime.later(call),
      framing: () =>
        opts.event_framing === "length" || opts.event_framing === "stream"
          ? opts.event_framing
          : detectListenerFraming(fs, log.child("event"), dirName(opts.conf_file)),
    },
  );
  stack.defer(() => busServer.close());

  // Salt takes connections in threads of their own; ours wait for the loop, and a fleet that comes at once overruns a thousand.
  const listen = { backlog: Math.max(opts.zmq_backlog, LEAST_BACKLOG) };
  const publishEndpoint = await bindPort(publisher, "publish_port", opts.interface, opts.publish_port, listen);
  const requestEndpoint = await bindPort(requests, "ret_port", opts.interface, opts.ret_port, listen);

  // By these Salt's own command line and HTTP API tell whether a master is running; nothing ever comes through them.
  for (const name of ["publish_pull.ipc", "workers.ipc"]) {
    const marker = sockets.pull();
    stack.defer(() => marker.close());
    await marker.bind(`ipc://${joinPath(opts.sock_dir, name)}`, { mode: 0o600 });
  }

  const maintenance = maintain(services, masterId(opts, runtime.host.hostname()), stopping.signal);
  stack.defer(async () => {
    stopping.abort();
    await maintenance;
    auth.close();
    if (running > 0) {
      const done = idle = deferred<void>();
      const giveUp = clock.after(STOP_MS, () => done.resolve());
      await done.promise;
      giveUp();
      if (running > 0) log.warning("stopped with requests that were not answered", { requests: running });
    }
    await store.durable();
    sessionKeys.save((id) => server.newest(id));
  });

  log.info("master is running", { publish: publishEndpoint, requests: requestEndpoint });
  const owned = stack.move();
  let closing: Promise<void> | undefined;
  const close = () => closing ??= owned.disposeAsync();
  const status = () => ({
    publish: publishEndpoint,
    requests: requestEndpoint,
    requests_in_progress: running,
    request_connections: [...requests.peers()].length,
    publisher_connections: [...publisher.peers()].length,
    minions_connected: [...presence.ids()].length,
    minions_accepted: keys.list("accepted").length,
    open_jobs: ledger.size,
    event_listeners: busServer.listeners,
    events_dropped: busServer.dropped,
    returns_refused: { ...services.refused },
  });
  return { services, publishEndpoint, requestEndpoint, status, close, [Symbol.asyncDispose]: close };
}

/** Listens at a port of the configuration; a failure names the option, and how to find who has the port. */
async function bindPort(
  socket: Socket,
  option: string,
  host: string,
  port: number,
  listen: ListenOptions,
): Promise<string> {
  try {
    return await socket.bind(endpoint(host, port), listen);
  } catch (error) {
    const errno = codeOf(error) || "EIO";
    if (errno !== "EADDRINUSE") throw error;
    throw new SystemError(
      errno,
      `Port ${port} (${option}) is in use on ${host}: stop what listens there (ss -ltnp 'sport = :${port}' names it), or ` +
        `set ${option} to another port`,
      { port, option, cause: error },
    );
  }
}

/** Whom `publisher_acl` names of this host's accounts; by patterns only where `client_acl_verify` is on. */
function accountsWithPermissions(fs: FileSystem, { publisher_acl, client_acl_verify }: MasterOpts): Account[] {
  const names = Object.keys(publisher_acl);
  if (names.length === 0) return [];
  return accountsOfHost(
    fs,
    (account) => names.some((name) => name === account || client_acl_verify && matchExpression(account, name)),
  );
}
