/** Beacons as people configure them, with what happens on the host meanwhile. `DIR` in any text stands for a directory of the host. */

/** What happens on the host: each step after the events of the one before were heard. */
export type Step =
  | { write: string; text: string }
  | { append: string; text: string }
  | { remove: string }
  | { rename: string; to: string }
  | { mkdir: string }
  | { chmod: string; mode: number };

export interface BeaconCase {
  /** The configuration of the beacon, which has the name of the case. */
  config: unknown;
  steps?: Step[];
  /** It is of the pillar. @default of the minion's configuration */
  pillar?: boolean;
}

const LOW = { "1m": [-1, -0.5], "5m": [0, 999], "15m": [0, 999] };
const CALM = { "1m": [0, 9999], "5m": [0, 9999], "15m": [0, 9999] };
const ps = (processes: Record<string, string>, ...more: unknown[]) => [
  { beacon_module: "ps" },
  { processes },
  ...more,
];
const STOPPED = { nosuchprogram: "stopped" };

const FILE_STEPS: Step[] = [
  { write: "DIR/watched/a", text: "one\n" },
  { append: "DIR/watched/a", text: "two\n" },
  { rename: "DIR/watched/a", to: "DIR/watched/b" },
  { mkdir: "DIR/watched/new" },
  { write: "DIR/watched/new/deep", text: "x\n" },
  { remove: "DIR/watched/b" },
];

export const BEACON_CASES: Record<string, BeaconCase> = {
  // Forms of a configuration.
  ps: { config: [{ processes: STOPPED }] },
  ps_list_of_processes: { config: ps({ ...STOPPED, other: "running", third: "x" }) },
  ps_module_in_the_same_map: { config: [{ beacon_module: "ps", processes: STOPPED }] },
  ps_as_a_map: { config: { beacon_module: "ps", processes: STOPPED } },
  ps_without_processes: { config: [{ beacon_module: "ps" }] },
  ps_processes_a_list: { config: [{ beacon_module: "ps" }, { processes: ["nosuchprogram"] }] },
  ps_enabled: { config: ps(STOPPED, { enabled: true }) },
  ps_disabled: { config: ps(STOPPED, { enabled: false }) },
  ps_interval: { config: ps(STOPPED, { interval: 2 }) },
  ps_once: { config: ps(STOPPED, { run_once: true }) },
  ps_not_during_states: { config: ps(STOPPED, { disable_during_state_run: true }) },
  ps_all_options: { config: ps(STOPPED, { interval: 1 }, { disable_during_state_run: true }, { enabled: true }) },
  ps_of_the_pillar: { config: ps(STOPPED), pillar: true },
  ps_of_the_pillar_interval: { config: ps(STOPPED, { interval: 3 }), pillar: true },
  no_such_beacon: { config: [{ a: 1 }] },
  module_that_there_is_not: { config: [{ beacon_module: "nosuch" }, { a: 1 }] },
  // What the host has.
  memusage: { config: [{ percent: "0%" }] },
  memusage_number: { config: [{ beacon_module: "memusage" }, { percent: 0 }] },
  memusage_fraction: { config: [{ beacon_module: "memusage" }, { percent: "0.5%" }] },
  memusage_high: { config: [{ beacon_module: "memusage" }, { percent: "101%" }] },
  memusage_without: { config: [{ beacon_module: "memusage" }] },
  swapusage: { config: [{ percent: "0%" }] },
  swapusage_high: { config: [{ beacon_module: "swapusage" }, { percent: "101%" }] },
  diskusage: { config: [{ "/": "0%" }] },
  diskusage_number: { config: [{ beacon_module: "diskusage" }, { "/": 0 }] },
  diskusage_pattern: { config: [{ beacon_module: "diskusage" }, { "^\\/(?!proc|sys|dev|run|etc).*$": "0%" }] },
  diskusage_several: { config: [{ beacon_module: "diskusage" }, { "/": "0%" }, { "/nosuch": "0%" }, { "/": "101%" }] },
  load: { config: [{ averages: LOW }] },
  load_calm: { config: [{ beacon_module: "load" }, { averages: CALM }] },
  load_emitatstartup: {
    config: [{ beacon_module: "load" }, { averages: LOW }, { emitatstartup: true }, { onchangeonly: false }],
  },
  load_onchangeonly: {
    config: [{ beacon_module: "load" }, { averages: LOW }, { emitatstartup: false }, { onchangeonly: true }],
  },
  load_text: { config: [{ beacon_module: "load" }, { averages: LOW }, { onchangeonly: "yes" }] },
  status: { config: [] },
  network_info: { config: [{ interfaces: { lo: { type: "greater", bytes_sent: -1 } } }] },
  network_info_equal: {
    config: [{ beacon_module: "network_info" }, { interfaces: { lo: { type: "equal", errin: 0 } } }],
  },
  network_info_several: {
    config: [{ beacon_module: "network_info" }, {
      interfaces: { lo: { type: "greater", dropin: -1 }, nosuch0: { type: "greater", dropin: -1 } },
    }],
  },
  salt_monitor: { config: [{ salt_fun: ["test.ping"] }] },
  salt_monitor_arguments: {
    config: [{ beacon_module: "salt_monitor" }, {
      salt_fun: ["test.ping", { "test.arg": { args: ["a", 1], kwargs: [{ b: 2 }] } }, { "test.false": {} }],
    }],
  },
  salt_monitor_text: { config: [{ beacon_module: "salt_monitor" }, { salt_fun: "test.echo" }] },
  salt_monitor_one: { config: [{ beacon_module: "salt_monitor" }, { salt_fun: "test.ping" }] },
  salt_monitor_wrong: { config: [{ beacon_module: "salt_monitor" }, { salt_fun: [{ "test.arg": { nosuch: 1 } }] }] },
  service: { config: [{ services: { nosuchservice: {} } }] },
  service_on_change: { config: [{ beacon_module: "service" }, { services: { second: { onchangeonly: true } } }] },
  service_not_at_start: {
    config: [{ beacon_module: "service" }, { services: { third: { onchangeonly: true, emitatstartup: false } } }],
  },
  service_delay: { config: [{ beacon_module: "service" }, { services: { fourth: { onchangeonly: true, delay: 2 } } }] },
  service_unclean: {
    config: [{ beacon_module: "service" }, { services: { nosuchservice: { uncleanshutdown: "/etc/hostname" } } }],
  },
  service_without: { config: [{ beacon_module: "service" }, { other: 1 }] },
  // Files of the host.
  log: {
    config: [{ file: "DIR/app.log" }, {
      tags: { "good/bye": { regex: ".*good-bye.*" }, number: { regex: "^\\d+" }, none: {} },
    }],
    steps: [
      { append: "DIR/app.log", text: "a good-bye of 7\n7 good-byes\nnothing\n" },
      { append: "DIR/app.log", text: "12\n" },
    ],
  },
  cert_info: { config: [{ files: ["DIR/cert.pem"] }, { notify_days: 4000 }] },
  cert_info_in_list: {
    config: [{ beacon_module: "cert_info" }, { files: [{ "DIR/cert.pem": { notify_days: 4000 } }] }],
  },
  cert_info_far: { config: [{ beacon_module: "cert_info" }, { files: ["DIR/cert.pem"] }, { notify_days: 1 }] },
  inotify: { config: [{ files: { "DIR/watched": { mask: ["create", "delete", "modify"] } } }], steps: FILE_STEPS },
  inotify_deep: {
    config: [{ beacon_module: "inotify" }, {
      files: { "DIR/watched": { mask: ["create", "delete", "moved_to"], recurse: true, auto_add: true } },
    }],
    steps: FILE_STEPS,
  },
  inotify_exclude: {
    config: [{ beacon_module: "inotify" }, {
      files: {
        "DIR/watched": {
          mask: ["create", "close_write"],
          exclude: ["DIR/watched/new", { "/b$": { regex: true } }],
        },
      },
    }],
    steps: FILE_STEPS,
  },
  inotify_one_file: {
    config: [{ beacon_module: "inotify" }, { files: { "DIR/one": { mask: ["modify"] } } }],
    steps: [{ append: "DIR/one", text: "more\n" }],
  },
  inotify_no_mask: {
    config: [{ beacon_module: "inotify" }, { files: { "DIR/one": {} } }],
    steps: [{ append: "DIR/one", text: "x\n" }],
  },
  watchdog: {
    config: [{ directories: { "DIR/watched": { mask: ["create", "delete", "move"] } } }],
    steps: FILE_STEPS,
  },
  btmp: { config: [] },
  wtmp: { config: [{ users: { root: { time_range: { start: "8am", end: "4pm" } } } }] },
  pkg: { config: [{ pkgs: ["bash", "nosuchpackage"] }] },
};
