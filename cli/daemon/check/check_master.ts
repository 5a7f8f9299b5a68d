/** Checks of a master's configuration. */
import { interfacesOf } from "../../../src/model/config/url.ts";
import { clusterSettings } from "../../../src/model/config/cluster.ts";
import type { MasterOpts } from "../../../src/model/config/master_opts.ts";
import type { FileSystem } from "../../../src/runtime/fs.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { telemetrySettings } from "../telemetry/settings.ts";
import { checkKeyPair } from "./check_keys.ts";
import { checkRoots, commonChecks, moduleChecks, transportCheck } from "./shared_checks.ts";
import type { Port } from "./check_ports.ts";
import { type Check, doubtful, fatal, type Finding, unlessItThrows } from "./finding.ts";

/** Checks for the start, for `--check` and for `salt-doctor`. */
export const MASTER_CHECKS: readonly Check[] = [
  ...commonChecks("master"),
  unlessItThrows(async ({ opts }) => (await import("../../job_caches.ts")).jobCacheName(opts as MasterOpts)),
  unlessItThrows(({ opts }) => clusterSettings(opts)),
  unlessItThrows(({ opts }, { fs }) => telemetrySettings(fs, opts)),
  async ({ opts }, { fs }) => (await import("./check_packages.ts")).checkPackages(opts as MasterOpts, fs),
  transportCheck(true),
  ...moduleChecks("master"),
  async ({ opts }) => (await import("./check_permissions.ts")).checkPermissions(opts as MasterOpts),
  ({ opts }) => checkTwoPorts(opts as MasterOpts),
  ({ opts }) => checkWsgi(opts),
  ({ opts }, { fs }) => checkSigningFiles(opts, fs),
];

/** What accepts and rejects keys without an operator. */
const SIGNING_FILES = { autosign_file: "file", autoreject_file: "file", autosign_grains_dir: "directory" } as const;

/** Files that are named and are not there accept and reject no key, and the master says nothing. */
function checkSigningFiles(opts: Record<string, unknown>, { stat }: Pick<FileSystem, "stat">): Finding[] {
  const kindOf = (path: string) => {
    try {
      return stat(path)?.kind;
    } catch {
      return undefined;
    }
  };
  return Object.entries(SIGNING_FILES).flatMap(([option, kind]) => {
    const path = opts[option];
    if (typeof path !== "string" || path === "" || kindOf(path) === kind) return [];
    return [
      doubtful(`${option}: the ${kind} ${path} does not exist: it has no effect`, `create it, or correct the path`),
    ];
  });
}

/** Only the transport ws serves both on one port. */
function checkTwoPorts({ publish_port, ret_port, transport }: MasterOpts): Finding[] {
  if (publish_port !== ret_port || publish_port === 0 || transport === "ws") return [];
  return [fatal(`publish_port and ret_port are both ${ret_port}`, "set one of them to another port")];
}

/** Reports `rest_wsgi`, Salt's third HTTP interface, which Brine does not have. */
export function checkWsgi({ rest_wsgi }: Record<string, unknown>): Finding[] {
  if (rest_wsgi === undefined || rest_wsgi === null) return [];
  return [doubtful("rest_wsgi has no effect: Brine does not have that interface", "use rest_cherrypy (docs/api.md)")];
}

const passphrase = (value: unknown) => typeof value === "string" && value !== "" ? value : undefined;

/** Checks a master's keys and directories, and returns the ports that it would use. */
export function masterPlace(runtime: Runtime, opts: MasterOpts): { findings: Finding[]; ports: Port[] } {
  const { pki_dir, publish_port, ret_port } = opts;
  const findings = [
    ...checkKeyPair(runtime, pki_dir, "master", passphrase(opts.key_pass)),
    ...opts.master_sign_pubkey
      ? checkKeyPair(runtime, pki_dir, opts.master_sign_key_name, passphrase(opts.signing_key_pass))
      : [],
  ];
  findings.push(...checkRoots(runtime, opts as unknown as Record<string, unknown>));
  const ports = interfacesOf(opts.interface).flatMap((host) => [
    { option: "publish_port", host, port: publish_port },
    { option: "ret_port", host, port: ret_port },
  ]);
  return { findings, ports: publish_port === ret_port ? [] : ports };
}
