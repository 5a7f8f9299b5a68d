import { GIT_PILLAR_OPTIONS, GITFS_OPTIONS } from "./git_opts.ts";
import { any, bool, list, map, number, partly, text } from "./option.ts";
import { WEB_OPTIONS } from "./web_opts.ts";
import { anyNumber, level, levels, oneOf, withinRange } from "./rules.ts";

/** Options of Python on a host: a minion uses them for modules and states, a master for runners. */
const PYTHON_OPTIONS = {
  python: any(
    "auto",
    "The Python that runs custom modules written for Salt. `auto`: that of Salt's packages, of a virtual environment, or `python3` in the path. False: none. A path: that one.",
  ),
  python_salt: bool(
    true,
    "Salt's own package of that Python lends the modules and functions that Brine does not have.",
  ),
  python_prefer: list([], "Modules whose functions come from Salt's own package where it has them, such as `pkg`."),
  utils_dirs: list([], "More directories of `_utils`, for custom modules in Python."),
};

/** Options that masters and minions have with the same type, default and meaning. */
export const HOST_OPTIONS = {
  ...GITFS_OPTIONS,
  ...GIT_PILLAR_OPTIONS,
  ...PYTHON_OPTIONS,
  ...WEB_OPTIONS,
  ssl: any(
    null,
    "TLS with the transports `tcp` and `ws`: `certfile`, `keyfile`, `ca_certs`, `cert_reqs`, `ssl_version`, `ciphers`; see docs/transports.md.",
  ),
  user: text(
    "root",
    "The user that the daemon runs as; started as root, it changes to that user. Default: who starts it.",
  ),
  root_dir: text("/", "The directory that all paths of the configuration are put below."),
  extension_modules: text("", "The directory of synced custom modules; empty for `extmods` in `cachedir`.", {
    path: true,
  }),
  engine_max_memory: number(
    536870912,
    "Bytes of memory for an engine. An engine with more is killed and restarted.",
  ),
  pillarenv: any(null, "The one environment that pillar is compiled from."),
  pillar_merge_lists: bool(false, "Merging joins lists rather than replacing them."),
  decrypt_pillar: any(
    [],
    "Paths of pillar values to decrypt after all files are merged. Each path alone, or with a renderer (`a:b: gpg`).",
  ),
  decrypt_pillar_delimiter: text(":", "The separator between the keys of such a path."),
  decrypt_pillar_default: text("gpg", "The renderer of values for which `decrypt_pillar` names none."),
  decrypt_pillar_renderers: list(["gpg"], "Renderers that may decrypt values of pillar, and pillar given with a call."),
  gpg_keydir: any(
    undefined,
    "The directory of gpg's keys. Not set: `gpgkeys` beside the configuration file.",
  ),
  gpg_decrypt_must_succeed: bool(
    false,
    "True: a value that gpg cannot decrypt is an error. False: it stays encrypted.",
  ),
  template_max_steps: number(
    2_000_000,
    "The maximum of loop rounds and calls in a template. A template with more fails, with file and line.",
  ),
  template_max_size: number(67_108_864, "The maximum of characters that one template may write."),
  state_output_diff: bool(false, "The outputter `highstate` shows changed and failed states alone."),
  state_output_profile: bool(true, "The outputter `highstate` shows when each state started and how long it took."),
  state_output_exclude: any(undefined, "Results that the outputter `highstate` leaves out in its mode filter."),
  state_output_terse: any(undefined, "Results that the outputter `highstate` shows tersely in its mode filter."),
  state_verbose: bool(true, "The outputter `highstate` shows states that succeeded without changes."),
  clean_dynamic_modules: bool(true, "A sync removes custom modules that are no longer in the file roots."),
  extmod_whitelist: map({}, "Custom modules that may be synced, as kind → names; empty for all."),
  extmod_blacklist: map({}, "Custom modules that must not be synced, as kind → names."),
  module_dirs: list([], "More directories of custom execution modules."),
  outputter_dirs: list([], "More directories of custom outputters."),
  durability: text(
    "power",
    "`power`: acknowledged data survives a power failure. `process`: it survives a crash of the process.",
    {
      rule: oneOf("power", "process"),
    },
  ),
  keysize: number(2048, "Bits of a new private key.", { rule: withinRange(2048, 32_768) }),
  include: any(null, "More files to read: a path, a glob or a list of them."),
  zmq_library: text("brine", "`brine`: the built-in ZeroMQ. `native`: libzmq through npm's zeromq, on Node.", {
    rule: oneOf("brine", "native"),
  }),
  tcp_keepalive_idle: number(300, "Seconds before the first keep-alive probe; -1 leaves it to the system.", {
    rule: anyNumber,
  }),
  metrics: partly(
    map({}, "The daemon's metrics: `listen` serves them to Prometheus, `endpoint` sends them to OpenTelemetry."),
    "`exporter` is `prometheus` or `otlp-http`; histograms have Brine's boundaries; see docs/metrics.md",
  ),
  tracing: partly(
    map({}, "Traces of jobs and requests, sent to OpenTelemetry at `endpoint`."),
    "`exporter` is `otlp-http`; see docs/metrics.md",
  ),
  log_level: text("warning", "The least level of log lines on the terminal.", { rule: level, mild: true }),
  log_level_logfile: any(null, "The least level of log lines in the file; empty for `log_level`.", {
    rule: level,
    mild: true,
  }),
  log_granular_levels: partly(
    map({}, "Log levels by part, as a map from part to level. They replace both other levels.", {
      rule: levels,
      mild: true,
    }),
    "parts have Brine's names, such as `channel.req`; `salt` means all parts",
  ),
  log_fmt_console: text("[%(levelname)-8s] %(message)s", "The form of lines on the terminal."),
  log_fmt_logfile: partly(
    text(
      "%(asctime)s,%(msecs)03d [%(name)-17s:%(lineno)-4d][%(levelname)-8s][%(process)d] %(message)s",
      "The form of lines in the file.",
    ),
    "a log record has no file and no line: `lineno` is 0",
  ),
  log_datefmt: text("%H:%M:%S", "The format of `%(asctime)s` on the terminal."),
  log_datefmt_logfile: text("%Y-%m-%d %H:%M:%S", "The format of `%(asctime)s` in the file."),
  log_fmt_jid: text("[JID: %(jid)s]", "The format of `%(jid)s` in lines of jobs."),
  log_fmt_minion_id: text("[%(minion_id)s]", "The format of `%(minion_id)s` in lines of minions."),
  log_rotate_max_bytes: number(0, "Bytes from which the log file is renamed to `.1`. 0: never."),
  log_rotate_backup_count: number(0, "The number of renamed log files to keep. 0: no file is renamed."),
  verify_env: bool(
    true,
    "Creates directories at startup, gives them to `user`, and removes the access of other users.",
  ),
};
