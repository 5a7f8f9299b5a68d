import { HOST_OPTIONS } from "./host_opts.ts";
import { any, bool, list, map, number, type OptsOf, partly, text } from "./option.ts";
import { PROXY_DOCS } from "./web_opts.ts";
import {
  anyNumber,
  hashType,
  memoryLimit,
  merging,
  nodegroups,
  noProxy,
  oneOf,
  ports,
  proxyHost,
  roots,
  switchOrNothing,
  withinRange,
} from "./rules.ts";

/** Condition for options that a master has, too, and that a minion obeys only without a master. */
const LOCAL = "only with `file_client: local`";
const LOCAL_FILES = `${LOCAL}: otherwise the master's configuration applies`;

/**
 * The minion's options that have an effect, under Salt's names and with Salt's defaults; durations in seconds unless the line
 * says otherwise. Salt's other options are in `salt_options.ts`.
 *
 * @internal
 */
export const MINION_OPTIONS = {
  master: any(
    "salt",
    "The master as `host`, `host:port` or `[IPv6 address]:port`, or a list. `master_type` defines how the minion uses a list.",
  ),
  master_port: number(4506, "The port of the master's request server.", { rule: withinRange(1, 65_535) }),
  publish_port: number(4505, "The port of the master's publisher. Not set: the master announces it.", {
    rule: ports,
  }),
  master_type: partly(
    text(
      "str",
      "How the minion uses a list of masters. `str`: all at once. `failover`: the first that accepts the minion, then the next if that is lost. `distributed`: the same, in an order that depends on the id. `disable`: no master.",
      { rule: oneOf("str", "failover", "distributed", "disable", "func") },
    ),
    "`func` is refused: write the address into `master`",
  ),
  master_uri_format: text("default", "`ip_only`: each master is an IP address, without a port.", {
    rule: oneOf("default", "ip_only"),
  }),
  master_shuffle: bool(false, "As `random_master`."),
  random_master: bool(
    false,
    "Tries the masters in random order. This also holds for `salt-call`.",
  ),
  master_alive_interval: number(
    0,
    "With `failover`, seconds between two checks of the master. 0: none. A lost connection is noticed immediately.",
    { rule: anyNumber },
  ),
  master_failback: bool(false, "With `failover`, the minion returns to the first master when that is available again."),
  master_failback_interval: number(
    0,
    "Seconds between two checks of the first master. 0: `master_alive_interval`, or 30 if that is 0 too.",
  ),
  transport: text("zeromq", "What carries messages: `zeromq`, `tcp` or `ws`; the master must have the same."),
  proxy_host: text(
    "",
    `${PROXY_DOCS.proxy_host} With \`transport: ws\` the master is reached through it, by CONNECT.`,
    { rule: proxyHost },
  ),
  proxy_port: number(0, PROXY_DOCS.proxy_port, { rule: ports }),
  proxy_username: text("", PROXY_DOCS.proxy_username),
  proxy_password: text("", PROXY_DOCS.proxy_password, { secret: true }),
  no_proxy: list([], `${PROXY_DOCS.no_proxy} Add masters as \`master\` names them.`, { rule: noProxy }),
  id: text("", "The id of this minion; empty to generate one from the host's names."),
  minion_id_caching: bool(true, "A generated id is kept in `minion_id` beside the configuration file."),
  minion_id_lowercase: bool(false, "A generated id is in lower case."),
  minion_id_remove_domain: any(false, "True cuts a generated id at the first dot; text cuts that domain."),
  append_domain: text("", "The domain that is added to a generated id without a dot."),
  sudo_user: text("", "The user that jobs run as, through sudo."),
  pki_dir: text("/etc/salt/pki/minion", "The directory of the minion's keys and of the master's public key.", {
    path: true,
  }),
  cachedir: text("/var/cache/salt/minion", "The directory of jobs, waiting returns and cached files.", {
    path: true,
  }),
  sock_dir: text("/var/run/salt/minion", "The directory of the sockets that local programs use.", { path: true }),
  pidfile: text("/var/run/salt-minion.pid", "The file that holds the daemon's process id.", { path: true }),
  conf_file: text("/etc/salt/minion", "The configuration file; set by the program to the file it has read."),
  grains: map({}, "Grains of this minion. They override detected grains."),
  grains_cache: bool(false, "Grains are cached in a file, for `salt-call` and the next start."),
  grains_cache_expiration: number(300, "Seconds for which the file of `grains_cache` is used."),
  grains_refresh_every: number(0, "Minutes between refreshes of the grains; 0 for none."),
  grains_deep_merge: bool(false, "Maps of custom grains are merged with existing maps."),
  grains_blacklist: list([], "Grains to remove, as globs."),
  disable_grains: any(undefined, "Custom grains modules that are not run, as a list of names."),
  grains_dirs: list([], "More directories of custom grains."),
  enable_fqdns_grains: bool(true, "The grain `fqdns` looks up the names of all addresses."),
  enable_gpu_grains: bool(true, "Detects graphics devices for the grain `gpus`."),
  enable_lspci: any(undefined, "False does not run lspci, which leaves the grain `gpus` out."),
  mine_enabled: bool(true, "The mine is updated at the start and every `mine_interval`."),
  mine_functions: any(null, "Functions whose results the mine holds."),
  mine_interval: number(60, "Minutes between updates of the mine."),
  mine_return_job: bool(false, "Scheduled updates of the mine return as jobs."),
  schedule: map({}, "Jobs that run by time: see docs/schedules.md."),
  schedule_returner: any(null, "Returners that returns of all scheduled jobs go to, by name or as a list."),
  beacons: map({}, "Beacons by name. A beacon monitors the host and sends events to the masters. See docs/beacons.md."),
  beacons_before_connect: bool(false, "Beacons begin before the minion has signed in; their events wait for a master."),
  beacons_dirs: list([], "Further directories of custom beacons."),
  beacon_queue_events: number(
    10_000,
    "Beacon events that wait while the master is unavailable. More are dropped, and the log reports it.",
  ),
  engines: any(
    [],
    "Engines that run beside the minion. A list of names, or of maps from a name to its options; see docs/engines.md.",
  ),
  engines_dirs: list([], "More directories of custom engines."),
  engine_events_per_second: number(
    1000,
    "Events that one engine may fire in a second; more of them wait. 0 for no limit.",
  ),
  reactor: any(
    [],
    "Engine `reactor`: the SLS files that react to events of this minion. A list of maps from a glob of tags to files, or the path of such a list.",
  ),
  reactor_worker_threads: number(10, "Engine `reactor`: the number of reactions that run at once."),
  reactor_worker_hwm: number(
    10000,
    "Engine `reactor`: the number of events, and of calls, that may wait. More are dropped, with an error in the log.",
  ),
  reactor_refresh_interval: number(
    60,
    "Engine `reactor`: seconds until reactions see new grains, modules and pillar. They then also log in to the master again.",
  ),
  reactor_niceness: any(null, "Engine `reactor`: the nice value of its process, from -20 to 19."),
  reactor_loop_limit: number(
    10,
    "How often per minute an SLS file may react to its own events. Then it is stopped, with an error in the log.",
  ),
  scheduler_before_connect: bool(false, "The schedule begins before the minion has signed in."),
  loop_interval: number(1, "Seconds: a scheduled job runs at most once in that time."),
  start_event_grains: list([], "Grains that the start event carries."),
  enable_legacy_startup_events: bool(true, "The event `minion_start` is fired beside `salt/minion/<id>/start`."),
  file_client: text("remote", "`local` takes files and pillar from this host rather than from the master.", {
    rule: oneOf("remote", "local"),
  }),
  use_master_when_local: bool(false, "Pillar comes from the master although `file_client` is `local`."),
  file_roots: partly(
    map({ "base": ["/srv/salt", "/srv/spm/salt"] }, "The directories of files, as environment → list.", {
      rule: roots,
    }),
    LOCAL_FILES,
  ),
  pillar_roots: partly(
    map({ "base": ["/srv/pillar", "/srv/spm/pillar"] }, "The directories of pillar, as environment → list.", {
      rule: roots,
    }),
    LOCAL_FILES,
  ),
  fileserver_backend: partly(list(["roots"], "Where files come from."), `${LOCAL}, and \`roots\` only`),
  fileserver_followsymlinks: partly(bool(true, "Files below linked directories are listed."), LOCAL),
  fileserver_ignoresymlinks: partly(bool(false, "Links are left out of listings."), LOCAL),
  fileserver_limit_traversal: partly(bool(false, "Lists only directories with SLS files, and Salt's own."), LOCAL),
  fileserver_events: partly(bool(false, "Changed files fire `salt/fileserver/roots/update`."), LOCAL),
  fileserver_list_cache_time: partly(number(20, "Seconds for which a listing is reused."), LOCAL),
  file_ignore_regex: partly(list([], "Files that are neither listed nor served, as regular expressions."), LOCAL),
  file_ignore_glob: partly(list([], "Files that are neither listed nor served, as globs."), LOCAL),
  file_buffer_size: number(262144, "Bytes that `cp.push` sends at once."),
  verify_ssl: any(
    undefined,
    "False: accepts any certificate of web servers, for files and for `http.query`.",
  ),
  ca_bundle: any(
    undefined,
    "A file of certificates of authorities, as PEM, that `http.query` trusts instead of the host's.",
  ),
  saltenv: any(null, "The environment of files where a command names none."),
  pillarenv_from_saltenv: bool(false, "`saltenv` is also `pillarenv`."),
  pillar_raise_on_missing: bool(false, "`pillar.get` fails for a missing key, unless it is given a default."),
  ssh_merge_pillar: partly(bool(true, "A pillar compiled for one call is merged over the pillar in use."), LOCAL),
  pillar_opts: partly(bool(false, "The pillar has the minion's options, under `master`."), LOCAL),
  pillar_source_merging_strategy: partly(text("smart", "How pillars are merged.", { rule: merging }), LOCAL),
  pillar_includes_override_sls: partly(
    bool(false, "Values of an included file replace those of the file that includes it."),
    LOCAL,
  ),
  pillar_safe_render_error: partly(any(undefined, "False shows why a pillar file failed."), LOCAL),
  ext_pillar: partly(any(undefined, "External pillars, each a map of name → arguments."), LOCAL),
  ext_pillar_first: partly(any(undefined, "True puts external pillars before the files."), LOCAL),
  exclude_ext_pillar: partly(any(undefined, "External pillars that are left out."), LOCAL),
  on_demand_ext_pillar: partly(list(["libvirt", "virtkey"], "External pillars that a command may ask for."), LOCAL),
  renderer_whitelist: list([], "Renderers that SLS files may use; empty for all."),
  renderer_blacklist: list([], "Renderers that SLS files must not use."),
  nodegroups: partly(any(undefined, "Named targets of the pillar top file.", { rule: nodegroups }), LOCAL),
  pass_to_ext_pillars: list([], "Options that the master's external pillars are given; a colon leads into maps."),
  state_top: text("top.sls", "The name of the top files of states, and of pillar."),
  state_top_saltenv: any(null, "The one environment whose top file is read; empty for all."),
  default_top: text("base", "With the strategy `same`: the environment whose top file replaces missing ones."),
  env_order: list([], "Environments whose top files count, in order; empty for all."),
  top_file_merging_strategy: text(
    "merge",
    "How top files of several environments are merged: merge, same or merge_all.",
  ),
  master_tops_first: bool(false, "States that the master's `master_tops` name come before those of the top file."),
  autoload_dynamic_modules: bool(true, "Custom modules are synced before a highstate."),
  startup_states: text(
    "",
    "States to apply when the minion starts. `highstate`; `sls`: the list `sls_list`; `top`: the file `top_file`.",
  ),
  sls_list: list([], "SLS files of `startup_states: sls`."),
  top_file: text("", "The top file of `startup_states: top`."),
  state_queue: any(
    false,
    "A state run waits for others, as with `queue=True`. A number: the limit of waiting runs.",
  ),
  state_data: any(undefined, "`terse`: state runs return only failed and changed states."),
  jinja_env: partly(
    map({}, "Jinja2's environment options for templates other than SLS files, such as `trim_blocks`."),
    LOCAL_FILES,
  ),
  jinja_sls_env: partly(map({}, "Jinja2's environment options for SLS files, such as `trim_blocks`."), LOCAL_FILES),
  jinja_trim_blocks: partly(bool(false, "The older way to set `trim_blocks` for all templates."), LOCAL_FILES),
  jinja_lstrip_blocks: partly(bool(false, "The older way to set `lstrip_blocks` for all templates."), LOCAL_FILES),
  x509_signing_policies: map(
    {},
    "Policies by which this minion signs certificates for others, unless pillar has them. Each policy has keys, certificates, fixed arguments of `x509.create_certificate`, and the `minions` that may use it.",
  ),
  lock_saltenv: bool(false, "Calls of states cannot choose another environment than `saltenv`."),
  state_auto_order: bool(true, "States run in the order of the files."),
  disabled_requisites: any([], "Kinds of requisites of states that are ignored."),
  global_state_conditions: any(
    null,
    "States that run only where a target matches: `*`, a module or a function → targets.",
  ),
  state_aggregate: any(false, "Modules whose states are folded into one, or True for all."),
  failhard: bool(false, "A failed state ends the run."),
  state_events: bool(false, "Each state fires an event when it ends."),
  state_output: text("full", "How `salt-call` shows states: full, terse, mixed, changes or filter."),
  state_output_pct: any(undefined, "True: the outputter `highstate` shows percentages of success and failure."),
  state_tabular: any(undefined, "True: the outputter `highstate` shows its terse form in columns."),
  state_compress_ids: any(undefined, "True: the outputter `highstate` shows states of one id and result together."),
  output: any(undefined, "The outputter of `salt-call`, as `--out`."),
  output_indent: any(undefined, "The indentation of `salt-call`'s output, as `--out-indent`."),
  output_file: any(undefined, "The file that `salt-call` writes its output to, as `--out-file`."),
  color: any(undefined, "False prints without colors."),
  color_theme: any(undefined, "A YAML file of color names for outputters."),
  strip_colors: any(undefined, "False: escape sequences in returns reach the terminal."),
  test: bool(false, "States and `file.*` functions report changes without making them."),
  obfuscate_templates: any(undefined, "True leaves differences out of the results of `file.*`."),
  backup_mode: text("", "`minion` keeps the previous versions of files that `file.*` changes."),
  renderer: partly(
    text("jinja|yaml", "The pipeline of pillar files that name none."),
    `${LOCAL}; the renderers are jinja, yaml, json and gpg`,
  ),
  disable_modules: list([], "Execution modules that are not loaded."),
  whitelist_modules: list([], "The only execution modules that are loaded; empty for all."),
  // No default, so that `config.get` continues with grains and pillar.
  cmd_blacklist_glob: any(
    undefined,
    "Globs of commands that `cmd.*` must not run in a job. States are not checked.",
  ),
  cmd_whitelist_glob: any(
    undefined,
    "The only commands that a job may run by `cmd.*`, as globs. States are not checked.",
  ),
  saltcheck_test_location: any(
    undefined,
    "The directory of test files, below that of a state. Not set: `saltcheck-tests`.",
  ),
  saltcheck_output_details: any(undefined, "`saltcheck` shows what each test has called and compared."),
  saltcheck_parallel: any(undefined, "`saltcheck` runs tests of a state at the same time."),
  saltcheck_processes: any(
    undefined,
    "With `saltcheck_parallel`, tests that run at the same time. Not set: one for each processor.",
  ),
  disable_returners: list([], "Returners that are not used."),
  return_kwargs_allowed: list(
    [],
    "Returner options with a destination that jobs may set with `--return_kwargs`. For example `redis.db` or `redis.*`.",
  ),
  providers: map({}, "The module that implements a virtual module, as `pkg` → `aptpkg`."),
  returner_dirs: list([], "More directories of custom returners."),
  states_dirs: list([], "More directories of custom state modules."),
  render_dirs: list([], "More directories of custom renderers."),
  disable_states: list([], "State modules that are not loaded."),
  whitelist_state_modules: list([], "The only state modules that are loaded; empty for all."),
  module_executors: partly(
    list(["direct_call"], "The executors that run a function."),
    "`direct_call`, `splay` and `sudo`; others answer that they are not available",
  ),
  vault: partly(
    any(undefined, "How Vault is reached: `url`, `auth` and more.", { secret: true }),
    "`auth: {method}` is `token`, `approle` or `wrapped_token`; with `token_backend: session`, each function asks for a token",
  ),
  splaytime: number(300, "Seconds over which the executor `splay` spreads minions."),
  cmd_published_shell: bool(true, "`cmd.*` of published jobs runs in a shell unless `python_shell=False`."),
  cmd_max_output: number(
    268_435_456,
    "Bytes that `cmd.*` keep of stdout and of stderr. The rest is dropped, and the last line of the output reports it.",
  ),
  cmd_safe: bool(true, "False lets `cmd.*` use a shell by default."),
  multiprocessing: bool(true, "Runs each job in its own process. False: in the minion's process."),
  multiprocessing_inline: bool(true, "Runs harmless functions in the minion's process."),
  process_pool_size: number(1, "Processes kept ready for jobs; 0 starts each when its job comes."),
  process_pool_idle: number(
    600,
    "Idle seconds after which the ready processes end. The next job starts them. 0: never.",
  ),
  process_count_max: number(-1, "Jobs that run at the same time; -1 for any number."),
  job_timeout: number(0, "Seconds after which a job is killed. 0: never."),
  job_max_memory: number(
    0,
    "Bytes of memory for the process of a job. A job with more is killed and fails. 0: no limit.",
    { rule: memoryLimit },
  ),
  minion_jid_queue_hwm: number(100, "The number of job ids that are remembered, so that a repeated job runs once."),
  cache_jobs: bool(false, "A copy of each return is kept below `cachedir`."),
  return: any("", "More returners that get every return."),
  pub_ret: bool(true, "Returns are sent to the master."),
  return_retry_timer: number(5, "Seconds that the first attempt to send a return may take."),
  return_retry_timer_max: number(10, "Seconds that later attempts to send a return may take."),
  return_retry_tries: partly(
    number(3, "Attempts to send a return after which the log reports an error."),
    "the minion keeps the return and sends it again: see `return_spool_seconds`",
  ),
  return_spool_bytes: number(268435456, "The limit of returns that wait on disk for the master, in bytes."),
  return_spool_seconds: number(604800, "Seconds after which a return is dropped if no master accepted it."),
  stream_bytes: number(16777216, "The limit of live output of one job, in bytes (`salt --stream`)."),
  acceptance_wait_time: number(10, "Seconds between sign-ins while the key waits to be accepted."),
  acceptance_wait_time_max: number(
    0,
    "The upper limit to which `acceptance_wait_time` doubles, in seconds. 0: it does not double.",
    { rule: anyNumber },
  ),
  rejected_retry: bool(false, "A minion with a rejected key tries again instead of exiting."),
  auth_timeout: number(5, "Seconds that the minion waits for the reply to a sign-in.", {
    rule: withinRange(0.1, 3600, false),
  }),
  ping_interval: number(
    0,
    "Minutes between two events `minion_ping`. Without a reply the minion reconnects. 0: none.",
  ),
  random_startup_delay: number(0, "The longest random delay, in seconds, before the minion's first sign-in."),
  recon_default: number(1000, "Milliseconds until the first attempt to connect again."),
  recon_max: number(10000, "Milliseconds between later attempts."),
  master_finger: text("", "The fingerprint that the master's key must have."),
  syndic_finger: text(
    "",
    "The fingerprint that the key of a syndic's higher master must have; empty for `master_finger`.",
  ),
  verify_master_pubkey_sign: bool(false, "The master's reply to a sign-in must be signed."),
  always_verify_signature: bool(
    false,
    "Verifies the signature of the master's reply each time. False: only for an unknown key.",
  ),
  master_sign_key_name: text(
    "master_sign",
    "The name of the public key in `pki_dir` that verifies the master's reply.",
  ),
  minion_key_rotation_days: number(0, "Days after which the minion rotates its key. 0: never."),
  minion_sign_messages: bool(false, "Messages to the master are signed with the minion's key."),
  sign_pub_messages: bool(false, "Refuses jobs that are not signed; a signature is always verified."),
  encryption_algorithm: text("OAEP-SHA1", "The RSA encryption of the sign-in: OAEP-SHA1 or OAEP-SHA224."),
  signing_algorithm: text("PKCS1v15-SHA1", "The minion's signatures: PKCS1v15-SHA1 or PKCS1v15-SHA224."),
  autosign_grains: list([], "Grains that are sent with the key, by which the master may accept it."),
  open_mode: bool(false, "Accepts a master whose key has changed. Only for tests."),
  hash_type: text("sha256", "The hash of fingerprints and socket names; equal on all hosts.", { rule: hashType }),
  hash_id: any(undefined, "The id by which the local sockets are named. Default: `id`."),
  default_include: text("minion.d/*.conf", "Files that are read after this one."),
  zmq_filtering: bool(false, "Subscribes by topic; the master must set it, too."),
  source_interface_name: text("", "The network interface from whose address the minion connects to its masters."),
  source_address: text("", "The IP address from which the minion connects to its masters; empty for any."),
  source_ret_port: number(0, "The minion's own port of the connection for requests; 0 for any.", { rule: ports }),
  source_publish_port: number(0, "The minion's own port of the connection for publications; 0 for any.", {
    rule: ports,
  }),
  tcp_keepalive: bool(true, "TCP keep-alive on connections to the master."),
  ipv6: any(null, "Looks up masters as IPv6 first (True) or as IPv4 only (False).", { rule: switchOrNothing }),
  log_file: text(
    "/var/log/salt/minion",
    "The log file, or a system logger: `file:///dev/log/LOG_DAEMON`, `udp://host:514`.",
    { path: true },
  ),
  ...HOST_OPTIONS,
};

/** A minion's configuration: every option of the table, and whatever else the files hold. */
export type MinionOpts = OptsOf<OptionTable>;

/**
 * The table as a type: `MinionOpts` is made from it.
 *
 * @internal
 */
type OptionTable = typeof MINION_OPTIONS;
