import { ConfigError } from "../errors.ts";
import { equal } from "../python/equal.ts";
import { nearestName } from "../known.ts";
import type { OptionTable } from "./option.ts";
import { SALT_MASTER_DEFAULTS, SALT_MINION_DEFAULTS } from "./salt_defaults.ts";

/** An option that would do harm if it were passed over: a daemon does not start with it. */
interface Refused {
  /** True for values that ask for what is not there. */
  asks(value: unknown): boolean;
  /** What to do instead. */
  instead: string;
}

const isOn = (value: unknown) =>
  value !== null && value !== undefined && value !== false && value !== "" && value !== 0 &&
  !(typeof value === "string" && /^(false|no|off|none|0)$/i.test(value)) &&
  !(typeof value === "object" && Object.keys(value).length === 0);

const REFUSED: Record<string, Refused> = {
  transport: {
    asks: (value) => value !== "zeromq" && isOn(value),
    instead: 'Only "zeromq" is there: remove the option, here and on the other side',
  },
  ssl: {
    asks: isOn,
    instead:
      "Nothing is sent over TLS by it: messages are sealed with AES and signed as they are; remove the option, or put " +
      "the connection through a tunnel",
  },
  fips_mode: {
    asks: isOn,
    instead: "Nothing here is certified: remove the option. For its algorithms alone set encryption_algorithm: " +
      "OAEP-SHA224, signing_algorithm and publish_signing_algorithm: PKCS1v15-SHA224, and hash_type: sha256",
  },
  cluster_id: { asks: isOn, instead: "Masters cannot be a cluster: let minions name several masters" },
};

const LOGGING = "log lines have one form: time, level, part, message and fields";
const STATES = "there are no states yet";
const SCHEDULE = "there is no scheduler yet: use cron or a timer of the system, with salt-call";
const EVENTS = "events are stored nowhere: follow them with salt-run state.event, or over the HTTP API";
const SYNDIC = "there is no syndic yet";
const THORIUM = "there is no thorium: follow events over the HTTP API";
const FAILOVER = "a minion is with all masters that it names";
const TCP_IPC = "daemons speak over sockets in sock_dir";
const NOT_NEEDED = "nothing: it is not needed here";
const PILLAR_DECRYPT = "decrypt_pillar is not there yet";
const UPDATE = "a minion does not update itself: use the package manager";
const TIMES = "times of retries are worked out by the minion";
const SOURCE = "the system chooses the address: set a route";

/** Options of Salt that have no effect, and what there is instead. */
const IGNORED: Record<string, string> = {
  utils_dirs: "modules import what they need: docs/modules.md",
  queue_dirs: "there are no queues",
  states_dirs: STATES,
  render_dirs: "there are no renderers of one's own",
  verify_env: NOT_NEEDED,
  event_return: EVENTS,
  event_return_queue: EVENTS,
  event_return_whitelist: EVENTS,
  event_return_blacklist: EVENTS,
  loop_interval: NOT_NEEDED,
  maintenance_interval: NOT_NEEDED,
  max_open_files: "set the limit where the service is started (LimitNOFILE)",
  con_cache: "which minions are connected is always known: salt-run manage.present",
  presence_events: "ask salt-run manage.present",
  ping_on_rotate: "minions sign in again by themselves once the key was rotated",
  key_cache: NOT_NEEDED,
  request_server_aes_session: NOT_NEEDED,
  auth_mode: NOT_NEEDED,
  master_roots: "use file_roots",
  lock_saltenv: "give saltenv with each command",
  decrypt_pillar_default: PILLAR_DECRYPT,
  decrypt_pillar_delimiter: PILLAR_DECRYPT,
  decrypt_pillar_renderers: PILLAR_DECRYPT,
  syndic_master: SYNDIC,
  syndic_wait: SYNDIC,
  syndic_failover: SYNDIC,
  syndic_forward_all_events: SYNDIC,
  syndic_finger: SYNDIC,
  reactor: "there is no reactor yet: follow events over the HTTP API",
  engines: "there are no engines: run them as services of their own over the HTTP API",
  schedule: SCHEDULE,
  scheduler_before_connect: SCHEDULE,
  thorium_roots: THORIUM,
  thorium_interval: THORIUM,
  master_tops: "use a top file",
  master_tops_first: "use a top file",
  range_server: "use nodegroups",
  enable_ssh_minions: "there is no salt-ssh",
  roster: "there is no salt-ssh",
  roster_file: "there is no salt-ssh",
  ssh_log_file: "there is no salt-ssh",
  ssh_merge_pillar: "there is no salt-ssh",
  log_fmt_console: LOGGING,
  log_fmt_logfile: LOGGING,
  log_fmt_jid: LOGGING,
  log_datefmt: LOGGING,
  log_datefmt_logfile: LOGGING,
  log_granular_levels: "use log_level and log_level_logfile",
  tcp_keepalive_cnt: "use tcp_keepalive_idle, or the settings of the kernel",
  tcp_keepalive_intvl: "use tcp_keepalive_idle, or the settings of the kernel",
  ipc_mode: TCP_IPC,
  tcp_master_pub_port: TCP_IPC,
  tcp_master_pull_port: TCP_IPC,
  tcp_pub_port: TCP_IPC,
  tcp_pull_port: TCP_IPC,
  master_uri_format: "write ports behind the address of the master: host:port",
  source_address: SOURCE,
  source_interface_name: SOURCE,
  source_ret_port: SOURCE,
  source_publish_port: SOURCE,
  master_shuffle: FAILOVER,
  random_master: FAILOVER,
  master_alive_interval: FAILOVER,
  master_failback: FAILOVER,
  master_failback_interval: FAILOVER,
  master_tries: TIMES,
  retry_dns: TIMES,
  retry_dns_count: TIMES,
  resolve_dns_fallback: TIMES,
  auth_tries: TIMES,
  auth_safemode: TIMES,
  random_reauth_delay: TIMES,
  random_startup_delay: TIMES,
  request_channel_timeout: TIMES,
  request_channel_tries: TIMES,
  recon_randomize: TIMES,
  id_function: "set id",
  append_minionid_config_dirs: "include the file by its name",
  mine_return_job: "mine.send returns to whoever calls it",
  beacons: "there are no beacons yet",
  beacons_before_connect: "there are no beacons yet",
  startup_states: STATES,
  sls_list: STATES,
  top_file: STATES,
  state_queue: STATES,
  disabled_requisites: STATES,
  autoload_dynamic_modules: "call saltutil.sync_all",
  ping_interval: "connections are kept open by TCP: tcp_keepalive",
  restart_on_error: "have the service manager restart the minion",
  minion_restart_command: "have the service manager restart the minion",
  update_url: UPDATE,
  update_restart_services: UPDATE,
  zmq_monitor: NOT_NEEDED,
};

/**
 * Looks at the options that were given for those that are not obeyed: harmful ones stop a daemon, the others are to be told of.
 *
 * @param given names of the options that the files or the command line set
 * @returns those without effect, and what there is instead
 * @throws {ConfigError} naming the option, its value and what to do instead
 */
export function checkObeyed(
  table: OptionTable,
  opts: Record<string, unknown>,
  given: ReadonlySet<string>,
): { option: string; instead: string }[] {
  const ignored: { option: string; instead: string }[] = [];
  for (const option of given) {
    const value = opts[option];
    if (Object.hasOwn(REFUSED, option) && REFUSED[option]!.asks(value)) {
      throw new ConfigError(
        `Cannot obey the option ${option}: ${JSON.stringify(value)} of the configuration. ${REFUSED[option]!.instead}`,
        { option },
      );
    }
    if (!Object.hasOwn(IGNORED, option)) continue;
    // A configuration that writes down the default asks for nothing.
    const usual = Object.hasOwn(table, option) ? table[option]!.default : undefined;
    if (equal(value, usual) || usual === undefined && !isOn(value)) continue;
    ignored.push({ option, instead: IGNORED[option]! });
  }
  return ignored;
}

/**
 * Options that were given under a name that nobody knows and that is nearly one of an option. Custom modules read options of
 * their own: a name that is like none is nobody's business.
 */
export function mistyped(table: OptionTable, given: ReadonlySet<string>): { option: string; meant: string }[] {
  const names = Object.keys(table);
  const found: { option: string; meant: string }[] = [];
  for (const option of given) {
    if (Object.hasOwn(table, option) || Object.hasOwn(IGNORED, option) || Object.hasOwn(REFUSED, option)) continue;
    if (
      option.length < 5 || Object.hasOwn(SALT_MASTER_DEFAULTS, option) || Object.hasOwn(SALT_MINION_DEFAULTS, option)
    ) {
      continue;
    }
    const meant = nearestName(option, names, { letters: 1 });
    if (meant !== undefined) found.push({ option, meant });
  }
  return found;
}
