import type { BatchEvent } from "../../../client/batch.ts";
import type { Credentials, Previewed, Published, PublishRequest } from "../../../client/publish_request.ts";
import type { CollectOptions } from "../../../client/job_collector.ts";
import type { Outcome } from "../../../client/outcome.ts";
import type { RunnerJob, RunnerRequest } from "../../../client/runner.ts";
import type { TokenRecord } from "../../../client/tokens.ts";
import type { WheelRequest, WheelResult } from "../../../client/wheel.ts";
import type { BusEvent } from "../../../model/event/bus.ts";

/**
 * The functions of a master that the gateway uses. Each request carries a caller's credentials, and the master decides what
 * the caller may do.
 *
 * Every method MUST throw {@link MasterDownError} instead of waiting when the master cannot be reached, and
 * {@link RefusedError} when the master refuses. A second disposal MUST be harmless; afterwards no listener is called.
 */
export interface Backend extends AsyncDisposable {
  /** False while the master cannot be reached. */
  readonly up: boolean;
  /** True for a Brine master, which sends live output. */
  readonly isBrine: boolean;
  /**
   * The state of the master's cluster: the number of masters, and whether this one can use the storage, the bus, and its lease. Undefined
   * without a cluster, or if the state is unknown. The call is cheap, since any caller may request it.
   */
  cluster?(): Promise<{ masters: number; storage: boolean; bus: boolean; lease: boolean } | undefined>;
  /**
   * Makes an eauth token. Undefined if the credentials are not valid.
   *
   * @param session a second name by which {@link Backend.token} finds the token, if the master supports that
   */
  login(credentials: Credentials, session?: string): Promise<TokenRecord | undefined>;
  /** The record of an eauth token, by its token or second name. Undefined if it is unknown, expired or revoked. */
  token(token: string): Promise<TokenRecord | undefined>;
  /** Revokes an eauth token, if the master can (a Salt master cannot). Never rejects. */
  revoke(token: string): Promise<void>;
  /** True if the owner of an eauth token may read every event, by the master's rules. False if the token is not valid. */
  mayReadAllEvents(owner: TokenRecord): Promise<boolean>;
  /** Publishes a job. Undefined if no minion matches. */
  publish(request: PublishRequest): Promise<Published | undefined>;
  /** The minions that {@link Backend.publish} would publish a request for; undefined if this master has no previews. */
  preview(request: PublishRequest): Promise<Previewed | undefined>;
  /** Runs a job and yields the outcome of each target; returns undefined if no minion matches. */
  run(request: PublishRequest, options: CollectOptions): AsyncGenerator<Outcome, Published | undefined>;
  /**
   * Runs a job on a limited number of minions at once.
   *
   * @param size a number or a percentage as text
   */
  batch(request: PublishRequest, options: CollectOptions & { size: string }): AsyncGenerator<BatchEvent>;
  /** Ids of at most `count` minions of the target that have the function, chosen at random. */
  subset(request: PublishRequest, count: number, options: CollectOptions): Promise<string[]>;
  /** Starts a runner without waiting for its end. */
  startRunner(request: RunnerRequest): Promise<RunnerJob>;
  /**
   * Runs a runner to its end.
   *
   * @throws {TimeoutError}
   */
  runner(
    request: RunnerRequest,
    options: { timeoutMs: number; signal?: AbortSignal },
  ): Promise<{ tag: string; data: Record<string, unknown> }>;
  /** Runs a wheel function to its end. */
  wheel(request: WheelRequest): Promise<WheelResult>;
  /** Fires an event on the master's bus. */
  fire(tag: string, data: Record<string, unknown>): Promise<void>;
  /** Calls a listener with every event of the master's bus, also after its restarts; the returned function removes the listener. */
  onEvent(listener: (event: BusEvent) => void): () => void;
}
