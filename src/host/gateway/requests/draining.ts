import { HttpError, RETRY_AFTER } from "../wire/errors.ts";
import type { Call } from "./call.ts";
import type { Route } from "./route.ts";

/**
 * Refuses requests once the gateway is stopping; health and readiness are still answered.
 *
 * @throws {HttpError} 503
 */
export function refuseWhileDraining(route: Route | undefined, { services }: Call): void {
  if (!services.draining() || route?.extension === true) return;
  throw new HttpError(503, "The gateway is stopping", { "Retry-After": RETRY_AFTER, Connection: "close" });
}
