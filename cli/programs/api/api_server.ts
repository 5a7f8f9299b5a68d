import { joinPath } from "../../../src/base/paths.ts";
import { createGateway, type GatewaySettings, type masterBackend } from "../../../src/host/gateway/mod.ts";
import { isProxy } from "../../../src/host/gateway/requests/client_address.ts";
import type { Logger } from "../../../src/base/log.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import type { Telemetry } from "../../../src/base/telemetry/mod.ts";
import { descriptorsForOthers } from "../../../src/runtime/descriptors.ts";
import { followCertificate, readPair } from "./certificate.ts";

interface ApiServerOptions {
  runtime: Runtime;
  log: Logger;
  settings: GatewaySettings;
  /** Number of servers that share the descriptors of this process. */
  servers: number;
  backend: ReturnType<typeof masterBackend>;
  /** The master's `cachedir`, which also holds the gateway's state. */
  cacheDir: string;
  /** Directory of the built console; undefined without a console. */
  consoleDir: string | undefined;
  telemetry: Telemetry;
}

export interface ApiServer {
  status(): Record<string, unknown>;
  /** Stops accepting requests, and ends streams. */
  drain(): void;
  /** Closes idle connections, and after the drain time all others. */
  close(): Promise<void>;
}

/** Starts a server of the HTTP API in one flavour. @throws {SystemError} naming the port or file that cannot be used */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { runtime, log, settings, backend, cacheDir, consoleDir, telemetry } = options;
  const { flavour, host, port, backlog, tls, headTimeoutMs, trustedProxies } = settings;
  const stateDir = joinPath(cacheDir, "saltapi");
  const parts = { runtime, settings, backend, stateDir, consoleDir, telemetry };
  const gateway = createGateway({ ...parts, log: log.child(flavour) });
  const server = await runtime.http.serve(gateway.fetch, {
    host,
    port,
    backlog,
    headTimeoutMs,
    connections: {
      most: settings.maxConnections,
      mostOfOne: settings.maxConnectionsPerAddress,
      descriptors: descriptorsForOthers(runtime.fs) / options.servers,
      isShared: (address) => isProxy(address, trustedProxies),
    },
    ...(tls === undefined ? {} : { tls: readPair(runtime, tls) }),
  });
  log.info("listening", { flavour, host, port: server.port, tls: tls !== undefined });
  const unfollow = followCertificate(runtime, settings, server, log);
  return {
    status: () => ({ flavour, host, port: server.port, ...gateway.status() }),
    drain() {
      unfollow();
      gateway.drain();
    },
    close: () => server.close(settings.drainMs),
  };
}
