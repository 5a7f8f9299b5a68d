import { AuthClient, type MinionIdentity, type SignedIn } from "../channel/auth_client.ts";
import { PublicationReader } from "../channel/pub_client.ts";
import { RequestClient } from "../channel/req_client.ts";
import type { MinionOpts } from "../config/minion_opts.ts";
import { joinPath } from "../config/paths.ts";
import { SaltError } from "../errors.ts";
import { publicationTopic } from "../job/minion_id.ts";
import type { MasterRequestOptions } from "../loader/context.ts";
import type { Logger } from "../log.ts";
import type { HashName } from "../runtime/crypto.ts";
import type { Runtime } from "../runtime/mod.ts";
import type { Transport } from "../transport/mod.ts";
import type { Sub } from "../zmtp/mod.ts";
import type { MasterAddress } from "./master_address.ts";
import type { JobSession } from "./processes/bulk_requests.ts";
import { Publications } from "./publications.ts";
import { RequestSockets } from "./request_sockets.ts";
import { SignIn } from "./sign_in.ts";

export interface ConnectionOptions {
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
  /** The stream of publications was lost, or is connected again. */
  onState?(connected: boolean): void;
  /** The connection for requests is there again; the master may have forgotten the minion meanwhile. */
  onReturn?(): void;
}

function uri(host: string, port: number): string {
  return `tcp://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The minion's side of the authentication with one master, as the options say. */
function openAuth(options: ConnectionOptions, log: Logger): AuthClient {
  const { runtime, opts, identity, autosignGrains, role = "minion" } = options;
  const { fs, crypto } = runtime;
  const record = joinPath(opts.pki_dir, `${role}_master.pub`);
  const signingKey = opts.verify_master_pubkey_sign
    ? crypto.loadPublicKey(fs.readText(joinPath(opts.pki_dir, `${opts.master_sign_key_name}.pub`)))
    : undefined;
  return new AuthClient({
    crypto,
    log,
    identity,
    masterKeyRecord: {
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

/** How sockets connect again, as the options say. */
function reconnecting(opts: MinionOpts) {
  const keepAliveIdle: number | false = opts.tcp_keepalive ? opts.tcp_keepalive_idle : false;
  return { reconnectInitialMs: opts.recon_default / 4, reconnectMaxMs: opts.recon_max, keepAliveIdle };
}

/**
 * The connection of a minion to one master: signs in, listens to publications, sends requests, and does all of it again when
 * the master was away.
 */
export class MasterConnection implements AsyncDisposable {
  readonly address: string;
  readonly requests: RequestClient;
  readonly #options: ConnectionOptions;
  readonly #auth: AuthClient;
  readonly #signIn: SignIn;
  readonly #req: RequestSockets;
  readonly #sub: Sub;
  readonly #publications: Publications;
  readonly #closing = new AbortController();

  constructor(options: ConnectionOptions) {
    const { runtime, opts, identity, sockets, master } = options;
    const { crypto, clock } = runtime;
    const log = options.log.child("connection");
    const { signal } = this.#closing;
    this.#options = options;
    this.address = uri(master.host, master.port);
    this.#auth = openAuth(options, log);
    this.#req = this.#openRequests();
    this.#sub = sockets.sub({ ...reconnecting(opts), receiveHighWaterMark: 0 });
    this.#signIn = new SignIn({
      runtime,
      opts,
      log,
      auth: this.#auth,
      address: this.address,
      request: (bytes, how) => this.#req.main.request(bytes, how),
      signal,
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
    this.#publications = this.#openPublications(log);
  }

  #openRequests(): RequestSockets {
    const { opts, sockets, onReturn } = this.#options;
    const reconnectMaxMs = Math.min(opts.recon_max, 5000);
    const requests = new RequestSockets(() => {
      const req = sockets.req({ ...reconnecting(opts), reconnectMaxMs, sendHighWaterMark: 0, lingerMs: 0 });
      req.connect(this.address);
      return req;
    });
    let isFirst = true;
    requests.main.onConnect(() => {
      if (!isFirst && !this.#closing.signal.aborted) onReturn?.();
      isFirst = false;
    });
    return requests;
  }

  #openPublications(log: Logger): Publications {
    const { runtime: { crypto }, opts, identity, role, onPublication, onState } = this.#options;
    const topics = new Set(["broadcast", role === "syndic" ? role : publicationTopic(crypto, identity.id)]);
    const reader = new PublicationReader({
      crypto,
      log,
      signedIn: () => this.#auth.signedIn,
      signIn: () => this.signIn(),
      requireSignature: opts.sign_pub_messages,
      topics,
    });
    return new Publications({
      log: this.#options.log,
      sub: this.#sub,
      reader,
      topics: opts.zmq_filtering ? topics : undefined,
      onPublication,
      onState,
      signal: this.#closing.signal,
    });
  }

  /** True if the master is Brine's; false until it has let the minion in. */
  get isBrine(): boolean {
    return this.#auth.signedIn?.isBrine === true;
  }

  /** Why the sign-in has not succeeded so far. */
  get trouble(): string | undefined {
    return this.#signIn.trouble;
  }

  /** The session, for a process that sends requests of its own. Never the session of the key `stale`. */
  async session(stale?: string): Promise<JobSession> {
    const known = this.#auth.signedIn;
    const { session } = known === undefined || known.session.keyString === stale ? await this.signIn() : known;
    const { id, proof, algorithms } = this.#auth;
    return { address: this.address, id, key: session.keyString, proof, algorithms };
  }

  /** Signs in, waits for the key to be accepted, and listens to publications. */
  async open(): Promise<void> {
    const { publishPort } = await this.signIn();
    await this.#publications.connect(uri(this.#options.master.host, this.#options.publishPort ?? publishPort));
  }

  /** Signs in to the master again; calls at the same time share one sign-in. */
  signIn(): Promise<SignedIn> {
    return this.#signIn.run();
  }

  /** Sends a request of a job; the reply to a `private` one is sealed for this minion alone and signed by the master. */
  async request(load: Record<string, unknown>, options: MasterRequestOptions = {}): Promise<unknown> {
    const { private: sealed, ...how } = options;
    return await (sealed ? this.requests.sendPrivate(load, how) : this.requests.send(load, how));
  }

  async close(): Promise<void> {
    this.#closing.abort(new SaltError("CLOSED", "The connection to the master is closed"));
    await Promise.all([this.#sub.close(), this.#req.close()]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
