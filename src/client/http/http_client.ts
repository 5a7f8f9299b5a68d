import type { Published, PublishRequest } from "../publish_request.ts";
import type {
  AnyRunner,
  AnyWheel,
  FunctionReturn,
  Functions,
  RunnerReturn,
  WheelReturn,
} from "../functions/call_types.ts";
import { abortable } from "../../base/async/within.ts";
import type { CollectOptions } from "../job_collector.ts";
import { jobRun } from "../job_run.ts";
import { hasReturn, type Outcome } from "../outcome.ts";
import { checkCollectOptions } from "../publish_request.ts";
import { runJob } from "../run_job.ts";
import type {
  CallOptions,
  EventFeed,
  EventsOptions,
  JobRequest,
  JobRun,
  Jobs,
  Keys,
  Minions,
  RunnerCall,
  Salt,
  Targets,
  WheelCall,
} from "../salt.ts";
import { jobsOf } from "../verbs/jobs.ts";
import { keysOf } from "../verbs/keys.ts";
import { minionsOf } from "../verbs/minions.ts";
import { targetsOf } from "../verbs/targets.ts";
import { httpFeed } from "./http_feed.ts";
import { HttpLink } from "./http_link.ts";
import { checkOptions, type HttpOptions } from "./http_options.ts";

/**
 * A master that is reached over HTTP, through a salt-api: Brine's or real Salt's. It needs nothing but `fetch` and the other
 * standards of the web, so it works in browsers and workers as well. {@link connect} opens one.
 *
 * @example
 * ```ts
 * import { connect, type HttpClient } from "brine";
 *
 * export const open = (token: string): Promise<HttpClient> => connect("https://salt.example.com:8000", { token });
 * ```
 */
export class HttpClient implements Salt {
  readonly #link: HttpLink;
  /** Jobs that the master has on record. */
  readonly jobs: Jobs;
  /** The minions with an accepted key. */
  readonly minions: Minions;
  /** Keys of minions. */
  readonly keys: Keys;
  /** Targets without a job. */
  readonly targets: Targets;

  private constructor(link: HttpLink) {
    this.#link = link;
    this.jobs = jobsOf(link);
    this.minions = minionsOf(link);
    this.keys = keysOf(link);
    this.targets = targetsOf(link);
  }

  /**
   * Connects to a salt-api, and shows that it accepts the token or the login.
   *
   * @param url with its `root_prefix` if it has one: `https://salt.example.com:8000`
   * @throws {TypeError} for an address or an option that is none
   * @throws {ClientError} `INSECURE`, `AUTHENTICATION`, `UNREACHABLE`, `MASTER_DOWN`
   */
  static async open(url: string | URL, options: HttpOptions = {}): Promise<HttpClient> {
    checkOptions(options);
    const { token, signal } = options;
    signal?.throwIfAborted();
    const link = new HttpLink(url, options);
    try {
      await abortable(link.begin(token), signal);
    } catch (error) {
      // A login that went well must not stay behind; who waits for the error does not wait for that.
      void link.close();
      throw error;
    }
    return new HttpClient(link);
  }

  /** True if the master is Brine's, which keeps the outcome of every target of a job. */
  get isBrine(): boolean {
    return this.#link.isBrine;
  }

  /** Publishes a job and yields the outcome of each target; see {@link Salt.run}. */
  run<const Fun extends Functions>(
    request: JobRequest<Fun>,
    options: CollectOptions = {},
  ): JobRun<FunctionReturn<Fun>> {
    return jobRun(this.#run<FunctionReturn<Fun>>(request as PublishRequest, options));
  }

  /** The caller knows what the function returns. */
  async *#run<Return>(
    request: PublishRequest,
    options: CollectOptions,
  ): AsyncGenerator<Outcome<Return>, Published | undefined, void> {
    checkCollectOptions(options);
    const { signal } = options;
    const outcomes = runJob(this.#link, () => this.#link.publish(request, signal === undefined ? {} : { signal }), {
      options,
      credentials: request.credentials,
    });
    return yield* outcomes as AsyncGenerator<Outcome<Return>, Published | undefined, void>;
  }

  /** Runs a job to its end: id → return, without the targets that did not return. */
  async command<const Fun extends Functions>(
    request: JobRequest<Fun>,
    options: CollectOptions = {},
  ): Promise<Record<string, FunctionReturn<Fun> | string>> {
    const returns: [string, FunctionReturn<Fun> | string][] = [];
    for await (const outcome of this.run(request, options)) {
      if (hasReturn(outcome)) returns.push([outcome.id, outcome.return]);
    }
    // As a property that is set, the name "__proto__" would be something else.
    return Object.fromEntries(returns);
  }

  /**
   * Publishes a job and does not wait for it; undefined if no minion matches. To Brine's master it is sent again if need be,
   * under a job id of its own, so that it is run once.
   *
   * @throws {ClientError} beside those of every call, `REFUSED` with the master's message
   * @throws {TypeError} for keys and values that no master would understand, with the nearest right one
   */
  async publish<const Fun extends Functions>(
    request: JobRequest<Fun>,
    options: CallOptions = {},
  ): Promise<Published | undefined> {
    return await this.#link.publish(request as PublishRequest, options);
  }

  /** Calls a runner and waits for its end; see {@link Salt.runner}. */
  async runner<const Fun extends AnyRunner>(
    call: RunnerCall<Fun>,
    options: CallOptions = {},
  ): Promise<RunnerReturn<Fun>> {
    return await this.#link.runner(call, options);
  }

  /** Calls a wheel function; see {@link Salt.wheel}. */
  async wheel<const Fun extends AnyWheel>(
    call: WheelCall<Fun>,
    options: CallOptions = {},
  ): Promise<WheelReturn<Fun>> {
    return await this.#link.wheel(call, options);
  }

  /** The events of the master's bus, on a connection of their own. */
  events(options?: EventsOptions): EventFeed {
    return httpFeed(this.#link, options);
  }

  /** Ends the login, if it is the client's own, and its streams. Jobs that are running go on. */
  close(): Promise<void> {
    return this.#link.close();
  }

  /** The same as {@link HttpClient.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
