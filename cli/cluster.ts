/** Opens the cluster of masters that the option `cluster` names. */
import { clusterSettings } from "../src/model/config/cluster.ts";
import { joinPath } from "../src/base/paths.ts";
import type { Logger } from "../src/base/log.ts";
import type { OpenCluster } from "../src/host/master/master_options.ts";
import { untilReached, type WaitingReach } from "../src/host/master/cluster/until_reached.ts";
import type { Runtime } from "../src/runtime/runtime.ts";
import type { Startup } from "./daemon/daemon.ts";

/** The file in which a master that waits for its cluster writes the reason, for `salt-doctor`. */
export function waitingFile(cachedir: string): string {
  return joinPath(cachedir, "cluster", "waiting");
}

/**
 * Opens what the masters of a cluster share; undefined without `cluster`, and then nothing is loaded. Waits for PostgreSQL as
 * long as it cannot be reached.
 *
 * @throws {ConfigError} if the option cannot be used; {SystemError} if PostgreSQL refuses the master, or `startup` aborts the
 * wait
 */
export async function openCluster(
  runtime: Runtime,
  opts: Record<string, unknown>,
  log: Logger,
  startup?: Startup,
): Promise<OpenCluster | undefined> {
  const settings = clusterSettings(opts);
  if (settings === undefined) return undefined;
  const [{ openPostgresLedger }, { openNatsWire }, { Buffer }] = await Promise.all([
    import("../src/plugins/ledger_storages/postgres.ts"),
    import("../src/plugins/cluster/nats_wire.ts"),
    import("node:buffer"),
  ]);
  const { clock, fs } = runtime;
  const { postgres, nats, name, leaseSeconds, tls } = settings;
  const text = (path: string | undefined) => path === undefined ? undefined : fs.readText(path);
  const pem = tls && Object.fromEntries(
    Object.entries({ ca: text(tls.ca), cert: text(tls.cert), key: text(tls.key) }).filter(([, pem]) =>
      pem !== undefined
    ),
  );
  const waiting = waitingAt(runtime, String(opts.cachedir), startup);
  const ledger = {
    url: postgres,
    clock,
    hex: (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex"),
    ...(pem === undefined ? {} : { tls: pem }),
  };
  const patience = { clock, log: log.child("cluster"), ...waiting };
  const storage = await untilReached(() => openPostgresLedger(ledger), patience);
  const { clusterOf } = await import("../src/host/master/cluster/cluster.ts");
  return clusterOf({
    storage,
    openWire: (random) =>
      openNatsWire({
        servers: nats,
        cluster: name,
        clock,
        log: log.child("cluster"),
        random,
        ...(tls === undefined ? {} : { tls }),
      }),
    name,
    leaseSeconds,
    waiting,
  });
}

/** Reports the reason for a wait to `salt-doctor`, and to the program that has started the daemon. */
function waitingAt({ fs }: Runtime, cachedir: string, startup: Startup | undefined): WaitingReach {
  const [directory, path] = [joinPath(cachedir, "cluster"), waitingFile(cachedir)];
  return {
    ...(startup === undefined ? {} : { stopping: startup.stopping }),
    told(reason) {
      if (reason === undefined) return fs.remove(path);
      startup?.waiting(reason);
      fs.mkdir(directory, 0o700);
      fs.write(path, reason, { mode: 0o600 });
    },
  };
}
