/** Arguments of states that are the runner's own, and never reach a state function. */

export const REQUISITES: readonly string[] = [
  "onchanges",
  "onchanges_any",
  "onfail",
  "onfail_any",
  "onfail_all",
  "onfail_stop",
  "prereq",
  "prerequired",
  "watch",
  "watch_any",
  "require",
  "require_any",
  "listen",
];

/** The requisites that work backward: a state with `require_in` adds itself to the `require` of another state. */
export const REQUISITES_IN: readonly string[] = [
  "onchanges_in",
  "onfail_in",
  "prereq_in",
  "watch_in",
  "require_in",
  "listen_in",
];

const RUNTIME: readonly string[] = [
  "fun",
  "state",
  "check_cmd",
  "cmd_opts_exclude",
  "failhard",
  "onlyif",
  "unless",
  "creates",
  "retry",
  "order",
  "parallel",
  "reload_modules",
  "reload_grains",
  "reload_pillar",
  "runas",
  "runas_password",
  "fire_event",
  "saltenv",
  "umask",
  "use",
  "use_in",
  "__env__",
  "__sls__",
  "__id__",
  "__orchestration_jid__",
  "__pub_user",
  "__pub_arg",
  "__pub_jid",
  "__pub_fun",
  "__pub_tgt",
  "__pub_ret",
  "__pub_pid",
  "__pub_tgt_type",
  "__prereq__",
  "__prerequired__",
  "__umask__",
];

/**
 * Arguments that a state function does not receive in `**kwargs`; a parameter with such a name still receives its value.
 *
 * @see salt/state.py STATE_INTERNAL_KEYWORDS
 */
export const RUNNER_KEYWORDS: ReadonlySet<string> = new Set([...REQUISITES, ...REQUISITES_IN, ...RUNTIME]);
