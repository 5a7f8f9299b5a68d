import { AuthClient, type MinionIdentity, type SignedIn } from "../../protocol/channel/auth_client.ts";
import { packIntroduction, PublicationReader } from "../../protocol/channel/pub_client.ts";
import { type Exchange, RequestClient, sendClear } from "../../protocol/channel/req_client.ts";
import { familyOf, keepAliveOf } from "../../model/config/url.ts";
import type { MinionOpts } from "../../model/config/minion_opts.ts";
import { joinPath } from "../../base/paths.ts";
import { ConfigError, SaltError, TimeoutError } from "../../base/errors.ts";
import { publicationTopic } from "../../protocol/crypto/hex.ts";
import type { MasterRequestOptions } from "../../model/loader/family.ts";
import type { Logger } from "../../base/log.ts";
import type { HashName, RsaPublicKey } from "../../runtime/crypto.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Transport } from "../../protocol/transport/transport.ts";
import type { Req } from "../../protocol/zmtp/mod.ts";
import { endpointFrom, type LocalEnd, localEnd } from "./local_end.ts";
import { type MasterAddress, printMaster } from "./master_address.ts";
import type { JobSession } from "./processes/bulk_requests.ts";
import { Publications } from "./publications.ts";
import { RequestSockets } from "./request_sockets.ts";
import { SignIn } from "./sign_in.ts";

interface ConnectionOptions {
  runtime: Runtime;
  opts: MinionOpts;
  log: Logger;
  sockets: Transport;
  identity: MinionIdentity;
  /** The master's request server. */
  master: MasterAddress;
  /** Uses this `publish_port` rather than the one in the master's reply to the sign-in. */
  publishPort?: number;
  autosignGrains?: Record<string, unknown>;
  /**
   * Who signs in: a syndic keeps the master's key in a file of its own, and receives what is published for syndics.
   * @default "minion"
   */
  role?: "minion" | "syndic";
  /** Called with each job load that is authentic and new; its target may be other minions. */
  onPublication(load: Record<string, unknown>): void;
  /** Called when the master asks the minion to change its key. */
  onRotationAsked?(): void;
  /** Called when the stream of publications was lost, or is connected again. */
  onState?(connected: boolean): void;
  /** Called when the connection for requests is there again; the master may have forgotten the minion meanwhile. */
  onReturn?(): void;
}

/** Reads the key that verifies the signatures over the masters' keys. @throws {ConfigError} if it is missing or is not a key */
function readSigningKey({ fs, crypto }: Runtime, opts: MinionOpts): RsaPublicKey {
  const path = joinPath(opts.pki_dir, `${opts.master_sign_key_name}.pub`);
  const explain = (why: string, cause?: unknown) =>
    new ConfigError(
      `Cannot verify the keys of masters (verify_master_pubkey_sign): ${path} ${why}. Copy ` +
        `${opts.master_sign_key_name}.pub there, from the pki_dir of the master that signs`,
      { path, cause },
    );
  if (fs.stat(path)?.kind !== "file") throw explain("does not exist");
  const pem = fs.readText(path);
  try {
    return crypto.loadPublicKey(pem);
  } catch (error) {
    throw explain("is not a public key", error);
  }
}

/** Makes the minion's side of the authentication with one master, as the options say. */
function openAuth(options: ConnectionOptions, log: Logger): AuthClient {
  const { runtime, opts, identity, autosignGrains, role = "minion" } = options;
  const { fs, crypto } = runtime;
  const record = joinPath(opts.pki_dir, `${role}_master.pub`);
  const signingKey = opts.verify_master_pubkey_sign ? readSigningKey(runtime, opts) : undefined;
  return new AuthClient({
    crypto,
    log,
    identity,
    masterKeyRecord: {
      place: record,
      read: () => fs.stat(record)?.kind === "file" ? fs.readText(record) : undefined,
      write: (pem) => fs.write(record, pem, { mode: 0o644, sync: true }),
    },
    encryption: opts.encryption_algorithm,
    signing: opts.signing_algorithm,
    openMode: opts.open_mode,
    masterFinger: opts.master_finger,
    hashType: opts.hash_type as HashName,
    ...(signingKey === undefined ? {} : { signingKey }),
    alwaysVerify: opts.always_verify_signature,
    isBrine: true,
    ...(autosignGrains === undefined ? {} : { autosignGrains }),
  });
}

/** Returns how sockets reconnect, as the options say. */
function reconnecting(opts: MinionOpts) {
  return {
    reconnectInitialMs: opts.recon_default / 4,
    reconnectMaxMs: opts.recon_max,
    keepAliveIdle: keepAliveOf(opts),
    family: familyOf(opts.ipv6),
  };
}

/**
 * The connection of a minion to one master: signs in, listens to publications, and sends requests; it begins anew when
 * the master was away.
 *
 * After {@link MasterConnection.leave} it receives nothing. Requests may still be sent: each opens a connection for itself.
 */
export class MasterConnection implements AsyncDisposable {
  /** The address of the request server, `tcp://host:port`, by which jobs and returns know their master. */
  readonly address: string;
  readonly requests: RequestClient;
  readonly #options: ConnectionOptions;
  readonly #log: Logger;
  readonly #local: LocalEnd;
  readonly #auth: AuthClient;
  readonly #signIn: SignIn;
  readonly #req: RequestSockets;
  #publications: Publications | undefined;
  readonly #closing = new AbortController();
  #leaving = new AbortController();

  /** @throws {ConfigError} if the options name a key or an own address that does not exist */
  constructor(options: ConnectionOptions) {
    const { runtime, opts, identity, master } = options;
    const { crypto, clock } = runtime;
    const log = options.log.child("connection");
    this.#options = options;
    this.#log = log;
    this.address = `tcp://${printMaster(master)}`;
    this.#local = localEnd(opts, runtime.host, master);
    this.#auth = openAuth(options, log);
    this.#req = this.#openRequests();
    this.#signIn = new SignIn({
      runtime,
      opts,
      log,
      auth: this.#auth,
      address: this.address,
      request: this.#req.exchange,
      signal: this.#closing.signal,
    });
    this.requests = new RequestClient({
      crypto,
      clock,
      log,
      auth: this.#auth,
      identity,
      exchange: this.#req.exchange,
      signIn: () => this.signIn(),
      signMessages: opts.minion_sign_messages,
    });
  }

  #openRequest(): Req {
    const { opts, sockets } = this.#options;
    const reconnectMaxMs = Math.min(opts.recon_max, 5000);
    return sockets.req({ ...reconnecting(opts), reconnectMaxMs, sendHighWaterMark: 0, lingerMs: 0 });
  }

  #openRequests(): RequestSockets {
    const { onReturn } = this.#options;
    return new RequestSockets(
      () => {
        const req = this.#openRequest();
        let isFirst = true;
        req.onConnect(() => {
          if (!isFirst && !this.#closing.signal.aborted) onReturn?.();
          isFirst = false;
        });
        req.connect(endpointFrom(this.#local.host, this.#local.requestPort, this.#options.master));
        return req;
      },
      this.#options.runtime.clock,
      this.#local.requestPort === 0,
    );
  }

  #openPublications(): Publications {
    const { runtime: { crypto, clock }, opts, identity, role, sockets, onPublication, onState } = this.#options;
    const topics = new Set(["broadcast", role === "syndic" ? role : publicationTopic(crypto, identity.id)]);
    const reader = new PublicationReader({
      crypto,
      clock,
      log: this.#log,
      signedIn: () => this.#auth.signedIn,
      signIn: () => this.signIn(),
      requireSignature: opts.sign_pub_messages,
      topics,
    });
    return new Publications({
      clock,
      log: this.#options.log,
      address: this.address,
      sub: sockets.sub({ ...reconnecting(opts), receiveHighWaterMark: 0 }),
      reader,
      topics: opts.zmq_filtering && sockets.byTopic !== false ? topics : undefined,
      // A master that was restarted has another key.
      introduction: async (again) => {
        const signedIn = again ? undefined : this.#auth.signedIn;
        return packIntroduction(signedIn ?? await this.signIn(), identity.id, this.#auth.proof);
      },
      onPublication,
      onState,
      signal: AbortSignal.any([this.#closing.signal, this.#leaving.signal]),
    });
  }

  get host(): string {
    return this.#options.master.host;
  }

  /** True if the master is a Brine master; false until it has let the minion in. */
  get isBrine(): boolean {
    return this.#auth.signedIn?.isBrine === true;
  }

  /** The master's public key, in PEM; undefined until the master has let the minion in. */
  get masterPem(): string | undefined {
    return this.#auth.signedIn?.masterPem;
  }

  /** Why the sign-in has not succeeded so far. */
  get trouble(): string | undefined {
    return this.#signIn.trouble;
  }

  /** Returns the session for a process that sends requests itself; never the session with the key `stale`. */
  async session(stale?: string): Promise<JobSession> {
    const known = this.#auth.signedIn;
    const { session } = known === undefined || known.session.keyString === stale ? await this.signIn() : known;
    const { id, proof, algorithms } = this.#auth;
    const address = endpointFrom(this.#local.host, 0, this.#options.master);
    return { address, id, key: session.keyString, proof, algorithms };
  }

  /** Signs in, waits for the key to be accepted, and listens to publications. */
  async open(): Promise<void> {
    this.#req.keep();
    await this.#listen(await this.signIn());
  }

  /**
   * Like {@link MasterConnection.open}, but gives up if the master does not let the minion in at the first attempt.
   *
   * @param listenMs how long the publisher may take, in milliseconds
   * @throws {SaltError} with the reason; {@link RejectedError} if another attempt would be useless
   */
  async tryToOpen(signal: AbortSignal, listenMs: number): Promise<void> {
    this.#req.keep();
    const signedIn = await this.#signIn.once(signal);
    const late = new AbortController();
    const cancel = this.#options.runtime.clock.after(listenMs, () => {
      late.abort(new TimeoutError(`its publisher did not accept the connection within ${listenMs} ms`));
    });
    await this.#listen(signedIn, AbortSignal.any([signal, late.signal])).finally(cancel);
  }

  async #listen({ publishPort }: SignedIn, signal?: AbortSignal): Promise<void> {
    const { master: { host }, publishPort: configured } = this.#options;
    this.#publications ??= this.#openPublications();
    const to = { host, port: configured ?? publishPort };
    await this.#publications.connect(endpointFrom(this.#local.host, this.#local.publishPort, to), signal);
  }

  /** Stops listening, and ends the requests that are under way. May be opened again. */
  async leave(): Promise<void> {
    const publications = this.#publications;
    this.#publications = undefined;
    this.#leaving.abort(new SaltError("LEFT", `The minion no longer uses the master ${this.address}`));
    this.#leaving = new AbortController();
    await Promise.all([publications?.close(), this.#req.release()]);
  }

  /**
   * Tests whether anything listens at the master's address: a closed port is noticed at once, while a request would wait for
   * its timeout. Behind a proxy nothing is tested.
   *
   * @throws {SystemError} if nothing accepts the connection
   */
  async reach(timeoutMs: number, signal: AbortSignal): Promise<void> {
    const { runtime: { net }, opts, master: { host, port } } = this.#options;
    if (typeof opts.proxy_host === "string" && opts.proxy_host !== "") return;
    const local = this.#local.host === undefined ? undefined : { host: this.#local.host };
    const family = familyOf(opts.ipv6);
    (await net.dial({ kind: "tcp", host, port }, { timeoutMs, signal, local, family })).destroy();
  }

  /**
   * Asks the master for any reply at all, without signing in, over a connection of its own: other requests may take long.
   *
   * @throws {TimeoutError} if no reply comes in time
   */
  async ping(timeoutMs: number, signal: AbortSignal): Promise<void> {
    await using req = this.#openRequest();
    req.connect(endpointFrom(this.#local.host, 0, this.#options.master));
    const exchange: Exchange = async (bytes, how) => (await req.request(bytes, how))[0]!;
    await sendClear(exchange, { cmd: "ping" }, { timeoutMs, signal });
  }

  /** Signs in to the master again; calls at the same time share one sign-in. */
  async signIn(): Promise<SignedIn> {
    const signedIn = await this.#signIn.run();
    if (signedIn.rotate) this.#options.onRotationAsked?.();
    return signedIn;
  }

  /** Sends a request of a job; the reply to a `private` one is sealed for this minion alone and signed by the master. */
  async request(load: Record<string, unknown>, options: MasterRequestOptions = {}): Promise<unknown> {
    const { private: sealed, ...how } = options;
    return await (sealed ? this.requests.sendPrivate(load, how) : this.requests.send(load, how));
  }

  /** Aborts when the connection is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  async close(): Promise<void> {
    this.#closing.abort(new SaltError("CLOSED", "The connection to the master is closed"));
    await Promise.all([this.#publications?.close(), this.#req.close()]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
