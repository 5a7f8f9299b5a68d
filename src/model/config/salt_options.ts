import { Float } from "../../language/python/values.ts";

/** A Salt option without effect in Brine. */
export interface SaltOption {
  /** Salt's default; undefined if Salt has none. */
  default: unknown;
  /** What to do instead, or why nothing needs to be done. */
  instead: string;
  /**
   * - `none`: Brine does not have the feature.
   * - `planned`: a coming feature will use the option.
   * - `unneeded`: the option tunes a part of Salt that Brine does not have, or that needs no tuning.
   * - `refused`: ignoring the option would do harm, so a daemon does not start with it.
   */
  status: "none" | "planned" | "unneeded" | "refused";
  /** The first Salt release with this option, if that is later than 3006. */
  since?: "3007" | "3008";
}

export type SaltOptions = Readonly<Record<string, SaltOption>>;

function rows(
  status: SaltOption["status"],
  instead: string,
  defaults: Readonly<Record<string, unknown>>,
  since?: SaltOption["since"],
): SaltOptions {
  const row = { instead, status, ...(since === undefined ? {} : { since }) };
  return Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, { default: value, ...row }]));
}

const none = (...row: Row) => rows("none", ...row);
const planned = (...row: Row) => rows("planned", ...row);
const unneeded = (...row: Row) => rows("unneeded", ...row);
const refused = (...row: Row) => rows("refused", ...row);
type Row = [instead: string, defaults: Readonly<Record<string, unknown>>, since?: SaltOption["since"]];

const CLUSTER = "masters form a cluster over PostgreSQL and NATS here: set `cluster` (docs/cluster.md)";
const GITFS = "repositories are fetched whole, and by git's own configuration (http.proxy)";
const GIT_KEYS = "ssh needs only the private key, and each remote has one lock per host";
const GIT_PILLAR = "repositories are fetched whole, and by git's own configuration (http.proxy)";
const FILES = "files come from directories only: copy them into a directory of file_roots";
const WINDOWS = "Windows is not supported";
const STATES = "states run without it";
const SYNDIC = "the syndic sends data again until the higher master has it";
const SSH = "there is no salt-ssh";
const STATUS = "SIGUSR1 writes the daemon's status to <cachedir>/<program>.status.json";
const STORES = "tokens, keys, grains and pillar are kept in files";
const PROXY = "there are no proxy minions";
const PRESENCE = "connected minions are always known: salt-run manage.present";
const SOCKETS = "local programs use sockets in sock_dir";
const CONNECTION = "the connection is kept open by TCP: tcp_keepalive";
const KEEP_ALIVE =
  "no runtime supports it: set net.ipv4.tcp_keepalive_probes and net.ipv4.tcp_keepalive_intvl of the host (sysctl)";
const UPDATE = "use the package manager";
const MODULES = "a custom module imports what it needs: docs/modules.md";
const CERTIFICATES = "certificates are verified with those of the runtime";
const AUTH_EVENT = "the event salt/auth carries no grains";
const NOT_NEEDED = "no replacement is needed";

/** Families of modules. Salt can disable single modules of them (option `disable_` and the family's name); Brine cannot. */
const UNDIVIDED = [
  "auths",
  "beacons",
  "engines",
  "executors",
  "fileservers",
  "matchers",
  "netapis",
  "outputs",
  "pillars",
  "queues",
  "renders",
  "runners",
  "sdbs",
  "serializers",
  "tokens",
  "tops",
  "utils",
  "wheels",
];

const BOTH: SaltOptions = {
  ...refused(
    "remove the option: Brine is not certified. For its algorithms set encryption_algorithm to OAEP-SHA224, signing_algorithm and publish_signing_algorithm to PKCS1v15-SHA224, and hash_type to sha256",
    { fips_mode: false },
  ),
  ...refused(
    "remove the option: single modules of this family cannot be disabled. Limit calls by publisher_acl, external_auth, peer_run and disable_modules",
    Object.fromEntries(UNDIVIDED.map((family) => [`disable_${family}`, undefined])),
  ),
  ...refused(CLUSTER, { cluster_id: null }, "3007"),
  ...none(CLUSTER, { cluster_mode: false }),
  ...unneeded(GIT_KEYS, {
    gitfs_global_lock: true,
    gitfs_pubkey: "",
    git_pillar_global_lock: true,
    git_pillar_pubkey: "",
  }),
  ...none(GITFS, { gitfs_depth: 1, gitfs_proxy: "" }, "3008"),
  ...none(GIT_PILLAR, {
    git_pillar_depth: 1,
    git_pillar_disable_saltenv_mapping: false,
    git_pillar_proxy: "",
    git_pillar_ref_types: ["branch", "tag", "sha"],
  }, "3008"),
  ...none(FILES, {
    azurefs_update_interval: 60,
    fileserver_ftp_timeout: undefined,
    hgfs_update_interval: 60,
    minionfs_update_interval: 60,
    roots_update_interval: 60,
    s3fs_update_interval: 60,
    svnfs_update_interval: 60,
  }),
  ...none("pillar files are read from directories only: put them into pillar_roots", {
    pepa_delimiter: undefined,
    pepa_grains: undefined,
    pepa_pillar: undefined,
    pepa_roots: undefined,
    pepa_validate: undefined,
    reclass_source_path: undefined,
  }),
  ...none(WINDOWS, {
    winrepo_branch: "master",
    winrepo_cachefile: "winrepo.p",
    winrepo_dir: "/srv/salt/win/repo",
    winrepo_dir_ng: "/srv/salt/win/repo-ng",
    winrepo_fallback: "",
    winrepo_insecure_auth: false,
    winrepo_passphrase: "",
    winrepo_password: "",
    winrepo_privkey: "",
    winrepo_pubkey: "",
    winrepo_refspecs: ["+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"],
    winrepo_remotes: ["https://github.com/saltstack/salt-winrepo.git"],
    winrepo_remotes_ng: ["https://github.com/saltstack/salt-winrepo-ng.git"],
    winrepo_ssl_verify: true,
    winrepo_user: "",
  }),
  ...none(WINDOWS, { winrepo_depth: 1, winrepo_proxy: "" }, "3008"),
  ...planned(STATES, {
    cache_sreqs: true,
    optimization_order: [0, 1, 2],
  }),
  ...planned(STATES, { state_max_parallel: 0 }, "3008"),
  ...unneeded("scheduled jobs do not block the minion", { run_schedule_jobs_in_background: undefined }),
  ...none("the syndics below a master are in <cachedir>/syndics", { syndic_dir: undefined }),
  ...none("decrypted values are not cached", {
    gpg_cache: false,
    gpg_cache_backend: "disk",
    gpg_cache_ttl: 86400,
  }),
  ...none(
    "Brine has no Thorium, and does not read its files. Use the reactor's runners, or a program that follows the events",
    {
      thorium_interval: 0.5,
      thorium_recompile: undefined,
      thorium_roots: { base: ["/srv/thorium"] },
      thorium_top: "top.sls",
      thoriumenv: null,
    },
  ),
  ...none(SSH, {
    ssh_run_pre_flight: undefined,
    roster: undefined,
    roster_defaults: undefined,
    roster_dir: undefined,
    roster_domain: undefined,
    roster_file: undefined,
    roster_order: undefined,
    ssh_max_procs: undefined,
    ssh_minion_opts: undefined,
    ssh_options: undefined,
    ssh_priv: undefined,
    ssh_signing_policies: undefined,
    ssh_update_roster: undefined,
    ssh_wipe: undefined,
    thin_dir: undefined,
  }),
  ...none("logs go to a file and stderr: forward them with the system's log service", {
    fluent_handler: undefined,
    logstash_udp_handler: undefined,
    logstash_zmq_handler: undefined,
    sentry_handler: undefined,
  }),
  ...none(STORES, { cache: "localfs" }),
  ...none(STORES, { "keys.cache_driver": "localfs_key", "pillar.cache_driver": null }, "3008"),
  ...none(PROXY, {
    add_proxymodule_to_opts: undefined,
    metaproxy: undefined,
    proxy: undefined,
    proxy_always_alive: undefined,
    proxy_deep_merge_pillar_in_opts: undefined,
    proxy_keep_alive: undefined,
    proxy_keep_alive_interval: undefined,
    proxy_merge_grains_in_module: undefined,
    proxy_merge_pillar_in_opts: undefined,
    proxy_merge_pillar_in_opts_strategy: undefined,
    proxy_mines_pillar: undefined,
    resources: undefined,
  }),
  ...none("there is no package manager spm", {
    formula_path: undefined,
    pillar_path: undefined,
    reactor_path: undefined,
    spm_build_dir: undefined,
    spm_build_exclude: undefined,
    spm_cache_dir: undefined,
    spm_conf_file: undefined,
    spm_db: undefined,
    spm_db_provider: undefined,
    spm_default_include: undefined,
    spm_files_provider: undefined,
    spm_logfile: undefined,
    spm_node_type: undefined,
    spm_repo_dups: undefined,
    spm_repos_config: undefined,
    spm_share_dir: undefined,
  }),
  ...none("masters are not discovered: set master", { discovery: false }),
  ...none("use nodegroups", { range_server: "range:80" }),
  ...unneeded(SOCKETS, { ipc_mode: "ipc" }),
  ...unneeded(CONNECTION, { zmq_heartbeat_ivl: undefined, zmq_heartbeat_timeout: undefined }),
  ...none(KEEP_ALIVE, { tcp_keepalive_cnt: -1, tcp_keepalive_intvl: -1 }),
  ...none(MODULES, { cython_enable: false }),
  ...none("hardware grains are fixed: write other values in grains", {
    fibre_channel_grains: undefined,
    grain_opts: undefined,
    iscsi_grains: undefined,
    metadata_server_grains: undefined,
    nvme_grains: undefined,
  }),
  ...none(CERTIFICATES, { use_os_truststore: false }, "3008"),
  ...none(AUTH_EVENT, { auth_events_autosign_grains: undefined }, "3008"),
  ...none("there is no salt-cloud", { bootstrap_delay: undefined }),
  ...unneeded(NOT_NEEDED, {
    event_match_type: "startswith",
    ipc_write_buffer: 0,
    sock_pool_size: 1,
    zmq_monitor: false,
  }),
  ...unneeded(NOT_NEEDED, { disable_aes_with_tls: false }, "3008"),
  ...none("these features are always on", { features: {} }),
  ...none("use grains_refresh_every", { grains_refresh_pre_exec: undefined }),
  ...none("the pillar is kept in memory", { minion_pillar_cache: undefined }),
  ...none("pillar values are shown unchanged", { pillar_mask_output: true }, "3008"),
};

/** Options of the master only, or with other defaults than the minion's. */
const MASTER: SaltOptions = {
  ...none(CERTIFICATES, { ca_bundle: undefined }),
  ...none("the signing minion has it in its configuration or in pillar", { x509_signing_policies: undefined }),
  ...none(
    CLUSTER,
    { cluster_key_pass: null, cluster_peers: [], cluster_pki_dir: null, cluster_pool_port: 4520 },
    "3007",
  ),
  ...none(CLUSTER, {
    cluster_auto_replace_voters: false,
    cluster_demote_cooldown: new Float(60),
    cluster_encryption_algorithm: "OAEP-SHA1",
    cluster_isolated_filesystem: false,
    cluster_max_log_size: null,
    cluster_max_voters: null,
    cluster_min_voters: 3,
    cluster_pub_fingerprint: null,
    cluster_secret: null,
    cluster_voter_health_check_interval: new Float(1),
    cluster_voter_timeout: new Float(10),
    "eauth_tokens.cluster_id": null,
  }, "3008"),
  ...none(GIT_PILLAR, { git_pillar_verify_config: true }),
  ...none(FILES, {
    fileserver_verify_config: true,
    hgfs_base: "default",
    hgfs_branch_method: "branches",
    hgfs_mountpoint: "",
    hgfs_remotes: [],
    hgfs_root: "",
    hgfs_saltenv_blacklist: [],
    hgfs_saltenv_whitelist: [],
    minionfs_blacklist: [],
    minionfs_env: "base",
    minionfs_mountpoint: "",
    minionfs_whitelist: [],
    svnfs_branches: "branches",
    svnfs_mountpoint: "",
    svnfs_remotes: [],
    svnfs_root: "",
    svnfs_saltenv_blacklist: [],
    svnfs_saltenv_whitelist: [],
    svnfs_tags: "tags",
    svnfs_trunk: "trunk",
  }),
  ...none("it applies to minions", { lock_saltenv: false, master_tops_first: false }),
  ...none("events go to all higher masters", { syndic_forward_all_events: false }),
  ...none(SSH, {
    enable_ssh_minions: false,
    min_extra_mods: "",
    regen_thin: false,
    ssh_config_file: undefined,
    ssh_identities_only: false,
    ssh_list_nodegroups: {},
    ssh_log_file: "/var/log/salt/ssh",
    ssh_passwd: "",
    ssh_port: "22",
    ssh_priv_passwd: "",
    ssh_scan_ports: "22",
    ssh_scan_timeout: 0.01,
    ssh_sudo: false,
    ssh_sudo_user: "",
    ssh_timeout: 60,
    ssh_use_home_key: false,
    ssh_user: "root",
    thin_extra_mods: "",
  }),
  ...none(SSH, { ssh_keepalive: true, ssh_keepalive_count_max: 3, ssh_keepalive_interval: 60 }, "3007"),
  ...none(SSH, { thin_exclude_saltexts: false, thin_saltext_allowlist: null, thin_saltext_blocklist: [] }, "3008"),
  ...none("one process does the work: set Nice= in its systemd unit", {
    event_publisher_niceness: null,
    fileserver_update_niceness: null,
    maintenance_niceness: null,
    mworker_niceness: null,
    mworker_queue_niceness: null,
    pub_server_niceness: null,
    req_server_niceness: null,
  }),
  ...none(STATUS, { master_stats: false, master_stats_event_iter: 60 }),
  ...none(STORES, {
    eauth_tokens: "localfs",
    memcache_debug: false,
    memcache_expire_seconds: 0,
    memcache_full_cleanup: false,
    memcache_max_items: 1024,
  }),
  ...none(STORES, { "eauth_tokens.cache_driver": null }, "3008"),
  ...none("there is no Django login: docs/permissions.md has the backends", {
    django_auth_path: "",
    django_auth_settings: "",
  }),
  ...none("there is no renderer for pass: keep secrets in an external pillar", {
    pass_dir: "",
    pass_gnupghome: "",
    pass_strict_fetch: false,
    pass_variable_prefix: "",
  }),
  ...none(PRESENCE, { con_cache: false }),
  ...unneeded("minions sign in again without it", { ping_on_rotate: false }),
  ...none("use file_roots", { master_roots: { base: ["/srv/salt-master"] } }),
  ...unneeded(SOCKETS, {
    tcp_master_pub_port: 4512,
    tcp_master_publish_pull: 4514,
    tcp_master_pull_port: 4513,
    tcp_master_workers: 4515,
  }),
  ...none("there are no queues", { queue_dirs: [], sqlite_queue_dir: "/var/cache/salt/master/queues" }),
  ...none("jobs are kept as master_job_cache says: salt-run jobs.list_jobs", { archive_jobs: false }),
  ...none(AUTH_EVENT, { auth_events_pend_autosign_grains: false }, "3008"),
  ...unneeded(NOT_NEEDED, {
    auth_mode: 1,
    dummy_pub: false,
    file_client: "local",
    local: true,
    maintenance_interval: 3600,
    pillar_version: 2,
    publish_drain_timeout: new Float(60),
    publish_timeout: 30,
    request_server_aes_session: 0,
    search: "",
    serial: "msgpack",
  }),
  ...unneeded(NOT_NEEDED, {
    master_async_mworker: false,
    master_mworker_max_inflight: 0,
    pub_server_write_queue_size: 10000,
    worker_pools: {},
    worker_pools_enabled: true,
  }, "3008"),
  ...none("set it in the minions' configuration", {
    cmd_blacklist_glob: undefined,
    cmd_whitelist_glob: undefined,
    enable_gpu_grains: false,
    enable_lspci: undefined,
    saltcheck_output_details: undefined,
    saltcheck_parallel: undefined,
    saltcheck_processes: undefined,
    saltcheck_test_location: undefined,
  }),
};

/** Options of the minion only, or with other defaults than the master's. */
const MINION: SaltOptions = {
  ...none(WINDOWS, {
    winrepo_cache_expire_max: 604800,
    winrepo_cache_expire_min: 1800,
    winrepo_installer_cache_expire: 0,
    winrepo_source_dir: "salt://win/repo-ng/",
  }),
  ...planned(STATES, {
    snapper_states: false,
    snapper_states_config: "root",
  }),
  ...none(SYNDIC, { syndic_retries: 3 }),
  ...none(PROXY, { resource_pillar_key: "resources" }, "3008"),
  ...none("set the limit where the service is started (MemoryMax=)", {
    minion_memory_headroom: null,
    minion_memory_max: null,
    modules_max_memory: -1,
  }),
  ...unneeded(SOCKETS, { tcp_pub_port: 4510, tcp_pull_port: 4511 }),
  ...unneeded(
    "a minion retries without limit, with growing pauses up to acceptance_wait_time",
    {
      auth_retries: 0,
      auth_safemode: false,
      auth_tries: 7,
      master_tries: 1,
      tcp_authentication_retries: 5,
    },
  ),
  ...unneeded(
    "the minion looks the name up again at each connection attempt, at most recon_max apart",
    {
      resolve_dns_fallback: true,
      retry_dns: 30,
      retry_dns_count: null,
    },
  ),
  ...unneeded("the master delays sign-ins if too many arrive at once, and pauses are random", {
    random_reauth_delay: 10,
    recon_randomize: true,
  }),
  ...unneeded("each kind of request has its own retries: see return_retry_timer, auth_timeout and recon_max", {
    request_channel_timeout: 60,
    request_channel_tries: 3,
    tcp_reconnect_backoff: 1,
  }),
  ...none("set id", { id_function: {} }),
  ...none("name the files in include", { append_minionid_config_dirs: [] }),
  ...none(
    "let the service manager restart the minion: Restart=on-failure. The minion ends only if every master rejects its key, or if master_finger differs",
    { minion_restart_command: [], restart_on_error: false },
  ),
  ...none(UPDATE, { update_restart_services: [], update_url: false }),
  ...none(UPDATE, {
    saltpip_allow_find_links: true,
    saltpip_disable_pip_version_check: false,
    saltpip_no_deps: false,
    saltpip_no_index: false,
    saltpip_use_pythonpath: false,
  }, "3008"),
  ...none(MODULES, { enable_zip_modules: false }),
  ...none("give username and password with each command", { password: null, username: null }),
  ...none("set it in the master's configuration", {
    auto_accept: true,
    autosign_timeout: 120,
    ext_job_cache: "",
    file_recv: false,
    file_recv_max_size: 100,
    interface: "0.0.0.0",
    max_event_size: 1048576,
    permissive_pki_access: false,
    pillar_cache: false,
    pillar_cache_backend: "disk",
    pillar_cache_ttl: 3600,
    presence_events: undefined,
    publisher_acl: {},
    publisher_acl_blacklist: {},
    salt_cp_chunk_size: 65536,
    unique_jid: false,
  }),
  ...unneeded(NOT_NEEDED, { local: false }),
  ...none("pass it with the job", { multifunc_ordered: false }),
};

/** Salt's master options without effect; those with an effect are in `master_opts.ts`. */
export const SALT_MASTER_OPTIONS: SaltOptions = { ...BOTH, ...MASTER };

/** Salt's minion options without effect; those with an effect are in `minion_opts.ts`. */
export const SALT_MINION_OPTIONS: SaltOptions = { ...BOTH, ...MINION };
