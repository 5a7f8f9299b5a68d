import type { BatchEvent } from "../../../client/batch.ts";
import type { Credentials } from "../../../client/credentials.ts";
import type { CollectOptions } from "../../../client/job_collector.ts";
import type { Outcome } from "../../../client/outcome.ts";
import type { Previewed, Published, PublishRequest } from "../../../client/publish_request.ts";
import type { RunnerJob, RunnerRequest } from "../../../client/runner.ts";
import type { TokenRecord } from "../../../client/tokens.ts";
import type { WheelRequest, WheelResult } from "../../../client/wheel.ts";
import type { BusEvent } from "../../../model/event/bus.ts";

/**
 * All that the gateway needs of a master. Each request carries a caller's credentials, and the master decides what that
 * caller may do.
 *
 * Every method MUST throw {@link MasterDownError} instead of waiting when the master cannot be reached, and
 * {@link RefusedError} when the master refuses. Disposing it twice MUST be harmless; afterwards no listener is called.
 */
export interface Backend extends AsyncDisposable {
  /** False while the master cannot be reached. */
  readonly up: boolean;
  /** True for a Brine master, which sends live output. */
  readonly isBrine: boolean;
  /**
   * How the master's cluster stands: how many masters there are, and whether this one can use the storage, the bus, and its lease. Undefined
   * without a cluster, or where it cannot be known. Cheap, since anybody may ask.
   */
  cluster?(): Promise<{ masters: number; storage: boolean; bus: boolean; lease: boolean } | undefined>;
  /**
   * Makes an eauth token. Undefined if the credentials are not valid.
   *
   * @param session a second name by which {@link Backend.token} finds it, where the master can
   */
  login(credentials: Credentials, session?: string): Promise<TokenRecord | undefined>;
  /** The record of an eauth token, by its token or second name. Undefined if it is unknown, expired or revoked. */
  token(token: string): Promise<TokenRecord | undefined>;
  /** Revokes an eauth token, if the master can: real Salt's cannot. Never rejects. */
  revoke(token: string): Promise<void>;
  /** Whether the owner of an eauth token may read every event; the master's rules decide. False if the token is not valid. */
  mayReadAllEvents(owner: TokenRecord): Promise<boolean>;
  /** Publishes a job. Undefined if no minion matches. */
  publish(request: PublishRequest): Promise<Published | undefined>;
  /** The minions that {@link Backend.publish} would publish this for; undefined if this master has no previews. */
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
  /** Calls a listener with every event of the master's bus, across its restarts; the returned function ends that. */
  onEvent(listener: (event: BusEvent) => void): () => void;
}
