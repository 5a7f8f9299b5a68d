import type { Clock } from "../base/async/clock.ts";
import type { JobSource } from "./job_collector.ts";
import type { Previewed, Published, PublishRequest } from "./publish_request.ts";
import type { CallOptions, Salt } from "./salt.ts";

/** What the verbs of {@link Salt} are made of, in either world. */
export interface SaltLink extends JobSource, Pick<Salt, "runner" | "wheel"> {
  /** The clock by which it waits. */
  readonly clock: Clock;
  publish(request: PublishRequest, options?: CallOptions): Promise<Published | undefined>;
  /** @throws {ClientError} `NOT_BRINE` */
  preview(request: PublishRequest, options?: CallOptions): Promise<Previewed>;
  /** Resolves once no event is missed that happens from then on. @default it listens already */
  listening?(signal?: AbortSignal): Promise<void>;
}
