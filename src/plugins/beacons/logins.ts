/** What `/var/log/wtmp` and `/var/log/btmp` tell of logins, from now on. */
import { type BeaconEvent, type BeaconItem, type BeaconModule, settingsOf, VALID } from "../../model/loader/beacons.ts";
import { isMap } from "../../language/python/values.ts";
import { parseDate } from "../../language/python/dateutil.ts";
import { lookAt } from "../linux/paths.ts";

type Run = Parameters<BeaconModule["beacon"]>[1];

/** Bytes of one record: `struct utmp` of Linux. */
const SIZE = 384;
/** Records of one look; what there is beyond is read at the next ones. */
const MOST_RECORDS = 5000;

/** A record, with the fields of Salt's events. */
function recordOf(bytes: Uint8Array): Record<string, string | number> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const text = (at: number, length: number) => {
    const piece = bytes.subarray(at, at + length);
    const end = piece.indexOf(0);
    return new TextDecoder().decode(end === -1 ? piece : piece.subarray(0, end));
  };
  return {
    type: view.getInt16(0, true),
    PID: view.getInt32(4, true),
    line: text(8, 32),
    inittab: text(40, 4),
    user: text(44, 32),
    hostname: text(76, 256),
    exit_status: view.getInt16(332, true),
    session: view.getInt16(334, true),
    time: view.getInt32(336, true),
    addr: view.getInt32(340, true),
  };
}

/** Records that were written since the last look; none at the first. */
function newRecords({ context: { runtime: { fs } }, memory }: Run, path: string): Record<string, string | number>[] {
  const size = lookAt(fs, path)?.size ?? 0;
  const at = memory.get("at") as number | undefined;
  if (at === undefined) {
    memory.set("at", size);
    return [];
  }
  const from = size < at ? 0 : at;
  const count = Math.min(Math.floor((size - from) / SIZE), MOST_RECORDS);
  const bytes = fs.readAt(path, from, count * SIZE);
  memory.set("at", from + count * SIZE);
  return Array.from(
    { length: Math.floor(bytes.length / SIZE) },
    (_, index) => recordOf(bytes.subarray(index * SIZE, (index + 1) * SIZE)),
  );
}

interface TimeRange {
  start?: unknown;
  end?: unknown;
}

interface Who {
  time_range?: TimeRange;
}

type Whos = Record<string, Who>;

/** Why the part of a configuration is wrong; undefined if it is not. */
function mistake(name: string, word: string, part: unknown, isOne: boolean): string | undefined {
  if (part === undefined) return undefined;
  if (!isMap(part)) return `${word} configuration for ${name} beacon must be a dictionary.`;
  for (const own of isOne ? [part] : Object.values(part as object)) {
    const range = (own as Who | null)?.time_range;
    if (range === undefined || range === null) continue;
    if (!isMap(range)) return `The time_range parameter for ${name} beacon must be a dictionary.`;
    if (!("start" in range && "end" in range)) {
      return `The time_range parameter for ${name} beacon must contain start & end options.`;
    }
  }
  return undefined;
}

const validate = (name: string) => (config: readonly BeaconItem[]): [boolean, string] => {
  const { users, groups, defaults } = settingsOf(config);
  const found = mistake(name, "User", users, false) ?? mistake(name, "Group", groups, false) ??
    mistake(name, "Defaults", defaults, true);
  return found === undefined ? VALID : [false, found];
};

/** Whether it is a time of the range, by the clock of this host: times such as `8:00` are those of today. */
function isWithin({ runtime: { clock } }: Run["context"], { start, end }: TimeRange): boolean {
  const now = new Date(clock.now());
  const number = (at: { year: number; month: number; day: number; hour: number; minute: number; second: number }) =>
    Date.UTC(at.year, at.month - 1, at.day, at.hour, at.minute, at.second);
  const today = {
    year: now.getFullYear(),
    month: now.getMonth() + 1,
    day: now.getDate(),
    hour: 0,
    minute: 0,
    second: 0,
  };
  const [from, to] = [start, end].map((text) => parseDate(String(text), today));
  if (from === undefined || to === undefined) return false;
  const current = number({ ...today, hour: now.getHours(), minute: now.getMinutes(), second: now.getSeconds() });
  return number(from) <= current && current <= number(to);
}

async function withMembers({ context }: Run, users: Whos, groups: Whos): Promise<Whos> {
  const all = { ...users };
  for (const [group, own] of Object.entries(groups)) {
    const info = await context.call("group.info", [group]) as { members?: string[] } | undefined;
    for (const member of info?.members ?? []) all[member] ??= own;
  }
  return all;
}

/** Whether the record of a user is told. */
function isTold({ context }: Run, user: string, users: Whos, defaults: Who | undefined): boolean {
  const byDefault = () => defaults?.time_range === undefined || isWithin(context, defaults.time_range);
  if (Object.keys(users).length === 0) return byDefault();
  if (!Object.hasOwn(users, user)) return false;
  const range = users[user]?.time_range;
  return range === undefined ? byDefault() : isWithin(context, range);
}

/** @param action adds to a record what it is: a login, a logout */
export function loginsBeacon(
  name: string,
  path: string,
  action: (record: Record<string, unknown>, run: Run) => void,
): BeaconModule {
  return {
    unavailable: ({ runtime: { fs } }) => lookAt(fs, path)?.kind === "file" ? undefined : `${path} does not exist.`,
    validate: validate(name),
    async beacon(_config, run) {
      const records: BeaconEvent[] = newRecords(run, path);
      if (records.length === 0) return [];
      const { users = {}, groups = {}, defaults } = run.settings as { users?: Whos; groups?: Whos; defaults?: Who };
      const all = await withMembers(run, users, groups);
      return records.filter((record) => {
        action(record, run);
        return isTold(run, String(record.user), all, defaults);
      });
    },
  };
}

/** Logins that failed: records of `/var/log/btmp`. */
export const btmp: BeaconModule = loginsBeacon("btmp", "/var/log/btmp", () => {});

const LOGIN = 7;
const LOGOUT = 8;

export const wtmp: BeaconModule = loginsBeacon("wtmp", "/var/log/wtmp", (record, { memory, settings }) => {
  const { login = LOGIN, logout = LOGOUT } = (settings.ut_type ?? {}) as { login?: number; logout?: number };
  // A logout names no user: the terminal tells whose login has ended.
  const key = `tty ${record.line}`;
  if (record.type === login) {
    record.action = "login";
    memory.set(key, record.user);
  } else if (record.type === logout) {
    record.action = "logout";
    if (memory.has(key)) record.user = memory.get(key);
    memory.delete(key);
  }
});
