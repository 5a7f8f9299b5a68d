/** A master, its minions and clients in one process: in memory under a fake clock, or over real sockets. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { until } from "../../bench/bed/until.ts";
import { type Clock, systemClock } from "../../src/base/async/clock.ts";
import { AuthClient, type SignedIn } from "../../src/protocol/channel/auth_client.ts";
import { type Exchange, RequestClient } from "../../src/protocol/channel/req_client.ts";
import { LocalClient } from "../../src/client/local_client.ts";
import { MASTER_OPTIONS, type MasterOpts } from "../../src/model/config/master_opts.ts";
import { MINION_OPTIONS, type MinionOpts } from "../../src/model/config/minion_opts.ts";
import type { OptionTable } from "../../src/model/config/option.ts";
import { cleanPem } from "../../src/protocol/crypto/rsa_key.ts";
import { BusEvent } from "../../src/model/event/bus.ts";
import type { EauthRegistry } from "../../src/model/loader/eauth.ts";
import type { TopsRegistry } from "../../src/model/loader/custom_tops.ts";
import type { ModuleRegistry } from "../../src/model/loader/loader.ts";
import type { JobCache } from "../../src/model/job/job_cache.ts";
import { clusterOf, type ClusterParts } from "../../src/host/master/cluster/cluster.ts";
import { type MasterWithParts, startMaster } from "../../src/host/master/master.ts";
import type { Runners } from "../../src/host/master/jobs/runners.ts";
import type { SendToReturners } from "../../src/host/master/services.ts";
import { type Minion, type MinionOptions, startMinion } from "../../src/host/minion/minion.ts";
import type { RejectedError } from "../../src/host/minion/sign_in.ts";
import type { PillarCompiles } from "../../src/host/master/commands/pillar.ts";
import type { JobCommand } from "../../src/host/minion/processes/pooled_process.ts";
import { EAUTH } from "../../src/plugins/eauth/mod.ts";
import { memoryJobCache } from "../../src/plugins/job_caches/memory.ts";
import { MODULES } from "../../src/plugins/modules/mod.ts";
import type { WheelRegistry } from "../../src/model/loader/wheel.ts";
import { WHEELS } from "../../src/plugins/wheel/mod.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { type MemoryFileSystem, memoryNet, memoryRuntime } from "../../src/runtime/memory/memory_runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { Net } from "../../src/runtime/net.ts";
import type { Telemetry } from "../../src/base/telemetry/mod.ts";
import { zmtpSockets } from "../../src/protocol/zmtp/mod.ts";
import { type CapturedLog, captureLog } from "./capture_log.ts";
import { FakeClock } from "./fake_clock.ts";
import { vectors } from "./vectors.ts";

/** Pairs to test with: making new ones takes longer than the tests. */
export const PAIRS = (() => {
  const { minion_private_pem, minion_public_key, master_private_pem, master_public_key } = vectors("auth_cases");
  const { keys } = vectors("rsa");
  return {
    master: { privatePem: master_private_pem as string, publicPem: master_public_key as string },
    minion: { privatePem: minion_private_pem as string, publicPem: minion_public_key as string },
    /** A hostile minion, or a false master. */
    other: { privatePem: keys.other.private_pem as string, publicPem: keys.other.public_pem as string },
  };
})();
type Pair = (typeof PAIRS)["master"];

export interface ClusterOptions {
  /** `"current"`: on the runtime of the test, over tcp and Unix sockets, in real time. @default "memory" */
  place?: "memory" | "current";
  /** Minions to start, their keys accepted beforehand. @default one, "web1" */
  minions?: string[];
  master?: Record<string, unknown>;
  minion?: Record<string, unknown>;
  /** Modules beside the usual ones. */
  modules?: ModuleRegistry;
  compilePillar?: PillarCompiles;
  /** The grains of a minion, gathered each time. @default its id and an `os` */
  grains?(id: string): Record<string, unknown>;
  /** What a minion gathers beside that, from where it is. */
  gather?: MinionOptions["grains"];
  /** How a minion starts a process for one job. @default it runs all jobs itself */
  jobCommand?: JobCommand;
  /** Backends of external authentication beside the usual ones. */
  eauth?: EauthRegistry;
  /** Wheel modules beside the usual ones. */
  wheels?: WheelRegistry;
  /** Modules of `master_tops`. @default none */
  tops?: TopsRegistry;
  /** How the master runs runners. @default it has none */
  runners?: Runners;
  /** How the master calls the returners of scheduled runners. @default it has none */
  sendToReturners?: SendToReturners;
  /** Outlives the master, as a disk does. @default each master begins with none */
  jobs?: JobCache;
  /** Where each daemon counts and traces: "master", or the id of a minion. @default nowhere */
  telemetry?(host: string): Telemetry;
  /** What the master shares with others, for each start of it. @default there are no others */
  shared?(): ClusterParts;
  /** Its directory in memory. @default "/brine" */
  root?: string;
  /** The network, where several masters are in one. @default a network of its own */
  net?: Net;
  /** @default one that stands still */
  clock?: Clock;
  /** Prepares the master's disk. */
  prepare?(runtime: Runtime, root: string): void;
}

export interface MinionStart {
  pair?: Pair;
  opts?: Record<string, unknown>;
  /** Puts its key among the accepted. @default true */
  accept?: boolean;
  /** Leaves its keys as an earlier run has left them. @default false */
  again?: boolean;
  onRejected?(error: RejectedError): void;
}

function defaults(table: OptionTable): Record<string, unknown> {
  return Object.fromEntries(Object.entries(table).map(([name, spec]) => [name, structuredClone(spec.default)]));
}

/** See {@link startCluster}. */
export class Cluster implements AsyncDisposable {
  readonly options: ClusterOptions;
  /** The master's. */
  readonly runtime: Runtime;
  /** Stands still in memory. Not used on the current runtime. */
  readonly clock = new FakeClock();
  readonly root: string;
  readonly captured: CapturedLog = captureLog();
  readonly minions = new Map<string, Minion>();
  /** Every event of the master's bus, from its start on. */
  readonly events: { tag: string; data: Record<string, unknown> }[] = [];
  master!: MasterWithParts;
  /** RSA keys that are being made, by a thread: a clock that goes on meanwhile runs ahead of it. */
  keysInTheMaking = 0;
  readonly #runtimes = new Map<string, Runtime>();
  get #net(): Net {
    return this.options.net ?? (this.#ownNet ??= memoryNet());
  }
  #ownNet: Net | undefined;
  readonly #open: AsyncDisposable[] = [];
  #ports = { publish_port: 0, ret_port: 0 };

  private constructor(options: ClusterOptions, runtime: Runtime | undefined, crypto: Runtime["crypto"]) {
    this.options = options;
    this.#crypto = {
      ...crypto,
      generateKeyPair: async (bits, passphrase) => {
        this.keysInTheMaking++;
        try {
          return await crypto.generateKeyPair(bits, passphrase);
        } finally {
          this.keysInTheMaking--;
        }
      },
    };
    this.root = runtime === undefined ? options.root ?? "/brine" : mkdtempSync(path.join(tmpdir(), "brine-"));
    this.#current = runtime;
    this.runtime = this.runtimeOf("master");
  }

  readonly #current: Runtime | undefined;
  readonly #crypto: Runtime["crypto"];

  static async start(options: ClusterOptions = {}): Promise<Cluster> {
    const current = await currentRuntime();
    const cluster = new Cluster(options, options.place === "current" ? current : undefined, current.crypto);
    try {
      cluster.prepareMaster();
      await cluster.startMaster();
      await Promise.all((options.minions ?? ["web1"]).map((id) => cluster.startMinion(id).then(({ ready }) => ready)));
    } catch (error) {
      await cluster.close();
      throw error;
    }
    return cluster;
  }

  /** The runtime of a host: one for all on real sockets. */
  runtimeOf(hostname: string): Runtime {
    if (this.#current !== undefined) return { ...this.#current, clock: systemClock };
    let runtime = this.#runtimes.get(hostname);
    if (runtime === undefined) {
      const clock = this.options.clock ?? this.clock;
      const shifted: Clock = {
        now: () => clock.now() + (this.#shifts.get(hostname) ?? 0),
        elapsed: () => clock.elapsed(),
        sleep: (ms, signal) => clock.sleep(ms, signal),
        after: (ms, callback) => clock.after(ms, callback),
      };
      runtime = memoryRuntime({ clock: shifted, crypto: this.#crypto, hostname, net: this.#net });
      this.#runtimes.set(hostname, runtime);
    }
    return runtime;
  }

  /**
   * Ends a minion as a loss of power does: what was not synced is gone, but for what chance has left.
   *
   * @param random see {@link MemoryFileSystem.powerCut}
   */
  async cutPower(id: string, random: () => number): Promise<void> {
    const runtime = this.runtimeOf(id);
    // What it does from here on reaches no disk.
    this.#runtimes.set(id, { ...runtime, fs: (runtime.fs as MemoryFileSystem).powerCut(random) });
    await this.minions.get(id)!.close();
  }

  /** Sets the clock of one host, `"master"` or a minion's id, by so many milliseconds from that of the others. */
  setClock(hostname: string, byMs: number): void {
    this.#shifts.set(hostname, byMs);
  }
  readonly #shifts = new Map<string, number>();

  get masterOpts(): MasterOpts {
    return {
      ...defaults(MASTER_OPTIONS),
      id: "salt_master",
      interface: "127.0.0.1",
      user: this.runtime.host.user().name,
      pki_dir: `${this.root}/pki`,
      cachedir: `${this.root}/cache`,
      sock_dir: `${this.root}/sock`,
      file_roots: { base: [`${this.root}/srv`] },
      ...this.#ports,
      ...this.options.master,
    } as unknown as MasterOpts;
  }

  prepareMaster(): void {
    const { fs } = this.runtime;
    fs.mkdir(`${this.root}/pki/minions`, 0o700);
    fs.mkdir(`${this.root}/srv`);
    this.#writePair(this.runtime, `${this.root}/pki/master`, PAIRS.master);
    this.options.prepare?.(this.runtime, this.root);
  }

  #writePair({ fs }: Runtime, base: string, pair: Pair): void {
    fs.write(`${base}.pem`, pair.privatePem, { mode: 0o400 });
    fs.write(`${base}.pub`, pair.publicPem, { mode: 0o644 });
  }

  /** Starts the master, again on the ports that it had. */
  async startMaster(): Promise<MasterWithParts> {
    const { runtime, captured, options } = this;
    const shared = options.shared?.();
    this.master = await startMaster({
      runtime,
      ...(shared === undefined ? {} : { cluster: clusterOf(shared) }),
      opts: this.masterOpts,
      log: captured.log.child("master"),
      jobs: shared !== undefined
        ? shared.storage.jobs
        : options.jobs === undefined
        ? memoryJobCache(() => runtime.clock.now())
        : { ...options.jobs, close: () => {} },
      eauth: { ...EAUTH, ...options.eauth },
      wheels: { ...WHEELS, ...options.wheels },
      ...(options.tops === undefined ? {} : { tops: options.tops }),
      ...(options.runners === undefined ? {} : { runners: options.runners }),
      ...(options.sendToReturners === undefined ? {} : { sendToReturners: options.sendToReturners }),
      ...(options.telemetry === undefined ? {} : { telemetry: options.telemetry("master") }),
      ...(options.compilePillar === undefined ? {} : { compilePillar: options.compilePillar }),
    });
    const port = (endpoint: string) => Number(endpoint.slice(endpoint.lastIndexOf(":") + 1));
    this.#ports = { publish_port: port(this.master.publishEndpoint), ret_port: port(this.master.requestEndpoint) };
    this.master.services.bus.on((event) => {
      const { tag, data } = BusEvent.fromBytes(event.bytes);
      this.events.push({ tag, data });
    });
    return this.master;
  }

  /** Resolves with the first event of that tag, past or to come. */
  async event(tag: string | RegExp): Promise<{ tag: string; data: Record<string, unknown> }> {
    const fits = (event: { tag: string }) => typeof tag === "string" ? event.tag === tag : tag.test(event.tag);
    await until(() => this.events.some(fits));
    return this.events.find(fits)!;
  }

  /** Ids of the jobs on record, newest first. */
  async jids(): Promise<string[]> {
    const found: string[] = [];
    for await (const page of this.master.services.jobs.list()) found.push(...page.map(({ jid }) => jid));
    return found;
  }

  get requestPort(): number {
    return this.#ports.ret_port;
  }

  minionDirectory(id: string): string {
    return `${this.root}/minion-${id}`;
  }

  acceptKey(id: string, pair: Pair = PAIRS.minion): void {
    this.runtime.fs.write(`${this.root}/pki/minions/${id}`, cleanPem(pair.publicPem), { mode: 0o644 });
  }

  async startMinion(id: string, start: MinionStart = {}): Promise<Minion> {
    const runtime = this.runtimeOf(id);
    const root = this.minionDirectory(id);
    const { pair = PAIRS.minion, again = false, accept = !again } = start;
    if (accept) this.acceptKey(id, pair);
    runtime.fs.mkdir(`${root}/pki`, 0o700);
    if (!again) this.#writePair(runtime, `${root}/pki/minion`, pair);
    const given: Record<string, unknown> = {
      id,
      master: "127.0.0.1",
      master_port: this.requestPort,
      pki_dir: `${root}/pki`,
      cachedir: `${root}/cache`,
      sock_dir: `${root}/sock`,
      conf_file: `${root}/minion`,
      ...this.options.minion,
      ...start.opts,
    };
    const minion = await startMinion({
      runtime,
      opts: { ...defaults(MINION_OPTIONS), ...given } as MinionOpts,
      given: new Set(Object.keys(given)),
      log: this.captured.log.child(id),
      modules: { ...MODULES, ...this.options.modules },
      grains: async (context) => ({
        id,
        os: "Test",
        ...this.options.grains?.(id),
        ...await this.options.gather?.(context),
      }),
      ...(this.options.jobCommand === undefined ? {} : { jobCommand: this.options.jobCommand }),
      ...(this.options.telemetry === undefined ? {} : { telemetry: this.options.telemetry(id) }),
      ...(start.onRejected === undefined ? {} : { onRejected: start.onRejected }),
    });
    this.minions.set(id, minion);
    return minion;
  }

  async client(options: { requestTimeoutMs?: number; checked?: boolean } = {}): Promise<LocalClient> {
    const client = await LocalClient.open({
      runtime: this.runtime,
      log: this.captured.log.child("client"),
      opts: this.masterOpts,
      ...options,
    });
    this.#open.push(client);
    return client;
  }

  /** The way to the master's request port for bytes of one's own making. */
  exchange(): Exchange {
    const { runtime } = this;
    const sockets = zmtpSockets({
      net: runtime.net,
      clock: runtime.clock,
      random: () => 0.5,
      log: this.captured.log.child("peer"),
      later: (call) => runtime.later(call),
    });
    const req = sockets.req({ lingerMs: 0, sendHighWaterMark: 0, reconnectInitialMs: 1 });
    req.connect(`tcp://127.0.0.1:${this.requestPort}`);
    this.#open.push({ [Symbol.asyncDispose]: () => req.close() });
    return async (bytes, how) => (await req.request(bytes, how))[0]!;
  }

  /** A peer that sends requests as a minion. */
  async peer(id: string, pair: Pair = PAIRS.minion): Promise<Peer> {
    const peer = new Peer(this, id, pair);
    await peer.signIn();
    return peer;
  }

  async close(): Promise<void> {
    for (const one of this.#open) await one[Symbol.asyncDispose]();
    await Promise.all([...this.minions.values()].map((minion) => minion.close()));
    await this.master?.close();
    if (this.#current !== undefined) rmSync(this.root, { recursive: true, force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** A minion without a minion around it: signs in, seals and opens, and lets a test see and change the bytes. */
export class Peer {
  readonly auth: AuthClient;
  readonly requests: RequestClient;
  readonly exchange: Exchange;
  /** The bytes of the last sealed request. */
  sent: Uint8Array = new Uint8Array(0);
  received: Uint8Array = new Uint8Array(0);

  constructor(cluster: Cluster, id: string, pair: Pair = PAIRS.minion) {
    const { runtime, captured } = cluster;
    const { crypto, clock } = runtime;
    let record: string | undefined;
    const identity = { id, key: crypto.loadPrivateKey(pair.privatePem), publicPem: cleanPem(pair.publicPem) };
    const log = captured.log.child(`peer.${id}`);
    this.auth = new AuthClient({
      crypto,
      log,
      identity,
      masterKeyRecord: { place: "minion_master.pub", read: () => record, write: (pem) => record = pem },
    });
    this.exchange = cluster.exchange();
    this.requests = new RequestClient({
      crypto,
      clock,
      log,
      auth: this.auth,
      identity,
      exchange: async (bytes, how) => {
        this.sent = bytes;
        return this.received = await this.exchange(bytes, how);
      },
      signIn: () => this.signIn(),
    });
  }

  async signIn(): Promise<SignedIn> {
    const request = this.auth.request();
    const outcome = this.auth.outcome(await this.exchange(request.bytes, { timeoutMs: 60_000 }), request);
    if (outcome.state !== "accepted") throw new Error(`Not let in: ${outcome.state}`);
    return outcome.signedIn;
  }

  send(load: Record<string, unknown>): Promise<unknown> {
    return this.requests.send(load, { tries: 1 });
  }
}

/** Starts a master and minions, and resolves once they are all signed in and listened to. */
export function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  return Cluster.start(options);
}
