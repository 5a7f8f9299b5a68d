import type { Clock } from "../base/async/clock.ts";
import type { JobSource } from "./job_collector.ts";
import type { Previewed, Published, PublishRequest } from "./publish_request.ts";
import type { CallOptions, Salt } from "./salt.ts";

/** The connection that the verbs of {@link Salt} use: to a master on this host, or over HTTP. */
export interface SaltLink extends JobSource, Pick<Salt, "runner" | "wheel"> {
  /** The clock for waits. */
  readonly clock: Clock;
  publish(request: PublishRequest, options?: CallOptions): Promise<Published | undefined>;
  /** The minions that a request would be published for. @throws {ClientError} `NOT_BRINE` */
  preview(request: PublishRequest, options?: CallOptions): Promise<Previewed>;
  /** Resolves once the client listens: later events are not missed. @default the client listens already */
  listening?(signal?: AbortSignal): Promise<void>;
}
