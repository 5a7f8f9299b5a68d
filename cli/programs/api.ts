import { durableRuntime } from "../../src/config/durability.ts";
import { joinPath } from "../../src/config/paths.ts";
import type { MasterOpts } from "../../src/config/master_opts.ts";
import { ConfigError, messageOf } from "../../src/errors.ts";
import type { Logger } from "../../src/log.ts";
import type { GatewaySettings } from "../../src/gateway/mod.ts";
import type { HttpServer, Runtime, TlsPair } from "../../src/runtime/mod.ts";
import { claimPidFile, daemonLogger, goToBackground, stopSignal, surviveMishaps } from "../daemon/daemon.ts";
import { answerSignals } from "../daemon/signals.ts";
import type { ProgramContext } from "../program/context.ts";
import { readConfig } from "../program/read_config.ts";

/** Between two looks whether a certificate's files have changed, in milliseconds. */
const CERTIFICATE_MS = 30_000;

function readPair(runtime: Runtime, { cert, key, chain }: NonNullable<GatewaySettings["tls"]>): TlsPair {
  const parts = [cert, ...(chain === undefined ? [] : [chain])].map((path) => runtime.fs.readText(path));
  return { cert: parts.join("\n"), key: runtime.fs.readText(key) };
}

/** Serves a renewed certificate without a restart: soon after its files have changed, and at once on SIGHUP. */
function followCertificate(runtime: Runtime, settings: GatewaySettings, server: HttpServer, log: Logger): () => void {
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
        () => log.info("the certificate was loaded anew", { cert: tls.cert }),
        (error) => log.error("the certificate could not be loaded anew", { error: messageOf(error) }),
      );
    } catch (error) {
      log.error("the certificate could not be read", { error: messageOf(error) });
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

/** Where the built console is, seen from this file in the tree, in the package, and in a bundle. */
const CONSOLES = ["../../dist/console", "../../console", "../console", "../../../console"];

function consoleDir(runtime: Runtime): string | undefined {
  const paths = CONSOLES.map((path) => decodeURIComponent(new URL(path, import.meta.url).pathname));
  return paths.find((path) => runtime.fs.stat(joinPath(path, "index.html"))?.kind === "file");
}

/** A path of the log or pid file that nobody has set, below the master's root. */
export function rooted(opts: Record<string, unknown>, set: unknown, otherwise: string): unknown {
  return set ?? joinPath(String(opts.root_dir), otherwise.replace(/^\/+/, ""));
}

export async function apiMain(context: ProgramContext): Promise<number> {
  const { runtime, options, explicit } = context;
  const [{ MASTER_OPTIONS }, { configured, createGateway, FLAVOURS, gatewaySettings, masterBackend }] = await Promise
    .all([
      import("../../src/config/master_opts.ts"),
      import("../../src/gateway/mod.ts"),
    ]);
  const { opts } = await readConfig(context, "master", MASTER_OPTIONS, true);
  const flavours = FLAVOURS.filter((flavour) => configured(opts, flavour));
  if (flavours.length === 0) {
    throw new ConfigError("The master's configuration has neither rest_cherrypy nor rest_tornado: nothing to serve");
  }
  const settings = flavours.map((flavour) => gatewaySettings(opts, flavour));
  if (options.daemon === true) goToBackground(runtime);
  // The log of the gateway is a file of its own.
  const logFile = explicit.has("log_file") ? options.log_file : rooted(opts, opts.api_logfile, "var/log/salt/api");
  const log = daemonLogger(context, { ...opts, log_file: logFile });
  surviveMishaps(log);
  const pidFile = explicit.has("pidfile") ? options.pidfile : rooted(opts, opts.api_pidfile, "var/run/salt-api.pid");
  const releasePid = claimPidFile(runtime, String(pidFile), "salt-api", log);
  const durable = durableRuntime(runtime, opts);
  const backend = masterBackend({ runtime, log: log.child("master"), opts: opts as MasterOpts });
  const running: { server: HttpServer; stop(): void; status(): Record<string, unknown>; drainMs: number }[] = [];
  try {
    for (const one of settings) {
      const gateway = createGateway({
        runtime: durable,
        settings: one,
        backend,
        log: log.child(one.flavour),
        stateDir: joinPath(String(opts.cachedir), "saltapi"),
        consoleDir: consoleDir(runtime),
      });
      const { host, port, backlog, tls, headTimeoutMs } = one;
      const server = await runtime.http.serve(gateway.fetch, {
        host,
        port,
        backlog,
        headTimeoutMs,
        ...(tls === undefined ? {} : { tls: readPair(runtime, tls) }),
      });
      log.info("listening", { flavour: one.flavour, host, port: server.port, tls: tls !== undefined });
      const unfollow = followCertificate(runtime, one, server, log);
      running.push({
        server,
        stop() {
          unfollow();
          gateway.drain();
        },
        status: () => ({ flavour: one.flavour, host, port: server.port, ...gateway.status() }),
        drainMs: one.drainMs,
      });
    }
    answerSignals({
      runtime,
      log,
      program: "salt-api",
      directory: String(opts.cachedir),
      status: () => ({ servers: running.map((one) => one.status()) }),
    });
    const signal = await stopSignal(runtime);
    log.info("stopping", { signal });
  } finally {
    for (const { stop } of running) stop();
    await Promise.all(running.map(({ server, drainMs }) => server.close(drainMs)));
    await backend[Symbol.asyncDispose]();
    releasePid();
  }
  return 0;
}
