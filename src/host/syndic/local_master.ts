import { abortable } from "../../base/async/within.ts";
import { backoffDelay } from "../../base/async/backoff.ts";
import { LocalClient } from "../../client/local_client.ts";
import type { Published, PublishRequest } from "../../client/publish_request.ts";
import type { MasterOpts } from "../../model/config/master_opts.ts";
import { messageOf } from "../../base/errors.ts";
import type { BusEvent } from "../../model/event/bus.ts";
import type { JobCache } from "../../model/job/job_cache.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Transport } from "../../protocol/transport/transport.ts";

interface LocalMasterOptions {
  runtime: Runtime;
  log: Logger;
  opts: MasterOpts;
  sockets?: Transport;
  /** Opens the job cache of the local master; it is only read. @param isBrine false for a Salt master */
  openJobs(isBrine: boolean): Promise<JobCache>;
  onEvent(event: BusEvent): void;
  /** Called when the master's event bus is connected, for the first time or again: events may have been missed. */
  onConnected(): void;
}

/** The longest pause between attempts to reach the master, in milliseconds. */
const MAX_PAUSE_MS = 5000;

/** The connection to the master on this host, Brine's or Salt's, while the syndic runs: the master may come and go. */
export class LocalMaster implements AsyncDisposable {
  readonly #options: LocalMasterOptions;
  readonly #closing = new AbortController();
  #client: LocalClient | undefined;
  #jobs: JobCache | undefined;
  #running: Promise<void> | undefined;
  #generation = 0;

  constructor(options: LocalMasterOptions) {
    this.#options = options;
  }

  /** Connects to the master, again whenever it was away. */
  start(): void {
    this.#running ??= this.#run();
  }

  get isConnected(): boolean {
    return this.#client !== undefined;
  }

  /** The number of the present connection: while it stays the same, no event was missed. 0 while there is none. */
  get generation(): number {
    return this.#client === undefined ? 0 : this.#generation;
  }

  /** True if the master is Brine's; false until it was reached. */
  get isBrine(): boolean {
    return this.#client?.isBrine === true;
  }

  /** The local master's job cache; undefined before the first connection. */
  get jobs(): JobCache | undefined {
    return this.#jobs;
  }

  /**
   * Publishes a job; undefined if no minion matches.
   *
   * @throws {ClientError} `MASTER_DOWN` while the master is away; otherwise like {@link LocalClient.publish}
   */
  async publish(request: PublishRequest): Promise<Published | undefined> {
    if (this.#client === undefined) throw new Error("The local master is not running");
    return await this.#client.publish(request);
  }

  async #run(): Promise<void> {
    const { runtime: { clock, random }, log, opts } = this.#options;
    const { signal } = this.#closing;
    for (let failures = 0; !signal.aborted;) {
      try {
        await this.#connect();
        failures = 0;
        log.info("connected to the local master", { brine: this.isBrine });
        this.#options.onConnected();
        await abortable(this.#client!.lost, signal);
      } catch (error) {
        if (signal.aborted) break;
        if (this.#client !== undefined || failures === 0) {
          log.warning("the local master cannot be reached, trying again", {
            sock_dir: opts.sock_dir,
            reason: messageOf(error),
          });
        }
      }
      await this.#disconnect();
      const pauseMs = backoffDelay(failures++, { initialMs: 200, maxMs: MAX_PAUSE_MS }, random());
      await clock.sleep(pauseMs, signal).catch(() => {});
    }
    await this.#disconnect();
  }

  async #connect(): Promise<void> {
    const { runtime, log, opts, sockets, openJobs, onEvent } = this.#options;
    const client = await LocalClient.open({
      runtime,
      log: log.child("client"),
      opts,
      checked: false,
      requestTimeoutMs: 10_000,
      ...(sockets === undefined ? {} : { sockets }),
    });
    client.onEvent(onEvent);
    try {
      this.#jobs ??= await openJobs(client.isBrine);
    } catch (error) {
      await client.close();
      throw error;
    }
    this.#client = client;
    this.#generation++;
  }

  async #disconnect(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error("The syndic is stopping"));
    await this.#running;
    await this.#jobs?.close();
  }
}
