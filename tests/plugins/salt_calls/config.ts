import type { CallScenario } from "./scenario.ts";

/** Options whose defaults were recorded; most have no effect here. */
const DEFAULTS = `
  azurefs_update_interval cache_sreqs cluster_mode cython_enable discovery event_match_type fips_mode git_pillar_base
  git_pillar_branch git_pillar_env git_pillar_fallback git_pillar_global_lock git_pillar_includes
  git_pillar_insecure_auth git_pillar_passphrase git_pillar_password git_pillar_privkey git_pillar_pubkey
  git_pillar_refspecs git_pillar_root git_pillar_ssl_verify git_pillar_update_interval git_pillar_user gitfs_base
  gitfs_disable_saltenv_mapping gitfs_fallback gitfs_global_lock gitfs_insecure_auth gitfs_mountpoint
  gitfs_passphrase gitfs_password gitfs_privkey gitfs_pubkey gitfs_ref_types gitfs_refspecs gitfs_remotes gitfs_root
  gitfs_saltenv gitfs_saltenv_blacklist gitfs_saltenv_whitelist gitfs_ssl_verify gitfs_update_interval gitfs_user
  gpg_cache gpg_cache_backend gpg_cache_ttl gpg_decrypt_must_succeed hgfs_update_interval http_connect_timeout
  http_max_body http_request_timeout ipc_write_buffer log_rotate_backup_count log_rotate_max_bytes
  minionfs_update_interval optimization_order reactor_niceness reactor_refresh_interval reactor_worker_hwm
  reactor_worker_threads roots_update_interval s3fs_update_interval sock_pool_size svnfs_update_interval thorium_top
  thoriumenv winrepo_branch winrepo_cachefile winrepo_dir winrepo_dir_ng winrepo_fallback winrepo_insecure_auth
  winrepo_passphrase winrepo_password winrepo_privkey winrepo_pubkey winrepo_refspecs winrepo_remotes
  winrepo_remotes_ng winrepo_ssl_verify winrepo_user auth_retries auto_accept autosign_timeout cache decrypt_pillar
  decrypt_pillar_default decrypt_pillar_delimiter decrypt_pillar_renderers enable_zip_modules file_recv
  file_recv_max_size global_state_conditions log_datefmt log_datefmt_logfile log_fmt_console log_fmt_jid
  log_fmt_logfile log_granular_levels master_tops_first minion_memory_headroom minion_memory_max modules_max_memory
  on_demand_ext_pillar outputter_dirs pillar_cache pillar_cache_backend pillar_cache_ttl pillar_includes_override_sls
  pillar_opts pillar_source_merging_strategy publisher_acl publisher_acl_blacklist range_server renderer_blacklist
  renderer_whitelist salt_cp_chunk_size snapper_states snapper_states_config state_auto_order state_output_diff
  state_output_profile state_top_saltenv syndic_retries tcp_authentication_retries tcp_reconnect_backoff
  thorium_interval thorium_roots transport unique_jid winrepo_cache_expire_max winrepo_cache_expire_min
  winrepo_installer_cache_expire winrepo_source_dir
`.trim().split(/\s+/);

export const CONFIG: CallScenario[] = [
  {
    name: "config: every default that nothing acts on",
    calls: DEFAULTS.map((name) => ["config.get", name]),
  },
  {
    name: "config: defaults by other ways",
    calls: [
      ["config.get", "gitfs_root", "default=none"],
      ["config.get", "thorium_roots:base"],
      ["config.option", "log_fmt_console"],
      ["config.option", "git_pillar_*", "wildcard=True"],
      ["config.option", "transport", "omit_opts=True"],
      ["config.get", "nosuch_option", "default=x"],
      ["config.get", "nosuch_option"],
    ],
  },
];
