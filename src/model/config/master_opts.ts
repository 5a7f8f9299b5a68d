import { HOST_OPTIONS } from "./host_opts.ts";
import { clusterFault } from "./cluster.ts";
import { any, bool, list, map, maps, number, type OptsOf, partly, text } from "./option.ts";
import { PROXY_DOCS } from "./web_opts.ts";
import {
  addresses,
  anyNumber,
  externalAuth,
  hashType,
  isGrant,
  isGrants,
  isTexts,
  mapRule,
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

const HANDED_ON = "Sent to minions, which use it for states.";

/**
 * The master's options that have an effect, under Salt's names and with Salt's defaults; durations in seconds unless the
 * line says otherwise. Salt's other options are in `salt_options.ts`.
 *
 * @internal
 */
export const MASTER_OPTIONS = {
  interface: any(
    "0.0.0.0",
    "The address that the master listens on, or a list. `::` listens on all addresses, IPv4 included.",
    { rule: addresses },
  ),
  ipv6: any(
    null,
    "True: a name in `interface` is IPv6 first. False: IPv4 only. `::` listens on both without this option.",
    { rule: switchOrNothing },
  ),
  tcp_keepalive: bool(true, "TCP keep-alive on connections of minions."),
  publish_port: number(4505, "The port of the publisher, from which minions receive jobs.", { rule: ports }),
  ret_port: number(4506, "The port of the request server, which takes sign-ins, returns and file requests.", {
    rule: ports,
  }),
  transport: text("zeromq", "What carries messages: `zeromq`, `tcp` or `ws`; minions must have the same."),
  id: text("", "The id of the master in events and in its own jobs. Empty: the host name followed by `_master`."),
  conf_file: text("/etc/salt/master", "The configuration file; set by the program to the file it has read."),
  pidfile: text("/var/run/salt-master.pid", "The file that holds the daemon's process id.", { path: true }),
  pki_dir: text("/etc/salt/pki/master", "The directory of the master's own keys and of the minions' keys.", {
    path: true,
  }),
  cachedir: text(
    "/var/cache/salt/master",
    "The directory of the job cache, the minions' grains and pillar, and tokens.",
    { path: true },
  ),
  runner_dirs: list([], "More directories of custom runners."),
  top_dirs: list([], "More directories of custom modules of `master_tops`."),
  sock_dir: text("/var/run/salt/master", "The directory of the sockets that local programs use.", { path: true }),
  keep_jobs: any(null, "Hours for which jobs are kept; used where `keep_jobs_seconds` is not set."),
  keep_jobs_seconds: number(86400, "Seconds for which jobs are kept. 0: without limit."),
  cluster: map(
    {},
    "Several masters as one: `postgres`, `nats`, `name`, `lease_seconds`, `tls`; see docs/cluster.md.",
    { rule: clusterFault },
  ),
  job_cache: bool(true, "Returns are kept in the job cache."),
  job_cache_store_endtime: bool(false, "The job cache records when each job ended."),
  master_job_cache: partly(
    text("sqlite", "Where jobs are kept: `sqlite`, `local_cache`, `postgres`, `redis` or `memory`."),
    "Salt's default is `local_cache`; its other returners are not available",
  ),
  job_resend_interval: number(2, "Seconds until a job is sent again to Brine minions that have not acknowledged it."),
  job_delivery_timeout: number(60, "Seconds after which a job that a minion has not taken is given up."),
  job_lost_after: number(300, "Seconds that a minion may be offline during a job. Then its outcome is `lost`."),
  job_queue_ttl: number(86400, "Seconds for which `salt --queue` keeps a job for minions that are away."),
  minion_jobs_hourly: number(
    3600,
    "Jobs per hour that a minion may report from `salt-call` and its schedule. 0: no limit.",
  ),
  minion_job_bytes_hourly: number(
    33554432,
    "Bytes per hour that the master keeps of such jobs, for each minion. 0: no limit.",
  ),
  max_return_size: number(
    67108864,
    "Bytes of a return. A larger return is replaced by a failure with the reason.",
  ),
  ext_job_cache: text("", "The returner that minions send their returns to, in place of the master's job cache."),
  runner_returns: bool(true, "Runs of runners are recorded in the job cache."),
  loop_interval: number(
    60,
    "Seconds between two rounds of maintenance. A round sends presence events, writes the key cache, and deletes expired tokens, sessions and old jobs.",
  ),
  schedule: map({}, "Runners that run by time: see docs/schedules.md.", { reload: true }),
  schedule_returner: any(null, "Returners that returns of all scheduled runners go to, by name or as a list.", {
    reload: true,
  }),
  key_cache: text(
    "",
    "`sched` writes `.key_cache`, a list of accepted keys that Salt's programs read. Empty: no list.",
  ),
  presence_events: bool(
    false,
    "`salt/presence/present` is fired each `loop_interval`, and `salt/presence/change` if minions came or went since.",
  ),
  detect_remote_minions: partly(
    bool(false, "`manage.present` counts minions that this host is connected to at `remote_minions_port`."),
    "presence events count only the minions' own connections",
  ),
  remote_minions_port: number(22, "The port of `detect_remote_minions`."),
  unique_jid: bool(false, "Job ids end with the master's process id."),
  timeout: number(5, "Seconds that `salt` waits for returns before it asks whether the job still runs."),
  gather_job_timeout: number(10, "Seconds that `salt` waits to hear whether a job still runs."),
  worker_threads: partly(
    any(
      null,
      "The maximum of worker processes for pillar and files. Not set: one per processor, at most 5.",
      { rule: withinRange(0, 1000) },
    ),
    "Salt's default is 5; workers start when there is work and end without it; the master answers quick requests, and with 0 all requests, in its own process",
  ),
  reactor: any(
    [],
    "The SLS files that react to events. A list of maps from a glob of tags to files, or the path of such a list.",
    { reload: true },
  ),
  reactor_worker_threads: number(10, "Runners, wheel functions and callers of reactions that run at once."),
  reactor_worker_hwm: number(
    10000,
    "The number of events, and of reactions, that may wait in the reactor. More are dropped, with an error in the log.",
  ),
  reactor_refresh_interval: number(
    60,
    "Seconds until reactions see new grains and custom modules of the master's host.",
  ),
  reactor_niceness: any(null, "The nice value of the reactor's process, from -20 to 19."),
  reactor_loop_limit: number(
    10,
    "How often per minute an SLS file may react to its own effects. Then it is stopped, with an error in the log.",
  ),
  engines: any(
    [],
    "Engines that run beside the master. A list of names, or of maps from a name to its options; see docs/engines.md.",
    { reload: true },
  ),
  engines_dirs: list([], "More directories of custom engines.", { reload: true }),
  engine_events_per_second: number(
    1000,
    "Events that one engine may fire in a second; more of them wait. 0 for no limit.",
    { reload: true },
  ),
  ext_processes: partly(
    list([], "More programs beside the master. `module.function` of a custom engine, or the path of a program."),
    "Python callables do not work: use TypeScript, or a program in any language",
  ),
  worker_hang_timeout: number(
    30,
    "Seconds without a heartbeat until a supervised process is killed and replaced.",
    { rule: withinRange(1, Infinity, false) },
  ),
  worker_max_memory: number(
    1073741824,
    "Bytes of memory for a supervised process. A process with more is killed and replaced.",
    { rule: withinRange(134_217_728) },
  ),
  pub_hwm: number(1000, "Messages that may wait for one subscriber; more are dropped for it."),
  zmq_backlog: partly(number(1000, "Connections that may wait to be accepted."), "never below 8192"),
  max_minions: number(0, "How many minions may have accepted keys; 0 for any number."),
  max_pending_keys: number(
    10000,
    "The maximum of pending keys, and of denied keys. 0: no limit.",
  ),
  pending_key_ttl: number(
    0,
    "Seconds after which a pending or denied key is deleted. 0: never.",
  ),
  key_rotation_overlap: number(
    86400,
    "Seconds for which a minion's old key stays valid after a rotation. 0: not at all.",
  ),
  allow_minion_key_rotation: bool(true, "Minions may change their keys without being asked."),
  minion_data_cache: bool(true, "Grains and pillar of minions are cached, for targeting."),
  minion_data_cache_events: bool(true, "A refresh of that cache fires `minion/refresh/<id>`."),
  enforce_mine_cache: bool(false, "Stores the mine even with `minion_data_cache: False`."),
  cli_summary: bool(false, "`salt` prints a summary, as with `--summary`."),
  output: any(undefined, "The outputter of the command line programs, as `--out`."),
  output_indent: any(undefined, "The indentation of the command line programs' output, as `--out-indent`."),
  output_file: any(undefined, "The file that the command line programs write their output to, as `--out-file`."),
  show_timeout: bool(true, "`salt` names the minions that did not return."),
  show_jid: bool(false, "`salt` prints the job id, as with `--show-jid`."),
  color: any(undefined, "False prints without colors."),
  color_theme: any(null, "A YAML file of color names for outputters."),
  strip_colors: bool(true, "Escape sequences in returns are written out; False lets them through to the terminal."),
  open_mode: bool(false, "Accepts every key, even a changed one. Only for tests."),
  auto_accept: bool(false, "Accepts every new key.", { reload: true }),
  autosign_file: any(null, "A file of ids, globs or regular expressions, one per line. Matching keys are accepted.", {
    path: true,
    reload: true,
  }),
  autoreject_file: any(null, "A file of ids, globs or regular expressions whose keys are rejected.", {
    path: true,
    reload: true,
  }),
  autosign_timeout: number(120, "Minutes for which a file in `minions_autosign` is valid.", {
    rule: anyNumber,
    reload: true,
  }),
  autosign_grains: list([], "Grains by whose values in `autosign_grains_dir` keys are accepted.", { reload: true }),
  autosign_grains_dir: any(null, "The directory of accepted grain values, one file for each grain.", {
    path: true,
    reload: true,
  }),
  permissive_pki_access: bool(false, "The group may write to `autosign_file` and `autoreject_file`.", { reload: true }),
  key_pass: any(null, "The passphrase of the master's private key.", { secret: true }),
  signing_key_pass: any(null, "The passphrase of the private key of `master_sign_key_name`.", { secret: true }),
  hash_type: text("sha256", "The hash of fingerprints, tokens and job directories; equal on all hosts.", {
    rule: hashType,
  }),
  master_sign_pubkey: bool(
    false,
    "Replies to sign-ins carry a signature, for minions with `verify_master_pubkey_sign`.",
  ),
  master_sign_key_name: text("master_sign", "The name of the key pair in `pki_dir` that signs replies to sign-ins."),
  master_pubkey_signature: text(
    "master_pubkey_signature",
    "The file in `pki_dir` of a signature that was made beforehand.",
  ),
  master_use_pubkey_signature: bool(
    false,
    "Replies are signed by `master_pubkey_signature`; the signing key can stay elsewhere.",
  ),
  sign_pub_messages: bool(true, "Published jobs are signed."),
  publish_signing_algorithm: text(
    "PKCS1v15-SHA1",
    "The signature of published jobs: PKCS1v15-SHA1 or PKCS1v15-SHA224.",
  ),
  require_minion_sign_messages: bool(false, "Refuses returns without a valid signature of the minion's key."),
  drop_messages_signature_fail: bool(false, "Refuses returns whose signature is wrong."),
  signing_algorithm: text("PKCS1v15-SHA1", "The signature by which minions' messages are verified."),
  publish_session: number(86400, "Seconds until the session key is replaced."),
  rotate_aes_key: bool(true, "Deleting or rejecting a key replaces the session key."),
  request_server_ttl: number(0, "Seconds for which a request is valid. 0: without limit."),
  minimum_auth_version: number(
    3,
    "Older versions of the request protocol are refused: they do not prove their sender.",
    { rule: withinRange(0, 3) },
  ),
  allow_minion_key_revoke: bool(true, "A minion may revoke its own key."),
  preserve_minion_cache: bool(false, "The cache of a minion stays when its key is deleted."),
  auth_events: bool(true, "Each sign-in fires `salt/auth`."),
  publisher_acl: map({}, "What local users may run, as user (regular expression) → functions.", {
    rule: mapRule(isGrant, "user → list of functions"),
    reload: true,
  }),
  publisher_acl_blacklist: map({}, "Users and modules that are refused whatever else allows them.", {
    rule: mapRule(isTexts, "users and modules → list of patterns"),
    reload: true,
  }),
  sudo_acl: bool(false, "`publisher_acl` also applies to users who call `salt` through sudo.", { reload: true }),
  client_acl_verify: bool(
    true,
    "True: patterns of `publisher_acl` give accounts of this host a key. False: only exact names do.",
    { reload: true },
  ),
  permissive_acl: bool(
    false,
    "True: every user also has the permissions of `*`. False: only users without other permissions.",
    { reload: true },
  ),
  external_auth: map({}, "Permissions, as backend → user or group → functions: see docs/permissions.md.", {
    rule: externalAuth,
    reload: true,
  }),
  "auth.enable_expanded_auth_matching": bool(false, "All rules that match a minion count together."),
  "auth.pam.service": text("login", "The PAM service of the backend `pam`."),
  "auth.pam.python": text("/usr/bin/python3", "The interpreter that asks PAM where pamtester is not installed."),
  eauth_acl_module: text("", "The backend for permissions, instead of the backend of the login.", { reload: true }),
  vault: partly(
    any(undefined, "How Vault is reached, and the policies of minions: `url`, `auth`, `policies` and more.", {
      secret: true,
    }),
    "the policies of a minion are not cached; `auth: {method}` is `token`, `approle` or `wrapped_token`",
  ),
  sharedsecret: text("", "The password of the backend `sharedsecret`.", { reload: true, secret: true }),
  token_dir: text("", "The directory of tokens. The program sets it to `tokens` in `cachedir`, as Salt does.", {
    path: true,
  }),
  token_file: text("", "Where `salt -T` keeps a token; empty for `salt_token` in `~/.config/salt` or `~`."),
  token_expire: number(43200, "Seconds for which a token is valid.", { reload: true }),
  token_expire_user_override: any(
    false,
    "Users who may choose the lifetime of a token: True for all, or backend → users.",
    {
      reload: true,
    },
  ),
  keep_acl_in_token: bool(false, "Uses the permissions at the time of the login, not the present ones.", {
    reload: true,
  }),
  file_recv: bool(false, "Minions may push files to the master (`cp.push`)."),
  file_recv_max_size: number(100, "MiB that a pushed file may have."),
  failhard: bool(false, HANDED_ON),
  state_top: text("top.sls", "The name of the top files of pillar, and of minions' states."),
  state_top_saltenv: any(null, "The one environment whose top file minions read; empty for all."),
  default_top: text("base", HANDED_ON),
  env_order: list([], "Environments whose top files count, for pillar and minions' states, in order; empty for all."),
  top_file_merging_strategy: text("merge", HANDED_ON),
  state_output: text("full", "How the outputter `highstate` shows states: full, terse, mixed, changes or filter."),
  state_output_pct: bool(false, "The outputter `highstate` shows percentages of success and failure."),
  state_tabular: bool(
    false,
    "Shows the terse form of the outputter `highstate` in columns. A text is the format of a line.",
  ),
  state_compress_ids: bool(false, "The outputter `highstate` shows states of one id and result together."),
  state_aggregate: bool(false, HANDED_ON),
  state_events: bool(false, HANDED_ON),
  state_auto_order: bool(true, HANDED_ON),
  test: bool(false, "Orchestrations say what they would change, and change nothing."),
  renderer: partly(
    text("jinja|yaml", "The pipeline of pillar files that name none."),
    "the renderers are jinja, yaml, json and gpg",
  ),
  renderer_whitelist: list([], "Renderers that pillar may use; empty for all."),
  renderer_blacklist: list([], "Renderers that pillar must not use."),
  jinja_env: map({}, "Jinja2's environment options for templates other than SLS files, such as `trim_blocks`."),
  jinja_sls_env: map({}, "Jinja2's environment options for SLS files, such as `trim_blocks`."),
  jinja_trim_blocks: bool(false, "The older way to set `trim_blocks` for all templates."),
  jinja_lstrip_blocks: bool(false, "The older way to set `lstrip_blocks` for all templates."),
  file_roots: map({ "base": ["/srv/salt", "/srv/spm/salt"] }, "The directories of files, as environment → list.", {
    rule: roots,
  }),
  fileserver_backend: partly(
    list(["roots"], "Where files come from."),
    "only `roots` and `gitfs` (or `git`)",
  ),
  fileserver_followsymlinks: partly(
    bool(true, "Lists files below linked directories, and follows links out of a root."),
    "a link out of a root is not followed if another user than root can have made it",
  ),
  fileserver_ignoresymlinks: bool(false, "Links are left out of listings."),
  fileserver_limit_traversal: bool(false, "Lists only directories with SLS files, and Salt's own such as `_modules`."),
  fileserver_events: bool(false, "Changed files fire `salt/fileserver/roots/update`."),
  fileserver_interval: number(3600, "Seconds between looks for changed files, with `fileserver_events`."),
  fileserver_list_cache_time: number(20, "Seconds for which a listing is reused."),
  file_ignore_regex: list([], "Files that are neither listed nor served, as regular expressions."),
  file_ignore_glob: list([], "Files that are neither listed nor served, as globs."),
  file_buffer_size: number(1048576, "Bytes of a file that one reply carries."),
  pillar_roots: map(
    { "base": ["/srv/pillar", "/srv/spm/pillar"] },
    "The directories of pillar, as environment → list.",
    { rule: roots },
  ),
  master_tops: map(
    {},
    "More sources of states beside top files. `ext_nodes` is a command that gets the id; custom modules work too.",
  ),
  ext_pillar: list([], "External pillars, each a map of name → arguments."),
  ext_pillar_first: bool(false, "External pillars come before the files, whose top file can match by them."),
  proxy_host: any(undefined, PROXY_DOCS.proxy_host, { rule: proxyHost }),
  proxy_port: any(undefined, PROXY_DOCS.proxy_port, { rule: ports }),
  proxy_username: any(undefined, PROXY_DOCS.proxy_username),
  proxy_password: any(undefined, PROXY_DOCS.proxy_password, { secret: true }),
  no_proxy: any(undefined, PROXY_DOCS.no_proxy, { rule: noProxy }),
  exclude_ext_pillar: list([], "External pillars that are left out."),
  on_demand_ext_pillar: list(["libvirt", "virtkey"], "External pillars that a minion may ask for."),
  pillar_opts: bool(false, "The pillar has the master's options, under `master`."),
  pillar_safe_render_error: bool(true, "Minions see that a pillar file failed, but not why."),
  pillar_source_merging_strategy: text(
    "smart",
    "How pillars are merged: smart, recurse, aggregate, overwrite, list or none.",
    { rule: merging },
  ),
  pillar_includes_override_sls: bool(false, "Values of an included file replace those of the file that includes it."),
  pillar_cache: bool(false, "Compiled pillars are cached."),
  pillar_cache_ttl: number(3600, "Seconds for which a cached pillar is used."),
  pillar_cache_backend: text("disk", "Where compiled pillars are cached: disk or memory.", {
    rule: oneOf("disk", "memory"),
  }),
  pillarenv_from_saltenv: bool(false, "A minion's `saltenv` is also its `pillarenv`."),
  saltenv: any(null, "The environment of pillar where a minion names none."),
  mine_get: any(undefined, "Which functions of the mine a minion may read, as minion → functions; empty for all.", {
    reload: true,
  }),
  peer: map({}, "Functions that minions may run on other minions (`publish.publish`), as minion → functions.", {
    rule: mapRule(isGrants, "minion → list of functions"),
    reload: true,
  }),
  peer_run: map({}, "Runners that minions may run (`publish.runner`), as minion → runners.", {
    rule: mapRule(isTexts, "minion → list of runners"),
    reload: true,
  }),
  nodegroups: maps("Named targets, as name → compound expression; a list of such maps is joined.", {
    rule: nodegroups,
    reload: true,
  }),
  order_masters: bool(false, "Syndics below this master are served: it is a master of masters."),
  syndic_minions: map(
    {},
    "A map from each syndic to the ids or globs of its minions. Empty: all minions that have no key on this master.",
  ),
  syndic_jobs_hourly: number(
    3600,
    "Unknown jobs per hour that a syndic may report. No higher master published them. 0: no limit.",
  ),
  syndic_master: any(
    "masterofmasters",
    "The master or masters above this one that the syndic serves, as `host` or `host:port`.",
  ),
  syndic_master_port: any(undefined, "The port of their request servers; by default the minion's `master_port`."),
  syndic_failover: text(
    "random",
    "The higher master that gets returns of jobs that no higher master has published: `random` or `ordered`.",
  ),
  syndic_mode: text(
    "sync",
    "The data that the syndic forwards. `sync`: all events and jobs. `cluster`: only jobs of the higher masters.",
  ),
  syndic_wait: number(5, "Seconds that `salt` waits for syndics to name their minions."),
  syndic_event_forward_timeout: number(
    0.5,
    "Seconds for which the syndic gathers returns and events before it sends them.",
  ),
  syndic_jid_forward_cache_hwm: number(100, "The number of this master's jobs that the syndic remembers as forwarded."),
  syndic_user: text("", "The user that the syndic runs as; empty for `user`."),
  syndic_log_file: text("/var/log/salt/syndic", "The syndic's log file.", { path: true }),
  syndic_pidfile: text("/var/run/salt-syndic.pid", "The file that holds the syndic's process id.", { path: true }),
  master_id: any(
    undefined,
    "Marks the jobs that this master publishes. Its own syndic does not return them to it.",
  ),
  batch_safe_limit: any(null, "From this number of minions on, `salt` uses batches."),
  batch_safe_size: number(8, "The size of the batches of `batch_safe_limit`."),
  salt_cp_chunk_size: number(98304, "Bytes that `salt-cp --chunked` sends at once."),
  rest_cherrypy: any(null, "The settings of salt-api, with rest_cherrypy's routes: see docs/api.md."),
  rest_tornado: any(null, "The settings of salt-api, with rest_tornado's routes: see docs/api.md."),
  netapi_enable_clients: list([], "The clients that salt-api offers, such as `local` or `runner`."),
  netapi_allow_raw_shell: bool(
    false,
    "Accepts requests for a raw shell in salt-api. They then fail, because Brine has no salt-ssh.",
  ),
  rest_timeout: any(null, "Seconds that salt-api waits for a runner; empty for 300."),
  api_logfile: any(null, "The log file of salt-api; empty for `/var/log/salt/api`."),
  api_pidfile: any(null, "The pid file of salt-api; empty for `/var/run/salt-api.pid`."),
  api_metrics: map({}, "The metrics of salt-api, with the names of `metrics`: see docs/metrics.md."),
  syndic_metrics: map({}, "The metrics of salt-syndic, with the names of `metrics`: see docs/metrics.md."),
  log_file: text(
    "/var/log/salt/master",
    "The log file, or a system logger: `file:///dev/log/LOG_DAEMON`, `udp://host:514`.",
    { path: true },
  ),
  key_logfile: partly(
    text("/var/log/salt/key", "The log file of salt-key.", { path: true }),
    "URIs are not written to",
  ),
  audit_log: bool(
    false,
    "Records commands with their users, logins, key decisions and refusals in `audit_dir`: see docs/keys.md.",
  ),
  audit_dir: text("/var/log/salt/audit", "The directory of the audit log.", { path: true }),
  audit_file_bytes: number(67108864, "Bytes after which the audit log starts a new file.", {
    rule: withinRange(65_536),
  }),
  audit_file_seconds: number(86400, "Seconds after which the audit log starts a new file.", {
    rule: withinRange(60),
  }),
  audit_keep_files: number(90, "The number of older audit files to keep. 0: all.", { rule: withinRange(0) }),
  audit_args: text("redacted", "Arguments in the audit log: `redacted` (without secrets), `none` or `full`.", {
    rule: oneOf("redacted", "none", "full"),
  }),
  audit_redact: list(
    [],
    "Globs of argument names whose values are not recorded. Passwords and tokens are never recorded.",
  ),
  audit_redact_functions: list(
    [],
    "More functions, as globs, whose arguments are not recorded. Functions with secrets are always included.",
  ),
  audit_failure: text(
    "continue",
    "The action while the audit log cannot be written: `continue`, or `refuse` commands.",
    {
      rule: oneOf("continue", "refuse"),
    },
  ),
  max_open_files: partly(
    number(100000, "The limit of open files and connections; each minion needs two."),
    "limited by the hard limit of the process",
  ),
  max_event_size: partly(
    number(1048576, "Bytes that an event of a runner may have; larger values become VALUE_TRIMMED."),
    "the protocol limits other events",
  ),
  default_include: text("master.d/*.conf", "Files that are read after this one."),
  zmq_filtering: bool(false, "Publishes jobs by topic, so that a minion receives only its own jobs."),
  event_return: any(
    "",
    "The returners that store all events, one or a list: see docs/event-return.md.",
  ),
  event_return_queue: partly(
    number(0, "The number of events that are collected before a store gets them."),
    "a store gets at least this number, and at most 500, at once",
  ),
  event_return_queue_max_seconds: number(
    0,
    "Seconds after which a store gets events even if fewer are collected. 0: no limit.",
  ),
  event_return_whitelist: list([], "Events that are stored, as globs of tags; empty for all."),
  event_return_blacklist: list([], "Events that are not stored, as globs of tags."),
  event_return_niceness: any(null, "The nice value of the event return process, from -20 to 19."),
  event_return_spool_bytes: number(
    134_217_728,
    "Bytes of events that wait on disk while a store is unavailable. The oldest are dropped first, and counted.",
  ),
  event_keep_seconds: number(
    300,
    "Seconds for which the master keeps events for subscribers that were disconnected. They are the reactor, event returns, and programs with the library.",
  ),
  event_keep_bytes: number(67_108_864, "The limit of those events in bytes. The oldest are dropped first."),
  event_framing: text(
    "auto",
    "The framing of events for Salt's programs that read them: auto, stream, or length (latest 3006).",
    { rule: oneOf("auto", "stream", "length") },
  ),
  brine_job_cache_bytes: number(
    0,
    "The limit of the job cache in bytes. The oldest jobs are deleted first. 0: no limit.",
  ),
  ...HOST_OPTIONS,
};

/** A master's configuration: every option of the table, and whatever else the files hold. */
export type MasterOpts = OptsOf<OptionTable>;

/**
 * The table as a type: `MasterOpts` is made from it.
 *
 * @internal
 */
type OptionTable = typeof MASTER_OPTIONS;
