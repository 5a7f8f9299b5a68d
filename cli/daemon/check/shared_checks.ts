/** Checks that masters and minions share. */
import { engineList } from "../../../src/model/config/engine_list.ts";
import { readProxy } from "../../../src/protocol/transport/proxy.ts";
import { reactorOpts, requestedReactor } from "../../../src/model/config/requested_reactor.ts";
import { type Host, refuseHarmfulOptions } from "../../../src/model/config/review.ts";
import { messageOf } from "../../../src/base/errors.ts";
import { createLogger } from "../../../src/base/log.ts";
import { ignoredBy } from "../../../src/content/fileserver/walk.ts";
import { entriesOf, isMap, lookup, str } from "../../../src/language/python/values.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { logFormats } from "../log_settings.ts";
import { isSyslogAddress, syslogAddress } from "../syslog_address.ts";
import { checkFunctions } from "./check_functions.ts";
import { checkSchedule } from "./check_schedule.ts";
import { type Check, doubtful, fatal, type Finding, unlessItThrows, wrong } from "./finding.ts";
import { checkNamedModules } from "./named_modules.ts";
import { rootProblems } from "../../../src/content/fileserver/root_problems.ts";

const QUIET = createLogger(() => {}, "quiet");

/** Checks of every daemon: options that would do harm if they were ignored, and the options of the log. */
export function commonChecks(host: Host): Check[] {
  return [
    unlessItThrows((config) => refuseHarmfulOptions(host, config)),
    unlessItThrows(({ opts }) => logFormats(opts)),
    unlessItThrows(({ opts: { log_file: file } }) => {
      if (typeof file === "string" && isSyslogAddress(file)) syslogAddress("log_file", file);
    }),
  ];
}

/** Further checks of masters and minions: modules, functions, engines, reactions, files and pillar. */
export function moduleChecks(host: Host): Check[] {
  return [
    ({ opts }, runtime) => checkNamedModules(host, opts, runtime),
    ({ opts }, runtime) => checkFunctions(host, opts, runtime),
    ({ opts }, runtime) => checkSchedule(opts, runtime),
    ({ opts }, runtime) => checkEngines(host, opts, runtime),
    async ({ opts }, runtime) => {
      // A minion starts a reactor only if `engines` has one.
      if (!requestedReactor(host === "master" ? opts : { engines: opts.engines })) return [];
      return await (await import("./check_reactor.ts")).checkReactor(opts, runtime);
    },
    async ({ opts }) => {
      const hasDriver = Object.values(opts).some((value) => isMap(value) && lookup(value, "driver") !== undefined);
      return hasDriver ? await (await import("./check_sdb.ts")).checkSdb(opts) : [];
    },
    ({ opts }) => checkProxy(opts),
    ({ opts }) => host === "master" || opts.file_client === "local" ? checkSources(opts) : [],
  ];
}

/** Checks the transport and its TLS. @param listens true for a server */
export function transportCheck(listens: boolean): Check {
  return unlessItThrows(async ({ opts }, runtime) => {
    // There is nothing to check, because libzmq opens the sockets.
    if (opts.zmq_library === "native") return;
    const [{ openTransport }, { readSsl }] = await Promise.all([
      import("../../../src/protocol/transport/open_transport.ts"),
      import("../../../src/protocol/transport/ssl/read_ssl.ts"),
    ]);
    const ssl = readSsl(opts.ssl, runtime.fs);
    if (listens) ssl?.listen();
    openTransport({ runtime, log: QUIET, opts });
  });
}

/**
 * Checks the proxy for web servers. With the transport ws the master is reached through it, too: another check then stops the
 * daemon.
 */
function checkProxy(opts: Record<string, unknown>): Finding[] {
  try {
    if (opts.transport !== "ws") readProxy(opts);
    return [];
  } catch (error) {
    return [wrong(`requests to web servers fail: ${messageOf(error)}`)];
  }
}

/** Checks `engines` and `ext_processes`: entries that are not engines, and engines that cannot start here. */
async function checkEngines(host: Host, values: Record<string, unknown>, runtime: Runtime): Promise<Finding[]> {
  const opts = host === "master" ? values : { ...values, ext_processes: undefined };
  const { entries, mistakes } = engineList(opts);
  if (entries.length + mistakes.length === 0) return [];
  const findings = [...mistakes, ...host === "master" ? reactorOpts(opts).mistakes : []].map((text) => wrong(text));
  const [{ obstacleTo }, { knownEngines }] = await Promise.all([
    import("../../../src/feature/engine/engines_part.ts"),
    import("../../known_engines.ts"),
  ]);
  for (const entry of entries) {
    if (host === "master" && entry.module === "reactor") continue;
    const parts = {
      runtime,
      log: QUIET,
      role: host,
      opts: () => opts,
      argv: [],
      known: () => Promise.resolve(knownEngines(host)),
    };
    const obstacle = await obstacleTo(parts, entry);
    if (obstacle !== undefined) findings.push(wrong(`engines: ${entry.name} does not run`, obstacle));
  }
  return findings;
}

/** Checks the sources of files and pillar: repositories, patterns and the form of `ext_pillar`. */
async function checkSources(opts: Record<string, unknown>): Promise<Finding[]> {
  const findings: Finding[] = [];
  const attempt = (call: () => unknown, found: (text: string) => Finding) => {
    try {
      call();
    } catch (error) {
      findings.push(found((error as Error).message));
    }
  };
  const list = (value: unknown) => Array.isArray(value) ? value : [];
  const { file_ignore_regex, file_ignore_glob, fileserver_backend, ext_pillar } = opts;
  const backends = list(fileserver_backend).map(String);
  if (backends.includes("roots")) {
    attempt(() => ignoredBy({ regex: list(file_ignore_regex), glob: list(file_ignore_glob) }), fatal);
  }
  const pillars = list(ext_pillar).flatMap((entry) => isMap(entry) ? entriesOf(entry) : []);
  const repositories = pillars.filter(([name]) => str(name) === "git");
  if (repositories.length > 0 || backends.some((name) => name === "gitfs" || name === "git")) {
    const { gitRemotes } = await import("../../../src/content/git/remote.ts");
    if (backends.some((name) => name === "gitfs" || name === "git")) {
      attempt(() => gitRemotes("gitfs", opts, opts.gitfs_remotes), fatal);
    }
    for (const [, remotes] of repositories) {
      attempt(
        () => gitRemotes("git_pillar", opts, remotes),
        (text) => wrong(`ext_pillar: git: pillar is compiled without it: ${text}`),
      );
    }
  }
  if (pillars.some(([name]) => str(name) === "vault")) {
    const { ownSettings } = await import("../../../src/plugins/vault/settings.ts");
    attempt(() => ownSettings(opts), (text) => wrong(`ext_pillar: vault: pillar is compiled without it: ${text}`));
  }
  const isGood = ext_pillar === undefined || ext_pillar === null ||
    Array.isArray(ext_pillar) && ext_pillar.every(isMap);
  if (!isGood) {
    findings.push(
      wrong(
        "ext_pillar: expected a list of maps of name → arguments: pillar is compiled without it",
        "write it as such a list",
      ),
    );
  }
  return findings;
}

/** Reports directories of `file_roots` and `pillar_roots` that serve nothing, and links in them that are not followed. */
export function checkRoots(runtime: Pick<Runtime, "fs" | "process">, opts: Record<string, unknown>): Finding[] {
  return rootProblems(runtime, opts, true).map(({ option, path, problem, remedy, severe }) =>
    (severe ? wrong : doubtful)(`${option}: ${path}: ${problem}`, remedy)
  );
}
