import { backoffDelay } from "../async/backoff.ts";
import { deferred } from "../async/deferred.ts";
import { AuthClient, MasterKeyError, type MinionIdentity, type SignedIn } from "../channel/auth_client.ts";
import { PublicationReader } from "../channel/pub_client.ts";
import { type Exchange, RequestClient } from "../channel/req_client.ts";
import type { MinionOpts } from "../config/minion_opts.ts";
import { joinPath } from "../config/paths.ts";
import { messageOf, SaltError } from "../errors.ts";
import { publicationTopic } from "../job/minion_id.ts";
import type { Logger } from "../log.ts";
import type { HashName } from "../runtime/crypto.ts";
import type { Runtime } from "../runtime/mod.ts";
import type { JobSession } from "./processes/bulk_requests.ts";
import type { Req, SocketFactory } from "../zmtp/mod.ts";

/** The master has said no for good; the process should end with this code, as Salt's does. */
export class RejectedError extends SaltError {
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super("REJECTED", message);
    this.exitCode = exitCode;
  }
}

export interface ConnectionOptions {
  runtime: Runtime;
  opts: MinionOpts;
  log: Logger;
  sockets: SocketFactory;
  identity: MinionIdentity;
  /** `{host, port}` of the master's request server. */
  master: { host: string; port: number };
  /** Uses this `publish_port` rather than the one that the master names. */
  publishPort?: number;
  autosignGrains?: Record<string, unknown>;
  /** Called with each job load that is genuine and new; whether it is for us is for the caller to find out. */
  onPublication(load: Record<string, unknown>): void;
  /** The stream of publications was lost, or is there again. */
  onState?(connected: boolean): void;
  /** The connection for requests is there again: the master knows who we are by what comes over it. */
  onReturn?(): void;
}

function uri(host: string, port: number): string {
  return `tcp://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** A minion's ties to one master: signs in, listens to publications, sends requests, and does it all again when it must. */
export class MasterConnection implements AsyncDisposable {
  readonly #options: ConnectionOptions;
  readonly #log: Logger;
  readonly #auth: AuthClient;
  readonly #closing = new AbortController();
  readonly #newReq: () => Req;
  readonly #req: Req;
  /** For pieces of files while another request is under way: made when there are such, and kept. */
  #bulk: Req | undefined;
  #asking = 0;
  readonly #sub;
  #subscribedPort: number | undefined;
  #signingIn: Promise<SignedIn> | undefined;
  #trouble: string | undefined;
  readonly requests: RequestClient;
  readonly address: string;

  constructor(options: ConnectionOptions) {
    const { runtime, opts, identity, sockets, master } = options;
    this.#options = options;
    this.address = uri(master.host, master.port);
    this.#log = options.log.child("connection");
    const { fs, crypto, clock } = runtime;
    const record = joinPath(opts.pki_dir, "minion_master.pub");
    const signingKey = opts.verify_master_pubkey_sign
      ? crypto.loadPublicKey(fs.readText(joinPath(opts.pki_dir, `${opts.master_sign_key_name}.pub`)))
      : undefined;
    this.#auth = new AuthClient({
      crypto,
      log: this.#log,
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
      ...(options.autosignGrains === undefined ? {} : { autosignGrains: options.autosignGrains }),
    });
    const keepAliveIdle: number | false = opts.tcp_keepalive ? opts.tcp_keepalive_idle : false;
    const reconnect = { reconnectInitialMs: opts.recon_default / 4, reconnectMaxMs: opts.recon_max, keepAliveIdle };
    const reconnectMaxMs = Math.min(opts.recon_max, 5000);
    this.#newReq = () => {
      const req = sockets.req({ ...reconnect, reconnectMaxMs, sendHighWaterMark: 0, lingerMs: 0 });
      req.connect(this.address);
      return req;
    };
    this.#req = this.#newReq();
    this.#sub = sockets.sub({ ...reconnect, receiveHighWaterMark: 0 });
    let before = false;
    this.#req.onConnect(() => {
      if (before && !this.#closing.signal.aborted) this.#options.onReturn?.();
      before = true;
    });
    this.requests = new RequestClient({
      crypto,
      clock,
      log: this.#log,
      auth: this.#auth,
      identity,
      exchange: (bytes, how) => this.#exchange(bytes, how),
      signIn: () => this.signIn(),
      signMessages: opts.minion_sign_messages,
    });
    const topics = new Set(["broadcast", publicationTopic(crypto, identity.id)]);
    const reader = new PublicationReader({
      crypto,
      log: this.#log,
      signedIn: () => this.#auth.signedIn,
      signIn: () => this.signIn(),
      requireSignature: opts.sign_pub_messages,
      topics,
    });
    if (opts.zmq_filtering) { for (const topic of topics) this.#sub.subscribe(topic); }
    else this.#sub.subscribe("");
    // In order: a publication that makes us sign in again must not be overtaken by the next one.
    let last: Promise<void> = Promise.resolve();
    this.#sub.onMessage((frames) => {
      const read = reader.read(frames);
      last = last.then(async () => {
        const load = await read;
        if (load !== undefined && !this.#closing.signal.aborted) this.#options.onPublication(load);
      }).catch((error) => this.#log.error("publication could not be handled", { error: messageOf(error) }));
    });
  }

  /** One request after the other, but for pieces of files: the master prepares one while another is on its way. */
  async #exchange(bytes: Uint8Array, how: Parameters<Exchange>[1]): Promise<Uint8Array> {
    if (how.bulk === true && this.#asking > 0) {
      this.#bulk ??= this.#newReq();
      return (await this.#bulk.request(bytes, how))[0]!;
    }
    this.#asking++;
    try {
      return (await this.#req.request(bytes, how))[0]!;
    } finally {
      this.#asking--;
    }
  }

  /** The master is Brine's; false until it has let us in. */
  get isBrine(): boolean {
    return this.#auth.signedIn?.isBrine === true;
  }

  /** For a process that sends requests of its own; another session than that of the key `stale`. */
  async session(stale?: string): Promise<JobSession> {
    const known = this.#auth.signedIn;
    const { session } = known === undefined || known.session.keyString === stale ? await this.signIn() : known;
    const { id, proof, algorithms } = this.#auth;
    return { address: this.address, id, key: session.keyString, proof, algorithms };
  }

  /** What has kept us from signing in so far. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Signs in, waits for the key to be accepted, and listens to publications. */
  async open(): Promise<void> {
    await this.#listen(await this.signIn());
  }

  /** Signs in to the master anew; calls at the same time share one attempt. */
  signIn(): Promise<SignedIn> {
    this.#signingIn ??= this.#signIn().finally(() => this.#signingIn = undefined);
    return this.#signingIn;
  }

  async #listen(signedIn: SignedIn): Promise<void> {
    const port = this.#options.publishPort ?? signedIn.publishPort;
    if (this.#subscribedPort === port) return;
    this.#subscribedPort = port;
    const { log } = this.#options;
    const connected = deferred<void>();
    this.#sub.onConnect(() => {
      connected.resolve();
      this.#options.onState?.(true);
    });
    this.#sub.onDisconnect(() => {
      if (this.#closing.signal.aborted) return;
      log.info("connection to the publisher lost");
      this.#options.onState?.(false);
    });
    this.#sub.connect(uri(this.#options.master.host, port));
    const aborted = deferred<void>();
    this.#closing.signal.addEventListener("abort", () => aborted.reject(this.#closing.signal.reason), { once: true });
    await Promise.race([connected.promise, aborted.promise]);
  }

  async #signIn(): Promise<SignedIn> {
    const { opts, runtime } = this.#options;
    const { signal } = this.#closing;
    const waitMs = opts.acceptance_wait_time * 1000;
    const longestMs = Math.max(waitMs, opts.acceptance_wait_time_max * 1000);
    let announced = "";
    const say = (message: string, fields: Record<string, unknown> = {}) => {
      this.#trouble = typeof fields.reason === "string" ? fields.reason : message;
      // Once, not with every try: a fleet that waits for a day must not fill its disks.
      if (announced !== message) this.#log.warning(message, { master: this.address, ...fields });
      announced = message;
    };
    for (let attempt = 0, timeouts = 0;; attempt++) {
      signal.throwIfAborted();
      let wait = Math.min(longestMs, waitMs * 2 ** Math.min(attempt, opts.acceptance_wait_time_max > 0 ? 16 : 0));
      try {
        const request = this.#auth.request();
        const [reply] = await this.#req.request(request.bytes, { timeoutMs: opts.auth_timeout * 1000, signal });
        const outcome = this.#auth.outcome(reply!, request);
        switch (outcome.state) {
          case "accepted":
            this.#log.info("signed in to the master", { master: this.address });
            return outcome.signedIn;
          case "pending":
            say(`the master has our key but has not accepted it: accept it there with salt-key -a ${this.#auth.id}`);
            break;
          case "full":
            say("the master has as many minions, or keys that wait, as it may have (max_minions, max_pending_keys)");
            break;
          case "later":
            this.#log.info("the master lets in many at once, our turn comes later", { ms: outcome.afterMs });
            wait = outcome.afterMs;
            break;
          case "rejected":
            if (!opts.rejected_retry) {
              throw new RejectedError(
                `The master has rejected the key of "${this.#auth.id}". If that is wrong: salt-key -d ${this.#auth.id} on the ` +
                  "master, then start the minion again",
                77,
              );
            }
            say("the master has rejected our key");
        }
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof RejectedError) throw error;
        if (error instanceof MasterKeyError) {
          if ("expected" in error) throw new RejectedError(error.message, 42);
          say(error.message);
        } else {
          say("cannot sign in to the master, trying on", { reason: messageOf(error) });
          // Nobody there: soon again at first, since masters are restarted, then ever more slowly.
          wait = Math.min(
            wait,
            backoffDelay(timeouts++, { initialMs: 200, maxMs: Math.max(wait, 200) }, runtime.random()),
          );
        }
      }
      await runtime.clock.sleep(wait, signal);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new SaltError("CLOSED", "The connection to the master is closed"));
    await Promise.all([this.#sub.close(), this.#req.close(), this.#bulk?.close()]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
