/** Events on the bus of a minion that ask it for something, one after the other. */
export interface BusCase {
  name: string;
  tag: string;
  data: Record<string, unknown>;
}

const schedule = (func: string, data: Record<string, unknown> = {}): BusCase => ({
  name: `manage_schedule ${func}${data.name === undefined ? "" : ` ${data.name}`}${
    data.where === undefined ? "" : ` ${data.where}`
  }`,
  tag: "manage_schedule",
  data: { func, ...data },
});
const beacons = (func: string, data: Record<string, unknown> = {}): BusCase => ({
  name: `manage_beacons ${func}${data.name === undefined ? "" : ` ${data.name}`}${
    data.include_pillar === undefined ? "" : " in part"
  }`,
  tag: "manage_beacons",
  data: { func, ...data },
});
const FAR = { function: "test.ping", seconds: 86_400 };

export const BUS_CASES: BusCase[] = [
  schedule("list"),
  schedule("add", { schedule: { one: FAR }, persist: false }),
  schedule("add", { schedule: { two: { ...FAR, enabled: false, metadata: { a: 1 } } }, persist: true }),
  schedule("list", { where: "opts" }),
  schedule("list", { where: "pillar" }),
  schedule("modify", { name: "one", schedule: { function: "test.arg", args: [1], hours: 24 }, persist: false }),
  schedule("modify", { name: "new", schedule: FAR, persist: false }),
  schedule("modify", { name: "ofpillar", schedule: FAR, persist: false }),
  schedule("disable_job", { name: "one", persist: false }),
  schedule("enable_job", { name: "one", persist: false }),
  schedule("enable_job", { name: "nosuch", persist: false }),
  schedule("enable_job", { name: "ofpillar", persist: false }),
  schedule("disable_job", { name: "ofpillar", persist: false }),
  schedule("disable", { persist: false }),
  schedule("enable", { persist: false }),
  schedule("postpone_job", {
    name: "one",
    time: "2030-01-01T00:00:00",
    new_time: "2030-01-01T10:00:00",
    time_fmt: "%Y-%m-%dT%H:%M:%S",
  }),
  schedule("skip_job", { name: "one", time: "2030-01-02T00:00:00", time_fmt: "%Y-%m-%dT%H:%M:%S" }),
  schedule("skip_job", { name: "ofpillar", time: "2030-01-02T00:00:00", time_fmt: "%Y-%m-%dT%H:%M:%S" }),
  schedule("get_next_fire_time", { name: "nosuch" }),
  schedule("job_status", { name: "nosuch", fire_event: true }),
  schedule("job_status", { name: "one" }),
  schedule("save_schedule"),
  schedule("delete", { name: "one", persist: false }),
  schedule("delete", { name: "nosuch", persist: false }),
  schedule("delete", { name: "ofpillar", persist: false }),
  schedule("reload", { schedule: { schedule: { three: FAR } } }),
  schedule("list", { where: "opts", name: "again" }),
  schedule("nosuch"),
  { name: "manage_schedule without a function", tag: "manage_schedule", data: {} },
  { name: "manage_schedule_and_more", tag: "manage_schedule_and_more", data: { func: "list" } },
  beacons("list", { include_pillar: true, include_opts: true }),
  beacons("list", { include_pillar: false, include_opts: true }),
  beacons("add", { name: "ps", beacon_data: [{ processes: { sshd: "stopped" } }, { interval: 3600 }] }),
  beacons("add", { name: "ofpillar", beacon_data: [{ processes: {} }] }),
  beacons("modify", { name: "ps", beacon_data: [{ processes: { cron: "stopped" } }, { interval: 3600 }] }),
  beacons("validate_beacon", { name: "ps", beacon_data: [{ processes: { a: "b" } }] }),
  beacons("validate_beacon", { name: "load", beacon_data: [{ averages: {} }] }),
  beacons("disable_beacon", { name: "ps" }),
  beacons("enable_beacon", { name: "ps" }),
  beacons("disable_beacon", { name: "ofpillar" }),
  beacons("disable"),
  beacons("enable"),
  beacons("delete", { name: "ps" }),
  beacons("delete", { name: "nosuch" }),
  beacons("reset"),
  beacons("nosuch"),
  { name: "beacons_refresh", tag: "beacons_refresh", data: {} },
  { name: "matchers_refresh", tag: "matchers_refresh", data: {} },
  { name: "module_refresh", tag: "module_refresh", data: {} },
  { name: "module_refresh that is told", tag: "module_refresh", data: { notify: true } },
  { name: "grains_refresh", tag: "grains_refresh", data: {} },
  { name: "grains_refresh of force", tag: "grains_refresh", data: { force_refresh: true } },
  { name: "pillar_refresh", tag: "pillar_refresh", data: {} },
  { name: "pillar_refresh of a new cache", tag: "pillar_refresh", data: { force_refresh: true, clean_cache: true } },
  {
    name: "environ_setenv",
    tag: "environ_setenv",
    data: { environ: { BRINE_TEST: "x" }, false_unsets: false, clear_all: false },
  },
  { name: "fire_master", tag: "fire_master", data: { tag: "from/minion", data: { a: 1 }, events: null, pretag: null } },
  {
    name: "fire_master with a beginning",
    tag: "fire_master",
    data: { tag: "from/minion", data: { a: 1 }, events: null, pretag: "before" },
  },
  {
    name: "fire_master of events",
    tag: "fire_master",
    data: {
      tag: null,
      data: null,
      events: [{ tag: "from/one", data: { a: 1 } }, { tag: "from/two", data: { b: 2 } }],
      pretag: null,
    },
  },
  { name: "_salt_error", tag: "_salt_error", data: { message: "it broke", args: ["it broke"], name: "Exception" } },
  {
    name: "__beacons_return",
    tag: "__beacons_return",
    data: { beacons: [{ tag: "salt/beacon/ID/ps/", data: { a: "Running", id: "ID" }, beacon_name: "ps" }] },
  },
  { name: "an event of its own", tag: "my/own", data: { a: 1 } },
];
