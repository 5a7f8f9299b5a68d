/** The program `salt-api`: serves the HTTP API of the master on this host. */
import { durableRuntime } from "../../src/model/config/durability.ts";
import { joinPath } from "../../src/base/paths.ts";
import type { MasterOpts } from "../../src/model/config/master_opts.ts";
import { messageOf } from "../../src/base/errors.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { Logger } from "../../src/base/log.ts";
import type { Port } from "../daemon/check/check_ports.ts";
import { fatal, type Finding, wrong } from "../daemon/check/finding.ts";
import type { Daemon, Service } from "../daemon/daemon.ts";
import { runDaemon } from "../daemon/run_daemon.ts";
import { openTelemetry } from "../daemon/telemetry/open_telemetry.ts";
import type { ApiServer } from "./api/api_server.ts";
import type { ProgramContext } from "../program/context.ts";
import { Exit } from "../program/exit.ts";

/** Exit code EX_CONFIG of sysexits.h: it tells a service manager that a restart would not help. */
const NOT_CONFIGURED = 78;

/** Possible paths of the built console, relative to this file: in the tree, the package, a bundle, and a single-file program. */
const CONSOLES = ["./console", "../../dist/console", "../../console", "../console", "../../../console"];

function consoleDir(runtime: Runtime): string | undefined {
  const paths = CONSOLES.map((path) => decodeURIComponent(new URL(path, import.meta.url).pathname));
  return paths.find((path) => runtime.fs.stat(joinPath(path, "index.html"))?.kind === "file");
}

/** The path of the log or pid file: the option's value, or the default below the master's root. */
export function rooted(opts: Record<string, unknown>, set: unknown, otherwise: string): unknown {
  return set ?? joinPath(String(opts.root_dir), otherwise.replace(/^\/+/, ""));
}

/** Runs `salt-api` until a signal stops it. */
export async function apiMain(context: ProgramContext): Promise<number> {
  return await runDaemon(context, await apiDaemon(context));
}

/** The HTTP gateway as a daemon. */
export async function apiDaemon(context: ProgramContext): Promise<Daemon> {
  const { options, explicit } = context;
  const [{ MASTER_OPTIONS }, { commonChecks }] = await Promise.all([
    import("../../src/model/config/master_opts.ts"),
    import("../daemon/check/shared_checks.ts"),
  ]);
  return {
    program: "salt-api",
    kind: "master",
    table: MASTER_OPTIONS,
    // The gateway has its own log file.
    files: (opts) => ({
      log_file: String(
        explicit.has("log_file") ? options.log_file : rooted(opts, opts.api_logfile, "var/log/salt/api"),
      ),
      pidfile: String(
        explicit.has("pidfile") ? options.pidfile : rooted(opts, opts.api_pidfile, "var/run/salt-api.pid"),
      ),
    }),
    // The master's directories are used: nothing has to be created.
    directories: [],
    checks: [...commonChecks("master"), ({ opts }, runtime) => checkApi(runtime, opts)],
    place: async ({ opts }) => ({ ports: await apiPorts(opts) }),
    start: ({ opts }, log) => startApi(context.runtime, opts, log),
  };
}

/** Checks the sections of the configuration, and their certificates. */
async function checkApi(runtime: Runtime, opts: Record<string, unknown>): Promise<Finding[]> {
  const [{ configured, FLAVOURS, gatewaySettings }, { readPair }, { checkWsgi }] = await Promise.all([
    import("../../src/host/gateway/mod.ts"),
    import("./api/certificate.ts"),
    import("../daemon/check/check_master.ts"),
  ]);
  const findings: Finding[] = [...checkWsgi(opts)];
  const flavours = FLAVOURS.filter((flavour) => configured(opts, flavour));
  if (flavours.length === 0) findings.push(wrong("rest_cherrypy and rest_tornado are missing", "add one of them"));
  for (const flavour of flavours) {
    try {
      const { tls } = gatewaySettings(opts, flavour);
      if (tls !== undefined) readPair(runtime, tls);
    } catch (error) {
      findings.push(fatal(`${flavour}: ${messageOf(error).replace(`${flavour}: `, "")}`));
    }
  }
  return findings;
}

/** The ports that the gateway would use. */
async function apiPorts(opts: Record<string, unknown>): Promise<Port[]> {
  const { configured, FLAVOURS, gatewaySettings } = await import("../../src/host/gateway/mod.ts");
  return FLAVOURS.filter((flavour) => configured(opts, flavour)).flatMap((flavour) => {
    try {
      const { host, port } = gatewaySettings(opts, flavour);
      return [{ option: `${flavour}: port`, host, port }];
    } catch {
      // checkApi reports the mistake.
      return [];
    }
  });
}

/** Starts a server for each section of the configuration. @throws {Exit} if there is no section */
async function startApi(runtime: Runtime, opts: Record<string, unknown>, log: Logger): Promise<Service> {
  const [{ configured, FLAVOURS, gatewaySettings, masterBackend }, { startApiServer }] = await Promise.all([
    import("../../src/host/gateway/mod.ts"),
    import("./api/api_server.ts"),
  ]);
  const flavours = FLAVOURS.filter((flavour) => configured(opts, flavour));
  if (flavours.length === 0) {
    log.critical(
      `Cannot start salt-api: ${opts.conf_file} has neither rest_cherrypy nor rest_tornado. Add one of these sections (docs/api.md)`,
    );
    throw new Exit(NOT_CONFIGURED);
  }
  const settings = flavours.map((flavour) => gatewaySettings(opts, flavour));
  const telemetry = await openTelemetry({ runtime, log, program: "salt-api", opts, option: "api_metrics" });
  const { tracer } = telemetry;
  const backend = masterBackend({ runtime, log: log.child("master"), opts: opts as MasterOpts, tracer });
  const [durable, cacheDir, found] = [durableRuntime(runtime, opts), String(opts.cachedir), consoleDir(runtime)];
  const servers: ApiServer[] = [];
  const close = async () => {
    for (const server of servers) server.drain();
    await Promise.all(servers.map((server) => server.close()));
    await backend[Symbol.asyncDispose]();
    await telemetry.close();
  };
  try {
    for (const one of settings) {
      const parts = {
        runtime: durable,
        log,
        settings: one,
        servers: settings.length,
        backend,
        cacheDir,
        consoleDir: found,
        telemetry,
      };
      servers.push(await startApiServer(parts));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { status: () => statusOf(servers, backend.up), [Symbol.asyncDispose]: close };
}

/** The gateway's own part of the status report. */
function statusOf(servers: readonly ApiServer[], connected: boolean): Record<string, unknown> {
  const parts = servers.map((one) => one.status());
  const sum = (name: string) => parts.reduce((total, part) => total + Number(part[name] ?? 0), 0);
  return {
    connections: { master: connected ? 1 : 0, listeners: sum("listeners") },
    queues: {},
    jobs: {},
    requests: { total: sum("requests"), in_progress: sum("requests_in_progress") },
    sessions: sum("sessions"),
    servers: parts,
  };
}
