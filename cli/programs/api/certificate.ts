import { messageOf } from "../../../src/base/errors.ts";
import type { GatewaySettings } from "../../../src/host/gateway/mod.ts";
import type { Logger } from "../../../src/base/log.ts";
import type { HttpServer, TlsPair } from "../../../src/runtime/http.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";

/** Interval of checks for changed certificate files, in milliseconds. */
const CERTIFICATE_MS = 30_000;

export function readPair(runtime: Runtime, { cert, key, chain }: NonNullable<GatewaySettings["tls"]>): TlsPair {
  const parts = [cert, ...(chain === undefined ? [] : [chain])].map((path) => runtime.fs.readText(path));
  return { cert: parts.join("\n"), key: runtime.fs.readText(key) };
}

/**
 * Uses a renewed certificate without a restart: within 30 s of a change of its files, and at once on SIGHUP.
 *
 * @returns stops the checks
 */
export function followCertificate(
  runtime: Runtime,
  settings: GatewaySettings,
  server: HttpServer,
  log: Logger,
): () => void {
  const { tls } = settings;
  if (tls === undefined) return () => {};
  const files = [tls.cert, tls.key, ...(tls.chain === undefined ? [] : [tls.chain])];
  const stamp = () => files.map((path) => runtime.fs.stat(path)?.mtimeMs ?? 0).join(" ");
  let seen = stamp();
  const reload = () => {
    try {
      const pair = readPair(runtime, tls);
      seen = stamp();
      server.reloadTls(pair).then(
        () => log.info("certificate reloaded", { cert: tls.cert }),
        (error) => log.error("certificate not reloaded: the server refused it", { error: messageOf(error) }),
      );
    } catch (error) {
      log.error("certificate not reloaded: its files cannot be read", { error: messageOf(error) });
    }
  };
  let timer = () => {};
  const look = () => {
    if (stamp() !== seen) reload();
    timer = runtime.clock.after(CERTIFICATE_MS, look);
  };
  timer = runtime.clock.after(CERTIFICATE_MS, look);
  const off = runtime.process.onSignal("SIGHUP", reload);
  return () => {
    timer();
    off();
  };
}
