import { isRecord } from "../base/record.ts";
import { readBeacons } from "./beacon_entry.ts";
import { callText, readSchedule, whenText } from "./schedule_entry.ts";
import { compareIds } from "./fleet.ts";

/** A scheduled job or a beacon that some minions have. */
interface FleetEntry {
  name: string;
  /** What the entry does, and when: minions with the same text have the same entry. */
  text: string;
  when: string;
  enabled: boolean;
  ids: readonly string[];
}

/** The entries of minions, and the minions that did not answer. */
export interface FleetEntries {
  entries: FleetEntry[];
  silent: string[];
  told: number;
}

/** The most different entries that are kept: minions choose theirs. */
const MAX_ENTRIES = 5000;

interface Found {
  name: string;
  text: string;
  when: string;
  enabled: boolean;
}

const SCHEDULES = (answer: unknown): Found[] | undefined =>
  readSchedule(answer)?.entries.map(({ name, enabled, fields }) => ({
    name,
    enabled,
    text: callText(fields),
    when: whenText(fields),
  }));

const BEACONS = (answer: unknown): Found[] | undefined =>
  readBeacons(answer)?.entries.map(({ name, enabled, interval, text }) => ({
    name,
    enabled,
    text,
    when: interval === undefined ? "" : `every ${interval} s`,
  }));

/** The kinds of entries: the function that lists them, and how its returns are read. */
export const ENTRY_KINDS = {
  schedules: { fun: "schedule.list", read: SCHEDULES },
  beacons: { fun: "beacons.list", read: BEACONS },
} as const;

export type EntryKindName = keyof typeof ENTRY_KINDS;

/** Joins the entries of minions: equal entries of several minions become one. */
export function fleetEntries(kind: EntryKindName, answers: unknown): FleetEntries {
  const groups = new Map<string, FleetEntry & { ids: string[] }>();
  const silent: string[] = [];
  let told = 0;
  for (const [id, answer] of Object.entries(isRecord(answers) ? answers : {})) {
    const found = answer === false ? undefined : ENTRY_KINDS[kind].read(answer);
    if (found === undefined) {
      silent.push(id);
      continue;
    }
    told++;
    for (const { name, text, when, enabled } of found) {
      const key = JSON.stringify([name, text, when, enabled]);
      let group = groups.get(key);
      if (group === undefined) {
        if (groups.size >= MAX_ENTRIES) continue;
        groups.set(key, group = { name, text, when, enabled, ids: [] });
      }
      group.ids.push(id);
    }
  }
  const entries = [...groups.values()].map((group) => ({ ...group, ids: group.ids.sort(compareIds) }));
  entries.sort((left, right) => compareIds(left.name, right.name) || right.ids.length - left.ids.length);
  return { entries, silent: silent.sort(compareIds), told };
}
