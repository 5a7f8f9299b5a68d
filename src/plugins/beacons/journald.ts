import { type BeaconEvent, type BeaconModule, settingsOf, VALID } from "../../model/loader/beacons.ts";
import { equal, isMap } from "../../language/python/values.ts";
import { isRecord } from "../../base/record.ts";
import { which } from "../linux/programs.ts";
import { Follower } from "./follower.ts";

/** Entries of systemd's journal that have certain fields, from now on, by the program journalctl. */
export const beacon: BeaconModule = {
  unavailable: ({ runtime: { fs, process } }) =>
    which(fs, "journalctl", process.env("PATH")) === undefined ? "there is no program journalctl" : undefined,
  validate: (config) =>
    Object.values((settingsOf(config).services ?? {}) as object).every(isMap)
      ? VALID
      : [false, "Services configuration for journald beacon must be a list of dictionaries."],
  beacon(_config, { settings, context, memory }) {
    let follower = memory.get("follower") as Follower | undefined;
    if (follower?.error !== undefined) {
      memory.delete("follower");
      throw new Error(follower.error);
    }
    if (follower === undefined) {
      follower = new Follower(context, ["journalctl", "--follow", "--lines=0", "--output=json", "--all"]);
      memory.set("follower", follower);
    }
    const { lines, dropped } = follower.take();
    const found = lines.flatMap((line) => matching(line, settings.services));
    return dropped > 0 ? [...found, { error: `${dropped} entries of the journal were too many`, dropped }] : found;
  },
  close: ({ memory }) => (memory.get("follower") as Follower | undefined)?.close(),
};

/** Fields that Salt gives as numbers. */
const NUMBERS = /^(?:PRIORITY|_PID|_UID|_GID|SYSLOG_FACILITY|CODE_LINE|ERRNO|_AUDIT_LOGINUID|_AUDIT_SESSION)$/;

function matching(line: string, services: unknown): BeaconEvent[] {
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    return [];
  }
  if (!isRecord(entry)) return [];
  const fields = Object.fromEntries(
    Object.entries(entry).map(([name, value]) =>
      [name, NUMBERS.test(name) && /^\d+$/.test(String(value)) ? Number(value) : value] as const
    ),
  );
  return Object.entries((services ?? {}) as Record<string, Record<string, unknown>>)
    .filter(([, wanted]) => Object.entries(wanted).every(([name, value]) => equal(fields[name] ?? null, value)))
    .map(([tag]) => ({ ...fields, tag }));
}
