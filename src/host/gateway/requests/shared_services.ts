import type { Clock } from "../../../base/async/clock.ts";
import { joinPath } from "../../../base/paths.ts";
import { hex } from "../../../protocol/crypto/hex.ts";
import type { Logger } from "../../../base/log.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { type Meter, METRICS } from "../../../base/telemetry/mod.ts";
import { FailedAttempts } from "../auth/failed_attempts.ts";
import { Identities } from "../auth/identities.ts";
import { Jwts } from "../auth/jwt.ts";
import { Sessions } from "../auth/sessions.ts";
import type { Backend } from "../backend/backend.ts";
import type { OpenBackend } from "../backend/guarded_backend.ts";
import { EventHub } from "../events/event_hub.ts";
import type { GatewaySettings } from "../settings.ts";
import { Statistics } from "../statistics.ts";
import { ArrivingBodies } from "../wire/receive_body.ts";

export interface Services {
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: GatewaySettings;
  /** The methods of the master that need no credential; all others are called through {@link Call.backend}. */
  readonly open: OpenBackend;
  readonly sessions: Sessions;
  readonly hub: EventHub;
  readonly statistics: Statistics;
  readonly attempts: FailedAttempts;
  readonly identities: Identities;
  readonly arriving: ArrivingBodies;
  /** True once the gateway is stopping. */
  draining(): boolean;
  readonly consoleDir: string | undefined;
}

interface ServicesOptions {
  runtime: Runtime;
  log: Logger;
  settings: GatewaySettings;
  backend: Backend;
  stateDir: string | undefined;
  consoleDir: string | undefined;
  draining(): boolean;
  meter: Meter;
}

/** Creates the shared services of a gateway. Subscribes to the master's events, until {@link EventHub.close}. */
export function createServices(options: ServicesOptions): Services {
  const { runtime, log, settings, backend, stateDir, consoleDir, draining, meter } = options;
  const { clock, crypto } = runtime;
  const sessions = new Sessions(clock, crypto);
  const logins = meter.counter(METRICS.httpLogins);
  const attempts = new FailedAttempts(
    clock,
    crypto,
    settings.loginAttempts,
    undefined,
    (result) => logins.add(1, result),
  );
  const jwts = createJwts(runtime, settings, stateDir);
  return {
    runtime,
    clock,
    log,
    settings,
    open: backend,
    sessions,
    hub: new EventHub({
      backend,
      clock,
      history: settings.eventHistory,
      listenerBytes: settings.listenerBytes,
      boot: hex(crypto.randomBytes(4)),
    }),
    statistics: new Statistics(clock, settings.collectStats, `('${settings.host}', ${settings.port})`),
    attempts,
    identities: new Identities({ clock, crypto, settings, backend, sessions, jwts, attempts }),
    arriving: new ArrivingBodies(),
    consoleDir,
    draining,
  };
}

function createJwts(
  { clock, crypto, fs }: Runtime,
  { jwt }: GatewaySettings,
  stateDir: string | undefined,
): Jwts | undefined {
  if (jwt === undefined) return undefined;
  const directory = stateDir ?? "/nonexistent";
  return new Jwts({
    clock,
    crypto,
    fs,
    path: joinPath(directory, "jwt_keys.json"),
    familiesPath: joinPath(directory, "jwt_families"),
    keep: stateDir !== undefined,
    ...jwt,
  });
}
