// deno-fmt-ignore-file
// Written by scripts/function_types.ts (npm run -s types:functions) from the signatures of the modules: do not edit.
import type { StateReturns } from "./shapes.ts";

/**
 * The built-in runners: what each takes and what it returns, in the form of {@link ExecutionFunctions}. Add runners of your
 * own by declaration merging.
 */
export interface RunnerFunctions {
  /** Lines of the audit log, oldest first. */
  "audit.list": { args: { user?: string | null; fun?: string | null; minion?: string | null; kind?: string | null; outcome?: string | null; since?: unknown; until?: unknown; limit?: number }; order: ["user", "fun", "minion", "kind", "outcome", "since", "until", "limit"]; returns: Record<string, unknown>[] };
  /** Checks the audit log: that no line was changed, removed, added or moved, and that it reaches to its last signature. */
  "audit.verify": { args: { expect?: unknown }; order: ["expect"]; returns: { ok: boolean; files: number; lines: number; begins?: string; first?: { n: number; time: string }; last?: { n: number; time: string }; checkpoints: number; signed_to: number; unsigned: number; problems: { file: string; line: number; problem: string }[]; more_problems: number } };
  /** Makes a token worthless; False if there is none. */
  "auth.del_token": { args: { token: string }; order: ["token"]; returns: boolean };
  /** Creates a token for a user of an external_auth backend. */
  "auth.mk_token": { args: { [name: string]: unknown }; order: []; returns: unknown };
  /** Forgets grains, pillar and mine of minions. False without a target. */
  "cache.clear_all": { args: { tgt?: string | string[] | null; tgt_type?: string }; order: ["tgt", "tgt_type"]; returns: boolean };
  /** Removes locks of repositories. */
  "cache.clear_git_lock": { args: { role: string; remote?: string | null; [name: string]: unknown }; order: ["role", "remote"]; returns: "No locks were removed" | { cleared: unknown[] } };
  /** Forgets the grains of minions. False without a target. */
  "cache.clear_grains": { args: { tgt?: string | string[] | null; tgt_type?: string }; order: ["tgt", "tgt_type"]; returns: boolean };
  /** Empties the mine of minions. False without a target. */
  "cache.clear_mine": { args: { tgt?: string | string[] | null; tgt_type?: string }; order: ["tgt", "tgt_type"]; returns: boolean };
  /** Takes one name out of the mine of minions. */
  "cache.clear_mine_func": { args: { tgt?: string | string[] | null; tgt_type?: string; clear_mine_func_flag?: unknown }; order: ["tgt", "tgt_type", "clear_mine_func_flag"]; returns: boolean };
  /** Forgets the pillar of minions. False without a target. */
  "cache.clear_pillar": { args: { tgt?: string | string[] | null; tgt_type?: string }; order: ["tgt", "tgt_type"]; returns: boolean };
  /** Not supported: there is no salt-cloud, so nothing is known of its machines. */
  "cache.cloud": { args: { tgt: string | string[]; provider?: unknown }; order: ["tgt", "provider"]; returns: never };
  /** A value of a bank of the master's cache; an empty map if there is none. */
  "cache.fetch": { args: { bank: string; key: string; cachedir?: string | null }; order: ["bank", "key", "cachedir"]; returns: unknown };
  /** Takes one name, or all of them, out of a bank of the master's cache. */
  "cache.flush": { args: { bank: string; key?: string | null; cachedir?: string | null }; order: ["bank", "key", "cachedir"]; returns: boolean };
  /** The grains of minions as the master saw them last; with `fields` only those. */
  "cache.grains": { args: { tgt: string | string[]; tgt_type?: string; [name: string]: unknown }; order: ["tgt", "tgt_type"]; returns: Record<string, unknown> };
  /** The names in a bank of the master's cache. */
  "cache.list": { args: { bank: string; cachedir?: string | null }; order: ["bank", "cachedir"]; returns: string[] };
  /** Not supported: the cache is kept in files, as Salt's localfs has them, and in nothing else. */
  "cache.migrate": { args: { src_driver?: string; dst_driver?: string; bank?: string | null; cachedir?: string | null; dry_run?: boolean }; order: ["src_driver", "dst_driver", "bank", "cachedir", "dry_run"]; returns: never };
  /** What minions have in the mine. */
  "cache.mine": { args: { tgt?: string | string[] | null; tgt_type?: string; [name: string]: unknown }; order: ["tgt", "tgt_type"]; returns: Record<string, unknown> };
  /** The pillar of minions as the master compiled it last. */
  "cache.pillar": { args: { tgt?: string | string[] | null; tgt_type?: string; [name: string]: unknown }; order: ["tgt", "tgt_type"]; returns: Record<string, unknown> };
  /** Keeps a value under a name in a bank of the master's cache. */
  "cache.store": { args: { bank: string; key: string; data: unknown; cachedir?: string | null }; order: ["bank", "key", "data", "cachedir"]; returns: null };
  /** A value of the master's configuration; parts of the way to it are separated by colons. Passwords and secrets are hidden. */
  "config.get": { args: { key: string; default?: unknown; delimiter?: string }; order: ["key", "default", "delimiter"]; returns: unknown };
  /** The documentation of all execution functions of the minions. */
  "doc.execution": { args: Record<never, never>; order: []; returns: Record<string, string> };
  /** The documentation of all functions of runners. */
  "doc.runner": { args: Record<never, never>; order: []; returns: Record<string, string> };
  /** The documentation of all wheel functions. */
  "doc.wheel": { args: Record<never, never>; order: []; returns: Record<string, string> };
  /** How each engine of this master stands: its state, its process, how often it was started again and why, and how many events it has had and fired. */
  "engines.status": { args: { name?: string | null }; order: ["name"]; returns: unknown };
  /** Raises an error with this name; without a name, returns an empty map. */
  "error.error": { args: { name?: string | null; message?: string }; order: ["name", "message"]; returns: Record<string, unknown> };
  /** Fires an event on the master's bus. */
  "event.send": { args: { tag: string; data?: unknown }; order: ["tag", "data"]; returns: boolean };
  /** Clears what backends have fetched. */
  "fileserver.clear_cache": { args: { backend?: string | string[] | null }; order: ["backend"]; returns: unknown };
  /** Clears cached listings, so that the master reads again: backend → environments. */
  "fileserver.clear_file_list_cache": { args: { saltenv?: string | null; backend?: string | string[] | null }; order: ["saltenv", "backend"]; returns: Record<string, string[]> };
  /** Unlocks remotes. */
  "fileserver.clear_lock": { args: { backend?: string | string[] | null; remote?: string | null }; order: ["backend", "remote"]; returns: unknown };
  /** The directories of an environment. */
  "fileserver.dir_list": { args: { saltenv?: string; backend?: string | string[] | null }; order: ["saltenv", "backend"]; returns: string[] };
  /** The empty directories of an environment. */
  "fileserver.empty_dir_list": { args: { saltenv?: string; backend?: string | string[] | null }; order: ["saltenv", "backend"]; returns: string[] };
  /** The environments. */
  "fileserver.envs": { args: { backend?: string | string[] | null; sources?: boolean }; order: ["backend", "sources"]; returns: string[] };
  /** The files of an environment. */
  "fileserver.file_list": { args: { saltenv?: string; backend?: string | string[] | null }; order: ["saltenv", "backend"]; returns: string[] };
  /** Locks remotes against updates. */
  "fileserver.lock": { args: { backend?: string | string[] | null; remote?: string | null }; order: ["backend", "remote"]; returns: unknown };
  /** The symbolic links of an environment with their targets. */
  "fileserver.symlink_list": { args: { saltenv?: string; backend?: string | string[] | null }; order: ["saltenv", "backend"]; returns: Record<string, string> };
  /** Looks for changes; with fileserver_events fires an event if there are any. */
  "fileserver.update": { args: { backend?: string | string[] | null; [name: string]: unknown }; order: ["backend"]; returns: boolean };
  /** Fetches the remotes of git_pillar: True for those with changes, None without, False for those that failed. */
  "git_pillar.update": { args: { branch?: string | null; repo?: string | null }; order: ["branch", "repo"]; returns: Record<string, boolean | null> };
  /** Makes a request; the body of the answer, and what else is wanted: the same as the execution function http.query. */
  "http.query": { args: { url: string; output?: string; [name: string]: unknown }; order: ["url", "output"]; returns: unknown };
  /** The jobs that are running now, according to the minions. */
  "jobs.active": { args: { display_progress?: boolean }; order: ["display_progress"]; returns: Record<string, unknown> };
  /** The running master's counters of jobs: the open ones, and the refused returns. */
  "jobs.counters": { args: Record<never, never>; order: []; returns: { open: number; refused: Record<string, number> } };
  /** Dequeues a job for all minions that it waits for, or for one of them. */
  "jobs.dequeue": { args: { jid: string; minion?: string | null }; order: ["jid", "minion"]; returns: unknown };
  /** Whether each minion's return is a true value. */
  "jobs.exit_success": { args: { jid: string; ext_source?: string | null }; order: ["jid", "ext_source"]; returns: Record<string, boolean> };
  /** What each minion has sent back of a job: its return, retcode and success. */
  "jobs.get_jid": { args: { jid: string; ext_source?: string | null }; order: ["jid", "ext_source"]; returns: unknown };
  /** The newest job, or the newest that a search finds; False for none. */
  "jobs.last_run": { args: { ext_source?: string | null; outputter?: string | null; metadata?: unknown; function?: string | null; target?: unknown; display_progress?: boolean }; order: ["ext_source", "outputter", "metadata", "function", "target", "display_progress"]; returns: unknown };
  /** All details of a job. */
  "jobs.list_job": { args: { jid: string; ext_source?: string | null; display_progress?: boolean }; order: ["jid", "ext_source", "display_progress"]; returns: Record<string, unknown> };
  /** Jobs that are on record, all or those that a search finds. */
  "jobs.list_jobs": { args: { ext_source?: string | null; outputter?: string | null; search_metadata?: unknown; search_function?: string | string[] | null; search_target?: string | string[] | null; start_time?: unknown; end_time?: unknown; display_progress?: boolean; search_user?: unknown; search_outcome?: unknown }; order: ["ext_source", "outputter", "search_metadata", "search_function", "search_target", "start_time", "end_time", "display_progress", "search_user", "search_outcome"]; returns: unknown };
  /** The last so many jobs, without those that only ask for other jobs. */
  "jobs.list_jobs_filter": { args: { count: number; filter_find_job?: boolean; ext_source?: string | null; outputter?: string | null; display_progress?: boolean }; order: ["count", "filter_find_job", "ext_source", "outputter", "display_progress"]; returns: unknown };
  /** What came back from a job: minion → return; with missing=True also who has not returned. */
  "jobs.lookup_jid": { args: { jid: string; ext_source?: string | null; returned?: boolean; missing?: boolean; display_progress?: boolean }; order: ["jid", "ext_source", "returned", "missing", "display_progress"]; returns: unknown };
  /** Jobs that the master itself is running. */
  "jobs.master": { args: Record<never, never>; order: []; returns: Record<string, unknown>[] };
  /** The jobs that have not ended, by the record of the running master, the latest first: how many targets are open, and how many of these queued. No minion is asked. */
  "jobs.open": { args: Record<never, never>; order: []; returns: unknown };
  /** How each target of a job stands: published, started, returned, failed, timed out, lost, queued, expired or cancelled. */
  "jobs.outcome": { args: { jid: string; ext_source?: string | null }; order: ["jid", "ext_source"]; returns: Record<string, unknown> };
  /** A job and its returns, under its id. */
  "jobs.print_job": { args: { jid: string; ext_source?: string | null }; order: ["jid", "ext_source"]; returns: Record<string, Record<string, unknown>> };
  /** The jobs that are queued for disconnected minions, and when they expire. */
  "jobs.queued": { args: Record<never, never>; order: []; returns: Record<string, unknown> };
  /** The number of returns that the running master has refused, by reason. */
  "jobs.refused": { args: Record<never, never>; order: []; returns: Record<string, number> };
  /** How many targets of each of these jobs have come to which outcome; jids are a list, or separated by commas. minion: of this one alone. durations: with the seconds until the last return. */
  "jobs.tally": { args: { jids: unknown; ext_source?: string | null; minion?: string | null; durations?: boolean }; order: ["jids", "ext_source", "minion", "durations"]; returns: Record<string, unknown> };
  /** The minions that are connected now; nothing is sent to them. show_ip: with the address of each. */
  "manage.alived": { args: { subset?: unknown; show_ip?: boolean }; order: ["subset", "show_ip"]; returns: string[] };
  /** The minions that are connected now; nothing is sent to them. show_ip: with the address of each. */
  "manage.allowed": { args: { subset?: unknown; show_ip?: boolean }; order: ["subset", "show_ip"]; returns: string[] };
  /** Not supported: it would install minions over SSH. */
  "manage.bootstrap": { args: { version?: string; script?: string; hosts?: string; script_args?: string; roster?: string; ssh_user?: string | null; ssh_password?: string | null; ssh_priv_key?: string | null; tmp_dir?: string; http_backend?: string }; order: ["version", "script", "hosts", "script_args", "roster", "ssh_user", "ssh_password", "ssh_priv_key", "tmp_dir", "http_backend"]; returns: never };
  /** Not supported: it would install minions on Windows hosts from here. */
  "manage.bootstrap_psexec": { args: { hosts?: string; master?: unknown; version?: unknown; arch?: string; installer_url?: unknown; username?: string | null; password?: string | null }; order: ["hosts", "master", "version", "arch", "installer_url", "username", "password"]; returns: never };
  /** The minions that do not answer. */
  "manage.down": { args: { removekeys?: boolean; tgt?: string | string[]; tgt_type?: string; timeout?: number | null; gather_job_timeout?: number | null }; order: ["removekeys", "tgt", "tgt_type", "timeout", "gather_job_timeout"]; returns: string[] };
  /** The minions that are connected now; nothing is sent to them. show_ip: with the address of each. */
  "manage.joined": { args: { subset?: unknown; show_ip?: boolean }; order: ["subset", "show_ip"]; returns: string[] };
  /** Has all minions remove their keys, and removes those of the master: all of them, with no way back. The master has to be restarted then, Brine minions as well, and all keys accepted again. */
  "manage.key_regen": { args: Record<never, never>; order: []; returns: string };
  /** The minions with an accepted key that are not connected now. */
  "manage.list_not_state": { args: { subset?: unknown; show_ip?: boolean }; order: ["subset", "show_ip"]; returns: string[] };
  /** The minions that are connected now; nothing is sent to them. show_ip: with the address of each. */
  "manage.list_state": { args: { subset?: unknown; show_ip?: boolean }; order: ["subset", "show_ip"]; returns: string[] };
  /** The minions with an accepted key that are not connected now. */
  "manage.not_alived": { args: { subset?: unknown; show_ip?: boolean }; order: ["subset", "show_ip"]; returns: string[] };
  /** The minions with an accepted key that are not connected now. */
  "manage.not_allowed": { args: { subset?: unknown; show_ip?: boolean }; order: ["subset", "show_ip"]; returns: string[] };
  /** The minions with an accepted key that are not connected now. */
  "manage.not_joined": { args: { subset?: unknown; show_ip?: boolean }; order: ["subset", "show_ip"]; returns: string[] };
  /** The minions with an accepted key that are not connected now. */
  "manage.not_present": { args: { subset?: unknown; show_ip?: boolean }; order: ["subset", "show_ip"]; returns: string[] };
  /** The minions with an accepted key that are not connected now. */
  "manage.not_reaped": { args: { subset?: unknown; show_ip?: boolean }; order: ["subset", "show_ip"]; returns: string[] };
  /** The minions that are connected now; nothing is sent to them. show_ip: with the address of each. */
  "manage.present": { args: { subset?: unknown; show_ip?: boolean }; order: ["subset", "show_ip"]; returns: string[] };
  /** The minions that are connected now; nothing is sent to them. show_ip: with the address of each. */
  "manage.reaped": { args: { subset?: unknown; show_ip?: boolean }; order: ["subset", "show_ip"]; returns: string[] };
  /** Not supported: it would need SSH to read the minions' fingerprints. */
  "manage.safe_accept": { args: { target: unknown; tgt_type?: string }; order: ["target", "tgt_type"]; returns: never };
  /** The minions that answer and those that do not. */
  "manage.status": { args: { output?: string; tgt?: string | string[]; tgt_type?: string; timeout?: number | null; gather_job_timeout?: number | null }; order: ["output", "tgt", "tgt_type", "timeout", "gather_job_timeout"]; returns: { up: string[]; down: string[] } };
  /** The minions that answer. */
  "manage.up": { args: { tgt?: string | string[]; tgt_type?: string; timeout?: number | null; gather_job_timeout?: number | null }; order: ["tgt", "tgt_type", "timeout", "gather_job_timeout"]; returns: string[] };
  /** The versions of the minions, compared with the master's. */
  "manage.versions": { args: Record<never, never>; order: []; returns: { Master: string; [name: string]: string | Record<string, string> } };
  /** Whether a minion is known to match a compound target: {res: its id}, or {res: False}. Pillar counts by exact values alone, and a minion without cached data matches nothing that is asked of it. */
  "match.compound_matches": { args: { expr: string; minion_id: string }; order: ["expr", "minion_id"]; returns: { res: boolean | string } };
  /** The mine's values of minions under a name: minion → value. A caller who may run this can read all of the mine. */
  "mine.get": { args: { tgt: unknown; fun: string; tgt_type?: string }; order: ["tgt", "fun", "tgt_type"]; returns: Record<string, unknown> };
  /** Makes minions update their values in the mine: minion → whether that succeeded. */
  "mine.update": { args: { tgt: unknown; tgt_type?: string; clear?: boolean; mine_functions?: unknown }; order: ["tgt", "tgt_type", "clear", "mine_functions"]; returns: Record<string, unknown> };
  /** Wakes a host up by a packet to everybody on its network. */
  "network.wol": { args: { mac: string; bcast?: string; destport?: number }; order: ["mac", "bcast", "destport"]; returns: true };
  /** Wakes up the hosts whose addresses are in a file, one per line. */
  "network.wollist": { args: { maclist: unknown; bcast?: string; destport?: number }; order: ["maclist", "bcast", "destport"]; returns: unknown[] };
  /** Wakes up minions by what the master knows of their network cards, and names those cards. */
  "network.wolmatch": { args: { tgt: string | string[]; tgt_type?: string; bcast?: string; destport?: number }; order: ["tgt", "tgt_type", "bcast", "destport"]; returns: string[] };
  /** Deletes the cached pillars (pillar_cache) of minions. */
  "pillar.clear_pillar_cache": { args: { minion?: string; [name: string]: unknown }; order: ["minion"]; returns: unknown };
  /** The pillar of a minion, compiled from the grains that the master remembers of it, under other grains where they are given by name. `pillarenv` and `saltenv` are no grains. */
  "pillar.show_pillar": { args: { minion?: string; [name: string]: unknown }; order: ["minion"]; returns: Record<string, unknown> };
  /** The cached pillars (pillar_cache) of minions. */
  "pillar.show_pillar_cache": { args: { minion?: string; [name: string]: unknown }; order: ["minion"]; returns: unknown };
  /** The merged top files of all environments. */
  "pillar.show_top": { args: { minion?: string | null; saltenv?: string }; order: ["minion", "saltenv"]; returns: Record<string, unknown> };
  /** Adds a reactor until the master is started again, or its configuration is read again. */
  "reactor.add": { args: { event: unknown; reactors: unknown; saltenv?: string; test?: boolean | null }; order: ["event", "reactors", "saltenv", "test"]; returns: unknown };
  /** Deletes the reactor of a glob of tags, until the configuration is read again. */
  "reactor.delete": { args: { event: unknown; saltenv?: string; test?: boolean | null }; order: ["event", "saltenv", "test"]; returns: unknown };
  /** True if this reactor acts on events. */
  "reactor.is_leader": { args: Record<never, never>; order: []; returns: unknown };
  /** The reactors in use: each a glob of tags and its SLS files. */
  "reactor.list": { args: { saltenv?: string; test?: boolean | null }; order: ["saltenv", "test"]; returns: unknown };
  /** Has this reactor act on events, or leave them to that of another master. */
  "reactor.set_leader": { args: { value?: unknown }; order: ["value"]; returns: unknown };
  /** What the reactor did lately: counts, and the latest reactions with what they have started. */
  "reactor.status": { args: Record<never, never>; order: []; returns: Record<string, unknown> };
  /** What would react to an event, without calling it: the SLS files, the calls with their arguments, and what is wrong. Templates are rendered, so functions that they call are really called. */
  "reactor.test": { args: { tag: string; data?: unknown; reactors?: unknown }; order: ["tag", "data", "reactors"]; returns: unknown };
  /** Calls an execution function on the master's own host. */
  "salt.cmd": { args: { fun: string; [name: string]: unknown }; order: ["fun"]; rest: unknown[]; returns: unknown };
  /** Runs a function on minions: minion → return; False for one that did not answer. */
  "salt.execute": { args: { tgt: string | string[]; fun: string; arg?: unknown[]; timeout?: number | null; tgt_type?: string; ret?: string; jid?: string; kwarg?: Record<string, unknown> | null; [name: string]: unknown }; order: ["tgt", "fun", "arg", "timeout", "tgt_type", "ret", "jid", "kwarg"]; returns: Record<string, unknown> };
  /** Fetches custom modules of all kinds for the master, and returns the names of those that changed. */
  "saltutil.sync_all": { args: { saltenv?: string; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "extmod_whitelist", "extmod_blacklist"]; returns: Record<string, string[]> };
  /** Fetches the custom cache of salt://_cache for the master, and returns the names of those that changed. */
  "saltutil.sync_cache": { args: { saltenv?: string; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom clouds of salt://_clouds for the master, and returns the names of those that changed. */
  "saltutil.sync_clouds": { args: { saltenv?: string; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom tokens of salt://_tokens for the master, and returns the names of those that changed. */
  "saltutil.sync_eauth_tokens": { args: { saltenv?: string; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom engines of salt://_engines for the master, and returns the names of those that changed. */
  "saltutil.sync_engines": { args: { saltenv?: string; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom executors of salt://_executors for the master, and returns the names of those that changed. */
  "saltutil.sync_executors": { args: { saltenv?: string; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom fileserver of salt://_fileserver for the master, and returns the names of those that changed. */
  "saltutil.sync_fileserver": { args: { saltenv?: string; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom grains of salt://_grains for the master, and returns the names of those that changed. */
  "saltutil.sync_grains": { args: { saltenv?: string; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom modules of salt://_modules for the master, and returns the names of those that changed. */
  "saltutil.sync_modules": { args: { saltenv?: string; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom output of salt://_output for the master, and returns the names of those that changed. */
  "saltutil.sync_output": { args: { saltenv?: string; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom pillar of salt://_pillar for the master, and returns the names of those that changed. */
  "saltutil.sync_pillar": { args: { saltenv?: string; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom proxymodules of salt://_proxy for the master, and returns the names of those that changed. */
  "saltutil.sync_proxymodules": { args: { saltenv?: string; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom queues of salt://_queues for the master, and returns the names of those that changed. */
  "saltutil.sync_queues": { args: { saltenv?: string; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom renderers of salt://_renderers for the master, and returns the names of those that changed. */
  "saltutil.sync_renderers": { args: { saltenv?: string; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom returners of salt://_returners for the master, and returns the names of those that changed. */
  "saltutil.sync_returners": { args: { saltenv?: string; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom roster of salt://_roster for the master, and returns the names of those that changed. */
  "saltutil.sync_roster": { args: { saltenv?: string; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom runners of salt://_runners for the master, and returns the names of those that changed. */
  "saltutil.sync_runners": { args: { saltenv?: string; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom sdb of salt://_sdb for the master, and returns the names of those that changed. */
  "saltutil.sync_sdb": { args: { saltenv?: string; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom serializers of salt://_serializers for the master, and returns the names of those that changed. */
  "saltutil.sync_serializers": { args: { saltenv?: string; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom states of salt://_states for the master, and returns the names of those that changed. */
  "saltutil.sync_states": { args: { saltenv?: string; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom thorium of salt://_thorium for the master, and returns the names of those that changed. */
  "saltutil.sync_thorium": { args: { saltenv?: string; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom tops of salt://_tops for the master, and returns the names of those that changed. */
  "saltutil.sync_tops": { args: { saltenv?: string; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom utils of salt://_utils for the master, and returns the names of those that changed. */
  "saltutil.sync_utils": { args: { saltenv?: string; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom wheel of salt://_wheel for the master, and returns the names of those that changed. */
  "saltutil.sync_wheel": { args: { saltenv?: string; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom wrapper of salt://_wrapper for the master, and returns the names of those that changed. */
  "saltutil.sync_wrapper": { args: { saltenv?: string; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Deletes a value, which no driver here can. False if the profile does not exist. */
  "sdb.delete": { args: { uri: string }; order: ["uri"]; returns: unknown };
  /** The value of an address. What is no address of a profile is returned as it is. */
  "sdb.get": { args: { uri: string }; order: ["uri"]; returns: unknown };
  /** The value of an address. If there is none, a random text is stored and returned. */
  "sdb.get_or_set_hash": { args: { uri: string; length?: number; chars?: string }; order: ["uri", "length", "chars"]; returns: unknown };
  /** Stores a value. False if the profile does not exist. */
  "sdb.set": { args: { uri: string; value: unknown }; order: ["uri", "value"]; returns: unknown };
  /** Shows the events of the bus as they come: the tag, a tab, and the data as JSON. */
  "state.event": { args: { tagmatch?: string; count?: number; quiet?: boolean; sock_dir?: string | null; pretty?: boolean; node?: string }; order: ["tagmatch", "count", "quiet", "sock_dir", "pretty", "node"]; returns: null };
  /** The same as state.orchestrate. */
  "state.orch": { args: { mods: string | string[]; saltenv?: string; test?: boolean | null; exclude?: string | string[] | null; pillar?: Record<string, unknown> | null; pillarenv?: string | null; pillar_enc?: unknown; orchestration_jid?: unknown }; order: ["mods", "saltenv", "test", "exclude", "pillar", "pillarenv", "pillar_enc", "orchestration_jid"]; returns: { data: Record<string, StateReturns>; outputter: string; retcode: number } };
  /** The same as state.orchestrate_show_sls. */
  "state.orch_show_sls": { args: { mods: string | string[]; saltenv?: string; test?: boolean | null; queue?: boolean | number; pillar?: Record<string, unknown> | null; pillarenv?: string | null; pillar_enc?: unknown }; order: ["mods", "saltenv", "test", "queue", "pillar", "pillarenv", "pillar_enc"]; returns: Record<string, unknown> };
  /** Runs states on the master: those of the module salt say what is done on which minions, and in which order. */
  "state.orchestrate": { args: { mods: string | string[]; saltenv?: string; test?: boolean | null; exclude?: string | string[] | null; pillar?: Record<string, unknown> | null; pillarenv?: string | null; pillar_enc?: unknown; orchestration_jid?: unknown }; order: ["mods", "saltenv", "test", "exclude", "pillar", "pillarenv", "pillar_enc", "orchestration_jid"]; returns: { data: Record<string, StateReturns>; outputter: string; retcode: number } };
  /** Runs states on the master that are given as data. */
  "state.orchestrate_high": { args: { data: unknown; test?: boolean | null; queue?: boolean | number; pillar?: Record<string, unknown> | null; [name: string]: unknown }; order: ["data", "test", "queue", "pillar"]; returns: Record<string, unknown> };
  /** The states of an orchestration as data, before they are run. */
  "state.orchestrate_show_sls": { args: { mods: string | string[]; saltenv?: string; test?: boolean | null; queue?: boolean | number; pillar?: Record<string, unknown> | null; pillarenv?: string | null; pillar_enc?: unknown }; order: ["mods", "saltenv", "test", "queue", "pillar", "pillarenv", "pillar_enc"]; returns: Record<string, unknown> };
  /** Runs one state on the master. */
  "state.orchestrate_single": { args: { fun: string; name: string; test?: boolean | null; queue?: boolean | number; pillar?: Record<string, unknown> | null; [name: string]: unknown }; order: ["fun", "name", "test", "queue", "pillar"]; returns: Record<string, StateReturns> };
  /** Has an orchestration pause before the state of this id, or before the next one, for so many seconds. */
  "state.pause": { args: { jid: string; state_id?: string | null; duration?: number | null }; order: ["jid", "state_id", "duration"]; returns: null };
  /** Has an orchestration that pauses go on. */
  "state.resume": { args: { jid: string; state_id?: string | null }; order: ["jid", "state_id"]; returns: null };
  /** The same as state.resume. */
  "state.rm_pause": { args: { jid: string; state_id?: string | null }; order: ["jid", "state_id"]; returns: null };
  /** The same as state.pause. */
  "state.set_pause": { args: { jid: string; state_id?: string | null; duration?: number | null }; order: ["jid", "state_id", "duration"]; returns: null };
  /** The same as state.orchestrate. */
  "state.sls": { args: { mods: string | string[]; saltenv?: string; test?: boolean | null; exclude?: string | string[] | null; pillar?: Record<string, unknown> | null; pillarenv?: string | null; pillar_enc?: unknown; orchestration_jid?: unknown }; order: ["mods", "saltenv", "test", "exclude", "pillar", "pillarenv", "pillar_enc", "orchestration_jid"]; returns: { data: Record<string, StateReturns>; outputter: string; retcode: number } };
  /** Has an orchestration end before the state of this id, or before the next one. */
  "state.soft_kill": { args: { jid: string; state_id?: string | null }; order: ["jid", "state_id"]; returns: null };
  /** Runs a function on minions and shows how the returns differ from those of the first pool. */
  "survey.diff": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: { pool: string[]; result: string }[] };
  /** Runs a function on minions and groups those that returned the same. */
  "survey.hash": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: { pool: string[]; result: string }[] };
  /** The arguments as they arrive. */
  "test.arg": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: { args: unknown[]; kwargs: Record<string, unknown> } };
  /** The master's configuration. */
  "test.get_opts": { args: Record<never, never>; order: []; returns: Record<string, unknown> };
  /** Metasyntactic variables. */
  "test.metasyntactic": { args: { locality?: string }; order: ["locality"]; returns: string[] };
  /** The arguments as they arrive, with those that the runner adds. */
  "test.raw_arg": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: { args: unknown[]; kwargs: Record<string, unknown> } };
  /** Sleeps for a number of seconds. */
  "test.sleep": { args: { s_time?: number }; order: ["s_time"]; returns: boolean };
  /** Prints a text and returns another. */
  "test.stdout_print": { args: Record<never, never>; order: []; returns: string };
  /** Reports progress a hundred times. */
  "test.stream": { args: Record<never, never>; order: []; returns: boolean };
}
