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
import { jobRun, returnsOf } from "../job_run.ts";
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
import { minionsOf, verbTargets } from "../verbs/minions.ts";
import { httpFeed } from "./http_feed.ts";
import { HttpLink } from "./http_link.ts";
import { checkOptions, type HttpOptions } from "./http_options.ts";

/**
 * A master that is reached over HTTP, through a salt-api of Brine or of Salt. The client needs only `fetch` and other web
 * standards, so it works in browsers and workers as well. {@link connect} opens one.
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
  /** Previews of targets, without a job. */
  readonly targets: Targets;

  private constructor(link: HttpLink) {
    this.#link = link;
    this.jobs = jobsOf(link);
    this.minions = minionsOf(link);
    this.keys = keysOf(link);
    this.targets = verbTargets(link);
  }

  /**
   * Connects to a salt-api, and checks that it accepts the token or the login.
   *
   * @param url the address, with its `root_prefix` if it has one: `https://salt.example.com:8000`
   * @throws {TypeError} for an invalid address or an unknown option
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
      // Ends a successful login, without waiting for it: the caller gets the error at once.
      void link.close();
      throw error;
    }
    return new HttpClient(link);
  }

  /** True if the master is Brine, which keeps the outcome of every target of a job. */
  get isBrine(): boolean {
    return this.#link.isBrine;
  }

  /** Publishes a job and yields the outcome of each target; see {@link Salt.run}. */
  run<const Fun extends Functions>(
    request: JobRequest<Fun>,
    options: CollectOptions = {},
  ): JobRun<FunctionReturn<Fun>> {
    const { signal } = options;
    const publish = async () => {
      checkCollectOptions(options);
      return await this.#link.publish(request as PublishRequest, signal === undefined ? {} : { signal });
    };
    return jobRun(runJob<FunctionReturn<Fun>>(this.#link, publish, { options, credentials: request.credentials }));
  }

  /** Runs a job to its end: id → return, without the targets that did not return. */
  async command<const Fun extends Functions>(
    request: JobRequest<Fun>,
    options: CollectOptions = {},
  ): Promise<Record<string, FunctionReturn<Fun> | string>> {
    return await returnsOf(this.run(request, options));
  }

  /**
   * Publishes a job and does not wait for it; undefined if no minion matches. A Brine master gets the request again if the answer is
   * lost: the client chooses the job id, so the job runs once.
   *
   * @throws {ClientError} as every call, and `REFUSED` with the master's message
   * @throws {TypeError} for keys and values that no master understands, with the nearest valid one
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

  /** The events of the master's bus, on a separate connection. */
  events(options?: EventsOptions): EventFeed {
    return httpFeed(this.#link, options);
  }

  /** Closes the streams, and ends the login unless the token was given. Running jobs continue. */
  close(): Promise<void> {
    return this.#link.close();
  }

  /** Calls {@link HttpClient.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
