import { isRecord } from "../base/record.ts";

export interface BeaconEntry {
  name: string;
  module: string;
  enabled: boolean;
  /** The seconds between two runs; undefined for the minion's default. */
  interval?: number;
  text: string;
  data: unknown;
}

/** Beacons that are shown: a minion chooses how many it has. */
const MAX_BEACONS = 500;

/** Parses the result of `beacons.list return_yaml=False`; undefined for any other value. */
export function readBeacons(value: unknown): { enabled: boolean; entries: BeaconEntry[] } | undefined {
  if (value === null) return { enabled: true, entries: [] };
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value).filter(([name]) => name !== "enabled").slice(0, MAX_BEACONS)
    .map(([name, data]) => entryOf(name, data));
  return { enabled: value.enabled !== false, entries };
}

function entryOf(name: string, data: unknown): BeaconEntry {
  const { enabled, interval, beacon_module: module, ...rest } = settingsOf(data);
  return {
    name,
    module: typeof module === "string" ? module : name,
    enabled: enabled !== false,
    ...(typeof interval === "number" ? { interval } : {}),
    text: Object.keys(rest).length === 0 ? "" : JSON.stringify(rest).slice(0, 300),
    data,
  };
}

/** The settings of a beacon as one mapping, from a list of mappings or a single one. */
function settingsOf(data: unknown): Record<string, unknown> {
  const items = Array.isArray(data) ? data : [data];
  return Object.fromEntries(items.filter(isRecord).flatMap((item) => Object.entries(item)));
}

/** Example configurations for new beacons, by module. */
const TEMPLATES: Record<string, unknown[]> = {
  diskusage: [{ "^/(?!proc|sys|dev).*$": "90%" }, { interval: 120 }],
  inotify: [{ files: { "/etc/important.conf": { mask: ["modify"] } } }, { disable_during_state_run: true }],
  load: [{ averages: { "1m": [0, 4], "5m": [0, 3], "15m": [0, 2] } }, { interval: 30 }, { onchangeonly: true }],
  log: [{ file: "/var/log/syslog" }, { tags: { errors: { regex: "error" } } }],
  memusage: [{ percent: "90%" }, { interval: 60 }],
  ps: [{ processes: { sshd: "stopped" } }, { interval: 60 }],
  service: [{ services: { ssh: { onchangeonly: true } } }, { interval: 60 }],
  status: [{ loadavg: ["all"] }, { interval: 60 }],
};

/** The initial text of the form for a new beacon of a module. */
export const templateOf = (module: string): string =>
  JSON.stringify(Object.hasOwn(TEMPLATES, module) ? TEMPLATES[module] : [{ interval: 60 }], null, 2);

/** The configuration that was typed. @returns `problem`: the problem of an invalid text */
export function beaconData(text: string): { data?: unknown[]; problem?: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `Not JSON: ${error instanceof Error ? error.message : error}` };
  }
  if (isRecord(value)) return { data: Object.entries(value).map(([name, one]) => ({ [name]: one })) };
  if (Array.isArray(value) && value.every(isRecord)) return { data: value };
  return { problem: 'Expected a list of mappings, such as [{"interval": 60}]' };
}
