import type { BatchEvent } from "../../client/batch.ts";
import type { Credentials } from "../../client/credentials.ts";
import type { CollectOptions } from "../../client/job_collector.ts";
import type { Outcome } from "../../client/outcome.ts";
import type { Published, PublishRequest } from "../../client/publish_request.ts";
import type { RunnerJob, RunnerRequest } from "../../client/runner.ts";
import type { TokenRecord } from "../../client/tokens.ts";
import type { WheelRequest, WheelResult } from "../../client/wheel.ts";
import type { BusEvent } from "../../event/bus.ts";

/**
 * What the gateway needs of a master: everything that it does, it does through this. Each call is made in somebody's name,
 * and it is the master who decides whether that one may.
 *
 * Every method MUST throw {@link MasterDownError} rather than wait when there is no master, and {@link RefusedError} when
 * the master says no.
 */
export interface Backend extends AsyncDisposable {
  /** False while there is no master to talk to. */
  readonly up: boolean;
  /** True for a Brine master, which sends live output. */
  readonly isBrine: boolean;
  /** Undefined if the credentials do not hold. */
  login(credentials: Credentials): Promise<TokenRecord | undefined>;
  /** Undefined if the token is unknown or has expired. */
  token(token: string): Promise<TokenRecord | undefined>;
  /** Makes a token worthless, where the master knows how: real Salt's does not. Never rejects. */
  revoke(token: string): Promise<void>;
  /** Undefined if no minion matches. */
  publish(request: PublishRequest): Promise<Published | undefined>;
  /** Whom {@link Backend.publish} would publish this for; undefined if this master cannot be asked for that. */
  preview(request: PublishRequest): Promise<Pick<Published, "minions" | "missing"> | undefined>;
  /** Runs a job and yields the outcome of each target; returns undefined if no minion matches. */
  run(request: PublishRequest, options: CollectOptions): AsyncGenerator<Outcome, Published | undefined>;
  /**
   * Runs a job on a limited number of minions at once.
   *
   * @param size a number or a percentage as text
   */
  batch(request: PublishRequest, options: CollectOptions & { size: string }): AsyncGenerator<BatchEvent>;
  /** Ids of at most `count` of the target that have the function. */
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
  /** Puts an event on the master's bus. */
  fire(tag: string, data: Record<string, unknown>): Promise<void>;
  /** Every event of the master's bus, across restarts of the master; the returned function ends it. */
  onEvent(listener: (event: BusEvent) => void): () => void;
}
