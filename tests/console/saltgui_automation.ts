/** The requests of SaltGUI's pages about schedules, beacons, node groups, templates, reactors, keys, minions, the mine and jobs. */
import { isRecord } from "../../src/base/record.ts";
import type { MoreOptions } from "./saltgui_fleet.ts";
import type { Step } from "./saltgui_requests.ts";

/** What these pages show. */
export const AUTOMATION: MoreOptions = {
  master: {
    nodegroups: { all: "*", none: "L@nosuch" },
    reactor: [{ "my/never/*": ["/srv/never.sls", "salt://never.sls"] }],
    saltgui_templates: { ping: { description: "ping all", target: "*", command: "test.ping" } },
    saltgui_public_pillars: ["public_.*"],
  },
  minion: {
    mine_functions: { "test.echo": ["mined"] },
    schedule: {
      nightly: { function: "test.ping", hours: 24 },
      off: { function: "test.echo", args: ["off"], days: 7, enabled: false },
    },
    beacons: {
      ps: [{ processes: { nosuch: "stopped" } }, { interval: 7200 }],
      memusage: [{ percent: "99%" }, { interval: 7200 }, { enabled: false }],
    },
  },
};

/** As the command box builds it. */
const command = (fun: string, arg: unknown[] = [], kwarg: Record<string, unknown> = {}): Step => ({
  name: `${fun} ${[...arg, ...Object.keys(kwarg)].filter((one) => typeof one === "string").join(" ")}`.trim(),
  low: (tgt) => ({
    client: "local",
    fun,
    tgt,
    full_return: false,
    tgt_type: "glob",
    ...(arg.length > 0 ? { arg } : {}),
    ...(Object.keys(kwarg).length > 0 ? { kwarg } : {}),
  }),
});

const listed = (fun: string, when: string): Step => ({
  name: `${fun} ${when}`,
  low: (tgt) => ({ client: "local", fun, kwarg: { return_yaml: false }, tgt_type: "list", tgt }),
});
const listedAll = (fun: string): Step => ({
  name: `${fun} of all`,
  low: () => ({ client: "local", fun, kwarg: { return_yaml: false }, tgt_type: "glob", tgt: "*" }),
});

/** Some entries of a map. */
const only = (names: readonly string[]) => (map: unknown) =>
  isRecord(map) ? Object.fromEntries(names.filter((name) => name in map).map((name) => [name, map[name]])) : map;
const ofEach = (part: (one: unknown) => unknown) => (map: unknown) =>
  isRecord(map) ? Object.fromEntries(Object.entries(map).map(([name, one]) => [name, part(one)])) : map;

/** Wheel functions answer `{tag, data: {return, …}}`. */
const inWheel = (part: (one: unknown) => unknown) => (answer: unknown) => {
  const { data, ...rest } = answer as { data: { return: unknown } };
  return { ...rest, data: { ...data, return: part(data.return) } };
};

/** A traceback without its frames: those are each side's own. */
const withoutFrames = (text: unknown) => String(text).replace(/(\(most recent call last\):\n)(?: {2}.*\n)*/, "$1");

const BEACONS = ["diskusage", "load", "log", "memusage", "ps", "service", "status", "swapusage"];
const isVersion = (text: unknown) => /^\d+\.\d+/.test(String(text)) ? "<VERSION>" : text;

export const AUTOMATION_STEPS: readonly Step[] = [
  listedAll("schedule.list"),
  listed("schedule.list", "of one"),
  command("schedule.disable"),
  listed("schedule.list", "while disabled"),
  command("schedule.enable"),
  command("schedule.add", ["each"], { function: "test.ping", seconds: 3600, minutes: 1, hours: 1, days: 1 }),
  command("schedule.add", ["cron"], { function: "test.ping", cron: "*/15 * * * *" }),
  command("schedule.add", ["once"], {
    function: "test.ping",
    once: "2030-01-01T10:00:00",
    once_fmt: "%Y-%m-%dT%H:%M:%S",
  }),
  command("schedule.add", ["format"], {
    function: "test.ping",
    once: "2030-01-01T10:00:00",
    once_format: "%Y-%m-%dT%H:%M:%S",
  }),
  { ...command("schedule.add", ["none"], {}), part: ofEach(withoutFrames) },
  command("schedule.modify", ["each"], { function: "test.ping", seconds: 7200, splay: 5 }),
  command("schedule.disable_job", ["each"]),
  listed("schedule.list", "after changes"),
  command("schedule.enable_job", ["each"]),
  command("schedule.run_job", ["nightly"]),
  command("schedule.run_job", ["off"]),
  command("schedule.run_job", ["off"], { force: true }),
  command("schedule.delete", ["each"]),
  command("schedule.delete", ["nosuch"]),
  listed("schedule.list", "at the end"),
  listedAll("beacons.list"),
  listed("beacons.list", "of one"),
  {
    ...listed("beacons.list_available", "of one"),
    part: ofEach((all) => Array.isArray(all) ? all.filter((name) => BEACONS.includes(String(name))).sort() : all),
  },
  command("beacons.disable"),
  listed("beacons.list", "while disabled"),
  command("beacons.enable"),
  command("beacons.add", ["load", [{ averages: { "1m": [0, 99], "5m": [0, 99], "15m": [0, 99] } }, {
    interval: 7200,
  }]]),
  command("beacons.add", ["load", { averages: {} }]),
  command("beacons.add", ["nosuch", [{ a: 1 }]]),
  command("beacons.modify", ["ps", [{ processes: { other: "stopped" } }, { interval: 7200 }]]),
  command("beacons.disable_beacon", ["ps"]),
  listed("beacons.list", "after changes"),
  command("beacons.enable_beacon", ["ps"]),
  command("beacons.delete", ["load"]),
  command("beacons.delete", ["nosuch"]),
  command("beacons.save"),
  command("beacons.reset"),
  listed("beacons.list", "at the end"),
  {
    name: "Nodegroups: all",
    low: () => ({ client: "local", full_return: true, fun: "test.version", tgt: "N@all", tgt_type: "compound" }),
    part: ofEach((one) => isRecord(one) ? { ...one, ret: isVersion(one.ret) } : one),
  },
  {
    name: "Nodegroups: none",
    low: () => ({ client: "local", full_return: true, fun: "test.version", tgt: "N@none", tgt_type: "compound" }),
  },
  {
    name: "Templates, Reactors, Login: the master's options",
    low: () => ({ client: "wheel", fun: "config.values" }),
    part: inWheel(
      only(["nodegroups", "reactor", "saltgui_templates", "saltgui_public_pillars", "id", "netapi_enable_clients"]),
    ),
  },
  {
    name: "Minions: connected",
    low: () => ({ client: "wheel", fun: "minions.connected" }),
    part: inWheel((ids) => ids),
  },
  {
    name: "Minions: versions",
    low: () => ({ client: "runner", fun: "manage.versions" }),
    part: ofEach((one) => isRecord(one) ? ofEach(isVersion)(one) : isVersion(one)),
  },
  {
    name: "Minions: grains of the cache",
    low: () => ({ client: "runner", fun: "cache.grains", tgt: "*" }),
    part: ofEach(only(["id", "kernel", "os", "os_family", "role"])),
  },
  {
    name: "Keys: fingers",
    low: () => ({ client: "wheel", fun: "key.finger", match: "*" }),
    part: inWheel(ofEach(ofEach((finger) => String(finger).replace(/[0-9a-f]{2}/g, "…")))),
  },
  { name: "Mine: valid", low: () => ({ client: "local", fun: "mine.valid", tgt: "*", tgt_type: "glob" }) },
  { name: "Jobs: active", low: () => ({ client: "runner", fun: "jobs.active" }) },
  {
    name: "Jobs: all",
    low: () => ({ client: "runner", fun: "jobs.list_jobs" }),
    part: (jobs) =>
      [...new Set(Object.values(jobs as object).map(({ Function }) => Function))].sort().filter((fun) =>
        !/^saltutil\.find_job|^runner|^wheel/.test(fun)
      ),
  },
];
