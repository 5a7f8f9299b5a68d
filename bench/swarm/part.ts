/** The minions of one process of a swarm. */
import type { SignedIn } from "../../src/protocol/channel/auth_client.ts";
import { Pool } from "../../src/base/async/pool.ts";
import { PublicationReader } from "../../src/protocol/channel/pub_client.ts";
import { cleanPem } from "../../src/protocol/crypto/rsa_key.ts";
import { messageOf } from "../../src/base/errors.ts";
import { silentLogger } from "../../src/base/log.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { openTransport } from "../../src/protocol/transport/open_transport.ts";
import type { Req, Sub } from "../../src/protocol/zmtp/mod.ts";
import { minionKeys } from "../keys.ts";
import { BEHAVIOUR, type JobLoad } from "./behaviours.ts";
import { type BehaviourName, behavioursOf, type Mix, seededRandom, swarmId } from "./mix.ts";
import { SimulatedMinion, type SwarmContext } from "./simulated_minion.ts";
import { Tally } from "./tally.ts";

export interface SwarmOptions {
  /** Of the whole swarm. */
  minions: number;
  host: string;
  port: number;
  mix: Mix;
  seed: number;
  /** Key pairs that the minions share. */
  pairs: number;
  /** Bits of each key. */
  bits: number;
  /** The options `transport` and `ssl`. */
  transport: Record<string, unknown>;
  /** Minions of the whole swarm that keep their request connection; the others open one for each request. */
  held: number;
  /** What slow and flapping minions go by. */
  paceMs: number;
  /** Bytes of a huge return. */
  hugeBytes: number;
  /** From, and up to: the minions of this process. */
  first: number;
  last: number;
}

/** Connections of this process at once that are opened for one request. */
const SHORT_CONNECTIONS = 16;

/** A job as this process knows it. */
interface Job {
  began: number;
  /** Minions of this process whose return is to come, once the load is open. */
  open: number;
  failed: number;
  load: Promise<Record<string, unknown> | undefined>;
}

/** What is told of a job for all, once each minion that returns for certain has the master's reply. */
export interface JobDone {
  jid: string;
  fun: string;
  ms: number;
  failed: number;
}

/** Of one request, in milliseconds: no load makes a swarm give up before the master does. */
const TIMEOUT_MS = 600_000;

/** Resolves once each of the sockets has a peer. */
function connected(all: readonly (Req | Sub)[], connect: (socket: Req | Sub, at: number) => void): Promise<void> {
  let left = all.length;
  if (left === 0) return Promise.resolve();
  return new Promise((resolve) => {
    for (const [at, socket] of all.entries()) {
      let known = false;
      socket.onConnect(() => {
        if (known) return;
        known = true;
        if (--left === 0) resolve();
      });
      connect(socket, at);
    }
  });
}

/** True if a publication is for that minion: for all, or for a list that names it. */
function isFor({ tgt, tgt_type }: Record<string, unknown>, id: string): boolean {
  if (Array.isArray(tgt)) return tgt.includes(id);
  if (typeof tgt !== "string") return false;
  if (tgt_type === "list") return tgt.split(",").includes(id);
  return tgt === "*" || tgt === id;
}

export class SwarmPart {
  readonly runtime: Runtime;
  readonly minions: readonly SimulatedMinion[];
  readonly tally = new Tally();
  readonly random: () => number;
  readonly timeoutMs = TIMEOUT_MS;
  readonly paceMs: number;
  readonly #context: SwarmContext;
  readonly #options: SwarmOptions;
  readonly #jobs = new Map<string, Job>();
  /** Those whose return is certain. */
  readonly #certain: readonly SimulatedMinion[];
  #signedIn: SignedIn | undefined;
  #reader: PublicationReader | undefined;
  #huge: string | undefined;
  #onJob: (job: JobDone) => void = () => {};

  private constructor(context: SwarmContext, options: SwarmOptions, minions: readonly SimulatedMinion[]) {
    this.#context = context;
    this.#options = options;
    this.runtime = context.runtime;
    this.minions = minions;
    this.paceMs = options.paceMs;
    this.random = seededRandom(options.seed + options.first);
    this.#certain = minions.filter(({ behaviour }) => BEHAVIOUR[behaviour].returns);
  }

  static async open(runtime: Runtime, options: SwarmOptions, say: (line: string) => void): Promise<SwarmPart> {
    const { minions: count, host, port, mix, seed, bits, held, first, last } = options;
    const context: SwarmContext = {
      runtime,
      sockets: openTransport({ runtime, log: silentLogger, opts: options.transport as never }),
      requestEndpoint: `tcp://${host}:${port}`,
      masterKeyRecord: { pem: undefined },
      timeoutMs: TIMEOUT_MS,
      turns: new Pool(SHORT_CONNECTIONS),
    };
    const few = Math.min(count, options.pairs);
    const pairs = (await minionKeys(runtime.crypto, few, say, bits)).map(({ privatePem, publicPem }) => ({
      key: runtime.crypto.loadPrivateKey(privatePem),
      publicPem: cleanPem(publicPem),
    }));
    const behaviours: readonly BehaviourName[] = behavioursOf(count, mix, seed);
    const minions: SimulatedMinion[] = [];
    for (let index = first; index < last; index++) {
      const id = swarmId(index, count);
      const identity = { id, ...pairs[index % few]! };
      minions.push(
        new SimulatedMinion(context, { id, behaviour: behaviours[index]!, identity, holds: index < held }),
      );
    }
    return new SwarmPart(context, options, minions);
  }

  /** Connects all to the request port. @returns milliseconds */
  async connect(): Promise<number> {
    const start = performance.now();
    const sockets = this.minions.map((minion) => minion.openRequests());
    await connected(sockets, (_, at) => void this.minions[at]!.openConnected());
    for (const minion of this.minions) minion.prepare();
    return performance.now() - start;
  }

  /**
   * All sign in at once.
   *
   * @param wholly each judges all of its reply, which takes three operations with its key: for what is sealed with that key
   * @returns milliseconds from the first request to the last reply: what minions then do with it is not the master's
   */
  async signIn(wholly = false): Promise<number> {
    const start = performance.now();
    await Promise.all(this.minions.map((minion) => minion.askToSignIn()));
    const ms = performance.now() - start;
    this.#signedIn = this.minions[0]!.judge();
    for (const minion of this.minions.slice(1)) if (wholly) minion.judge();
    if (!wholly) { for (const minion of this.minions) minion.unlock(); }
    return ms;
  }

  /** All connect to the publish port. */
  async subscribe(onJob: (job: JobDone) => void): Promise<void> {
    this.#onJob = onJob;
    this.#reader = new PublicationReader({
      crypto: this.runtime.crypto,
      clock: this.runtime.clock,
      log: silentLogger,
      signedIn: () => this.#signedIn,
      signIn: async () => {
        const [minion] = this.minions;
        minion!.prepare();
        await minion!.askToSignIn();
        this.#signedIn = minion!.judge();
        minion!.unlock();
        return this.#signedIn;
      },
      requireSignature: true,
      topics: new Set(["broadcast"]),
    });
    const endpoint = this.#publishEndpoint;
    await connected(this.minions.map((minion) => this.#subscriber(minion)), (socket) => socket.connect(endpoint));
    for (const minion of this.minions) BEHAVIOUR[minion.behaviour].begin?.(minion, this);
  }

  get #publishEndpoint(): string {
    return `tcp://${this.#options.host}:${this.#signedIn!.publishPort}`;
  }

  #subscriber(minion: SimulatedMinion): Sub {
    const sub = this.#context.sockets.sub({ receiveHighWaterMark: 0 });
    minion.sub = sub;
    sub.subscribe("");
    sub.onMessage((frames) => void this.#received(minion, frames));
    return sub;
  }

  /** One minion connects to the publish port, again. */
  listen(minion: SimulatedMinion): Promise<void> {
    return connected([this.#subscriber(minion)], (socket) => socket.connect(this.#publishEndpoint));
  }

  /** Some other minion of this process, an honest one where there is any. */
  another(minion: SimulatedMinion): SimulatedMinion {
    const start = Math.floor(this.random() * this.minions.length);
    let found: SimulatedMinion | undefined;
    for (let step = 0; step < this.minions.length; step++) {
      const other = this.minions[(start + step) % this.minions.length]!;
      if (other === minion) continue;
      if (other.behaviour === "honest") return other;
      found ??= other;
    }
    return found ?? minion;
  }

  /** A minion of this process with another key pair. */
  withAnotherKey(minion: SimulatedMinion): SimulatedMinion | undefined {
    return this.minions.find(({ identity }) => identity.publicPem !== minion.identity.publicPem);
  }

  hugeValue(): string {
    return this.#huge ??= "huge ".repeat(Math.ceil(this.#options.hugeBytes / 5)).slice(0, this.#options.hugeBytes);
  }

  /** The job of a publication: decrypted once, by the first minion that receives it. */
  #jobOf(frames: readonly Uint8Array[]): Job {
    const bytes = frames[frames.length - 1]!;
    // The signature or MAC at either end is different for each publication.
    const key = String.fromCharCode(...bytes.subarray(-64), ...bytes.subarray(16, 80));
    let job = this.#jobs.get(key);
    if (job === undefined) {
      const found: Job = { began: performance.now(), open: 0, failed: 0, load: Promise.resolve(undefined) };
      found.load = this.#reader!.read(frames).then((load) => {
        if (load !== undefined) found.open = this.#certain.filter(({ id }) => isFor(load, id)).length;
        return load;
      });
      this.#jobs.set(key, job = found);
    }
    return job;
  }

  async #received(minion: SimulatedMinion, frames: readonly Uint8Array[]): Promise<void> {
    const job = this.#jobOf(frames);
    const load = await job.load as JobLoad | undefined;
    if (load === undefined) return;
    const behaviour = BEHAVIOUR[minion.behaviour];
    if (!isFor(load, minion.id)) return void await behaviour.overhear?.(minion, load, this);
    try {
      await behaviour.answer(minion, load, this);
    } catch (error) {
      if (job.failed++ === 0) console.error(`${minion.id}: ${messageOf(error)}`);
    }
    if (!behaviour.returns || --job.open > 0 || load.tgt !== "*") return;
    const { jid, fun } = load;
    this.#onJob({ jid, fun, ms: performance.now() - job.began, failed: job.failed });
  }
}
