/** What the values of options may be, beyond their types: one rule for each name, for start-up, `--check` and re-reading alike. */
import { clusterFault } from "./cluster.ts";
import { isRecord } from "../../base/record.ts";
import { LOG_LEVELS } from "../../base/log.ts";
import type { OptionSpec } from "./option.ts";

/** Says what a value should have been; undefined for a value that can be used. */
type Rule = (value: unknown) => string | undefined;

/** A value that an option cannot have. */
export interface ValueProblem {
  /** What was expected, to complete "expected …". */
  expected: string;
  /** True if the default can be used in its place: a daemon warns of it and starts. */
  mild: boolean;
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const isTexts = (value: unknown) => isText(value) || Array.isArray(value) && value.every(isText);

function oneOf(...names: string[]): Rule {
  const expected = names.length === 1 ? names[0]! : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
  return (value) => names.includes(String(value)) ? undefined : expected;
}

function within(least: number, most = Infinity, whole = true): Rule {
  const kind = whole ? "a whole number" : "a number";
  const expected = most === Infinity ? `${kind} of at least ${least}` : `${kind} from ${least} to ${most}`;
  return (value) => {
    const number = Number(value);
    const right = Number.isFinite(number) && number >= least && number <= most && (!whole || Number.isInteger(number));
    return right ? undefined : expected;
  };
}

/** Of a map: every value fits. @param expected completes "expected a map of …" */
const mapOf = (fits: (value: unknown) => boolean, expected: string): Rule => (value) =>
  value === null || isRecord(value) && Object.values(value).every((item) => item === null || fits(item))
    ? undefined
    : `a map of ${expected}`;

/** Patterns of functions, and maps of targets and conditions: docs/permissions.md. */
const isGrant = (value: unknown): boolean =>
  isText(value) || isRecord(value) || Array.isArray(value) && value.every((item) => isText(item) || isRecord(item));

const ports = within(0, 65_535);
const roots = mapOf(isTexts, "environment → list of directories");
const level: Rule = (value) =>
  (LOG_LEVELS as readonly string[]).includes(String(value).toLowerCase()) ? undefined : oneOf(...LOG_LEVELS)(value);

/** Of an HTTP proxy, whose port is an option of its own. */
const proxyHost: Rule = (value) =>
  value === "" ||
    typeof value === "string" && (/^[\w.-]+$/.test(value) || /^\[?[0-9a-f:]+:[0-9a-f:.]*\]?$/i.test(value))
    ? undefined
    : "a host name or an address alone, such as proxy.example.com: http:// is implied, and the port is proxy_port";

const RULES: Readonly<Record<string, Rule>> = {
  publish_port: ports,
  ret_port: ports,
  master_port: within(1, 65_535),
  proxy_host: proxyHost,
  proxy_port: ports,
  no_proxy: (value) => value === "" || isTexts(value) ? undefined : "a list of host names and addresses",
  http_connect_timeout: within(0, Infinity, false),
  http_request_timeout: within(0, Infinity, false),
  http_max_body: within(1),
  master_type: oneOf("str", "failover", "distributed", "disable", "func"),
  master_uri_format: oneOf("default", "ip_only"),
  source_ret_port: ports,
  source_publish_port: ports,
  auth_timeout: within(0.1, 3600, false),
  "redis.port": ports,
  "redis.db": within(0),
  "returner.postgres.port": ports,
  "postgres.port": ports,
  "master_job_cache.postgres.port": ports,
  worker_threads: within(0, 1000),
  worker_hang_timeout: within(1, Infinity, false),
  // A worker itself takes about 60 MB.
  worker_max_memory: within(134_217_728),
  keysize: within(2048, 32_768),
  minimum_auth_version: within(0, 3),
  log_level: level,
  log_level_logfile: level,
  log_granular_levels: mapOf((value) => level(value) === undefined, "part → level"),
  hash_type: oneOf("md5", "sha1", "sha224", "sha256", "sha384", "sha512"),
  durability: oneOf("power", "process"),
  audit_args: oneOf("redacted", "none", "full"),
  audit_failure: oneOf("continue", "refuse"),
  audit_file_bytes: within(65_536),
  audit_file_seconds: within(60),
  audit_keep_files: within(0),
  event_framing: oneOf("auto", "stream", "length"),
  zmq_library: oneOf("brine", "native"),
  pillar_cache_backend: oneOf("disk", "memory"),
  pillar_source_merging_strategy: oneOf("smart", "recurse", "aggregate", "overwrite", "list", "none"),
  file_client: oneOf("remote", "local"),
  file_roots: roots,
  pillar_roots: roots,
  interface: (value) =>
    typeof value === "string" || Array.isArray(value) && value.length > 0 && isTexts(value)
      ? undefined
      : "an address, or a list of addresses",
  ipv6: (value) => typeof value === "boolean" ? undefined : "True, False or nothing",
  nodegroups: mapOf(isTexts, "name → compound expression, or list of its words"),
  publisher_acl: mapOf(isGrant, "user → list of functions"),
  publisher_acl_blacklist: mapOf(isTexts, "users and modules → list of patterns"),
  external_auth: mapOf((section) =>
    isRecord(section) && Object.values(section).every(
      (item) => item === null || isGrant(item) || typeof item === "boolean" || typeof item === "number",
    ), "backend → user or group → list of functions"),
  cluster: clusterFault,
  peer: mapOf(isTexts, "minion → list of functions"),
  peer_run: mapOf(isTexts, "minion → list of runners"),
};

/** Options that a daemon can do without: a wrong value is warned of, and the default is used. */
const MILD: ReadonlySet<string> = new Set(["log_level", "log_level_logfile", "log_granular_levels"]);

/** Options whose numbers may be negative, mostly -1 for "no bound" or "for ever". */
const NEGATIVE: ReadonlySet<string> = new Set([
  "process_count_max",
  "autosign_timeout",
  "acceptance_wait_time_max",
  "master_tries",
  "master_alive_interval",
  "auth_tries",
  "tcp_keepalive_idle",
  "tcp_keepalive_cnt",
  "tcp_keepalive_intvl",
]);

const SWITCH = /^(?:true|false|yes|no|on|off|y|n|1|0|)$/i;

/** The rule of a type, for options without one of their own. */
function ruleOfType(option: string, spec: OptionSpec<unknown> | undefined): Rule | undefined {
  if (spec?.type === "bool") {
    return (value) => typeof value !== "string" || SWITCH.test(value) ? undefined : "True or False";
  }
  if (spec?.type !== "number") return undefined;
  return NEGATIVE.has(option) || Number(spec.default) < 0
    ? within(-Infinity, Infinity, false)
    : within(0, Infinity, false);
}

/**
 * Finds a value of the right type that an option cannot have, such as a negative number of seconds.
 *
 * @param spec the option's row; undefined for names of returners and other modules, such as `redis.port`
 * @returns undefined for a value that can be used
 */
export function valueProblem(option: string, value: unknown, spec?: OptionSpec<unknown>): ValueProblem | undefined {
  if (value === null || value === undefined) return undefined;
  const rule = Object.hasOwn(RULES, option) ? RULES[option] : ruleOfType(option, spec);
  const expected = rule?.(value);
  return expected === undefined ? undefined : { expected, mild: MILD.has(option) };
}
