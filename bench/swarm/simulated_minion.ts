/** One minion of a swarm: its identity, its connections and its session. */
import type { Pool } from "../../src/base/async/pool.ts";
import { AuthClient, type MinionIdentity, newNonce } from "../../src/protocol/channel/auth_client.ts";
import { SealedRequests, type SessionSeal } from "../../src/protocol/channel/req_client.ts";
import { Crypticle } from "../../src/protocol/crypto/crypticle.ts";
import { rsaDecrypt } from "../../src/protocol/crypto/rsa.ts";
import { x931Sign } from "../../src/protocol/crypto/x931.ts";
import { silentLogger } from "../../src/base/log.ts";
import type { RsaPrivateKey } from "../../src/runtime/crypto.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { Transport } from "../../src/protocol/transport/transport.ts";
import { decode, encode } from "../../src/protocol/wire/msgpack.ts";
import { bytesOf, packPayload } from "../../src/protocol/wire/payload.ts";
import type { Req, Sub } from "../../src/protocol/zmtp/mod.ts";
import type { BehaviourName } from "./mix.ts";
import type { Answer } from "./tally.ts";

/** What all minions of a process share. */
export interface SwarmContext {
  runtime: Runtime;
  sockets: Transport;
  /** `tcp://HOST:PORT` of the master. */
  requestEndpoint: string;
  /** The master's key once a minion has judged it. */
  masterKeyRecord: { pem: string | undefined };
  /** Of one request, in milliseconds. */
  timeoutMs: number;
  /** Requests over connections that are opened for them, which are few at once. */
  turns: Pool;
}

/** A reply that accepts a minion has several RSA blocks; one that says "later" has a few bytes. */
const SHORT_REPLY = 256;
/** A sealed reply is at least iv, one block and the MAC. */
const SEALED_LEAST = 64;

const TOKEN = new TextEncoder().encode("salt");
const proofs = new WeakMap<RsaPrivateKey, Uint8Array>();

/** How a master answered the bytes of a sealed request. */
export function answerOf(reply: Uint8Array): Answer {
  const outer = decode(reply, { mode: "raw" });
  return outer instanceof Uint8Array && outer.length >= SEALED_LEAST ? "taken" : "refused";
}

/** How a master answered a sign-in. */
export function signInAnswer(reply: Uint8Array): Answer | "later" {
  const outer = decode(reply, { mode: "wire" }) as { load?: unknown } | string | null;
  if (typeof outer !== "object" || outer === null || outer.load === undefined) return "refused";
  const { load } = outer;
  const signed = load instanceof Uint8Array || typeof load === "string";
  const fields = (signed ? decode(bytesOf(load), { mode: "wire" }) : load) as Record<string, unknown> | null;
  if (fields?.pub_key !== undefined) return "accepted";
  if (fields?.ret === "later") return "later";
  return fields?.ret === true ? "pending" : "refused";
}

export class SimulatedMinion {
  readonly id: string;
  readonly behaviour: BehaviourName;
  readonly identity: MinionIdentity;
  readonly auth: AuthClient;
  readonly requests: SealedRequests;
  readonly #context: SwarmContext;
  /** Keeps its request connection between requests, as minions of Brine and of current releases of Salt do. */
  readonly #holds: boolean;
  #req: Req | undefined;
  sub: Sub | undefined;
  seal: SessionSeal | undefined;
  /** The last sealed request that was answered, as it went out. */
  lastSealed: Uint8Array | undefined;
  /** Jobs that it works on. */
  readonly open = new Map<string, Record<string, unknown>>();
  /** The sign-in that was sent, and the reply to it. */
  #sent: ReturnType<AuthClient["request"]> | undefined;
  #reply: Uint8Array | undefined;

  constructor(
    context: SwarmContext,
    { id, behaviour, identity, holds }: {
      id: string;
      behaviour: BehaviourName;
      identity: MinionIdentity;
      holds: boolean;
    },
  ) {
    this.#context = context;
    this.id = id;
    this.behaviour = behaviour;
    this.identity = identity;
    this.#holds = holds;
    const { crypto, clock } = context.runtime;
    const record = context.masterKeyRecord;
    this.auth = new AuthClient({
      crypto,
      log: silentLogger,
      identity,
      isBrine: true,
      masterKeyRecord: { place: "minion_master.pub", read: () => record.pem, write: (pem) => void (record.pem = pem) },
    });
    this.requests = new SealedRequests({
      crypto,
      clock,
      log: silentLogger,
      id,
      exchange: async (bytes, how) => {
        const reply = await this.exchange(bytes, how.timeoutMs);
        this.lastSealed = bytes;
        return reply;
      },
      session: async () => this.seal ?? await this.renew(),
      renew: async () => void await this.renew(),
    });
  }

  /** Opens the request connection. @returns it, for its handshake to be waited for */
  openRequests(): Req {
    return this.#req ??= this.#context.sockets.req({ sendHighWaterMark: 0, lingerMs: 0 });
  }

  /** Sends bytes as they are; the reply as it came. */
  async exchange(bytes: Uint8Array, timeoutMs = this.#context.timeoutMs): Promise<Uint8Array> {
    if (this.#holds) return (await this.openConnected().request(bytes, { timeoutMs }))[0]!;
    return await this.#context.turns.run(async () => {
      const req = this.openConnected();
      this.#req = undefined;
      try {
        return (await req.request(bytes, { timeoutMs }))[0]!;
      } finally {
        await req.close();
      }
    });
  }

  #connected: Req | undefined;

  /** The request connection, which is on its way at least. */
  openConnected(): Req {
    const req = this.openRequests();
    if (this.#connected !== req) req.connect(this.#context.requestEndpoint);
    this.#connected = req;
    return req;
  }

  /** Builds the sign-in before the time starts. */
  prepare(): void {
    this.#sent = this.auth.request();
  }

  /** Asks until the master accepts the minion: under load it replies "later" with a delay. */
  async askToSignIn(): Promise<void> {
    for (;;) {
      this.#sent ??= this.auth.request();
      const reply = await this.exchange(this.#sent.bytes);
      if (reply.length >= SHORT_REPLY || signInAnswer(reply) !== "later") {
        this.#reply = reply;
        return;
      }
      const { load } = decode(reply, { mode: "wire" }) as { load: { after: number } };
      this.#sent = undefined;
      await this.#context.runtime.clock.sleep(load.after);
    }
  }

  /** Judges the whole reply as a real minion does: three operations with the private key. */
  judge(): NonNullable<AuthClient["signedIn"]> {
    const outcome = this.auth.outcome(this.#reply!, this.#sent!);
    if (outcome.state !== "accepted") throw new Error(`The master answers "${outcome.state}": is auto_accept on?`);
    return outcome.signedIn;
  }

  /** Takes the session out of the reply and nothing else: one operation with the private key. */
  unlock(): void {
    const { crypto } = this.#context.runtime;
    const reply = this.#reply!;
    const answer = signInAnswer(reply);
    if (answer !== "accepted") throw new Error(`The master answers "${answer}" to ${this.id}: is auto_accept on?`);
    const { load } = decode(reply, { mode: "wire" }) as { load: unknown };
    const { session } = decode(bytesOf(load), { mode: "wire" }) as { session: unknown };
    const { key } = this.identity;
    const opened = new TextDecoder().decode(rsaDecrypt(crypto, "OAEP-SHA1", key, bytesOf(session)));
    let proof = proofs.get(key);
    if (proof === undefined) proofs.set(key, proof = x931Sign(crypto, key, TOKEN));
    this.seal = { crypticle: new Crypticle(crypto, opened), proof, algorithms: this.auth.algorithms };
    this.#reply = this.#sent = undefined;
  }

  #renewing: Promise<SessionSeal> | undefined;

  /** Signs in again; concurrent calls share one attempt. */
  renew(): Promise<SessionSeal> {
    return this.#renewing ??= (async () => {
      try {
        this.#sent = undefined;
        await this.askToSignIn();
        this.unlock();
        return this.seal!;
      } finally {
        this.#renewing = undefined;
      }
    })();
  }

  /** A sealed request that says what it is told to, true or not. */
  sealed(load: Record<string, unknown>, inside = this.id, outside = this.id): Uint8Array {
    const { crypto, clock } = this.#context.runtime;
    const { crypticle, proof, algorithms: { encryption, signing } } = this.seal!;
    const nonce = newNonce(crypto);
    const full = { ...load, nonce, ts: Math.floor(clock.now() / 1000), tok: proof, id: inside };
    const sealed = crypticle.seal(packPayload(full));
    return encode(
      { enc: "aes", load: sealed, version: 3, id: outside, enc_algo: encryption, sig_algo: signing },
      "wire",
    );
  }

  /** Closes both connections. */
  async disconnect(): Promise<void> {
    const [req, sub] = [this.#req, this.sub];
    this.#req = this.#connected = this.sub = undefined;
    await Promise.all([req?.close(), sub?.close()]);
  }
}
