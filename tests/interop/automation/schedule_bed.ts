/** Schedules of a master or a minion: the returns of each entry, as an event and in the file of a returner. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { pause, until } from "../../../bench/bed/until.ts";
import { listenBus } from "../../../src/model/event/bus_client.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { Fleet } from "../fleet.ts";
import type { Kind } from "../release.ts";
import { MASTER_SCHEDULE, MINION_SCHEDULE } from "./schedule_cases.ts";

/** What became of the entries: `event …` and `file …` with the return as text, in the order of their text. */
export type Scheduled = Record<string, string[]>;

/** Real Salt begins its schedule some seconds after its start, and runs each entry in a process. */
const QUIET_MS = 20_000;

/** A master starts a process for each of its twenty runners: on a machine with other work that takes minutes. */
const ALL_MS = 240_000;

const STATES = "{{ pillar.get('word', 'x') }}:\n  test.fail_without_changes: []\n";

/** Returns of states tell more than is compared here. */
function alike(ret: Record<string, unknown>): unknown {
  const { _stamp, ts: _ts, ...rest } = ret;
  const one = (key: string, value: unknown): unknown => {
    if (key.startsWith("_T") && typeof value === "string") return "…";
    // Only returns of a minion's jobs have the number of their process here, and functions are not told it.
    if (/^(__pub_)?pid$/.test(key)) return undefined;
    if (/^(__pub_)?jid$/.test(key) && /^(req$|\d{20}(_|$))/.test(String(value))) return "jid";
    if (["start_time", "duration", "__run_num__", "__sls__", "__id__", "out"].includes(key)) return undefined;
    if (typeof value === "bigint") return Number(value);
    if (typeof value === "string" && value.startsWith("Traceback")) return value.trimEnd().split("\n").at(-1);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1));
  };
  return JSON.parse(JSON.stringify(one("", rest), one));
}

/**
 * Starts a fleet whose master, or whose minion, has the schedule.
 *
 * @param expected what is known to come; without it, it is waited until nothing comes any more
 */
export async function schedulesOf(
  kind: Kind,
  role: "master" | "minion",
  more: Record<string, unknown> = {},
  expected?: Scheduled,
): Promise<Scheduled> {
  const entries = role === "master" ? MASTER_SCHEDULE : MINION_SCHEDULE;
  const options = () => ({
    schedule: JSON.parse(JSON.stringify(entries).replaceAll("ALT", fleet.path("alt"))),
    "rawfile_json.filename": fleet.path("out"),
    // A minion of ours lets jobs and schedules name no file by itself; a real one knows no such option.
    return_kwargs_allowed: ["rawfile_json.filename"],
    "alternative.rawfile_json.filename": fleet.path("configured"),
    file_roots: { base: [fleet.path("roots")] },
    ...more,
  });
  const fleet: Fleet = new Fleet({
    master: role === "master" ? kind : "brine",
    minions: role === "master" ? [] : [kind],
    masterOptions: (directory) => role === "master" ? options() : { file_roots: { base: [`${directory}/roots`] } },
    minionOptions: options,
  });
  mkdirSync(fleet.path("roots"));
  writeFileSync(fleet.path("roots", "bad.sls"), STATES);
  const found: { name: string; text: string }[] = [];
  const files = () =>
    ["out", "alt", "configured"].flatMap((file) =>
      // The last line may still be written.
      !existsSync(fleet.path(file))
        ? []
        : readFileSync(fleet.path(file), "utf8").split("\n").slice(0, -1).map((line) => {
          const ret = JSON.parse(line) as Record<string, unknown>;
          return { name: String(ret.schedule), text: `file ${file} ${JSON.stringify(alike(ret))}` };
        })
    );
  const all = (): Scheduled =>
    Object.fromEntries(
      Object.entries(entries).map(([key, { name = key }]) => [
        key,
        [...found, ...files()].filter((one) => one.name === name).map(({ text }) =>
          text.replaceAll(fleet.directory, "DIR").replaceAll(/\b(salt3\d+|brine)\b/g, "ID")
        ).sort(),
      ]),
    );
  const { net } = await currentRuntime();
  let last = performance.now();
  try {
    const starts = fleet.start();
    const socket = { kind: "unix" as const, path: fleet.path("master", "run", "master_event_pub.ipc") };
    const listener = await untilListening(() =>
      listenBus(net, socket, ({ tag, data }) => {
        if (data.schedule === undefined) return;
        last = performance.now();
        found.push({
          name: String(data.schedule),
          text: `event ${tag.replace(/\d{20}\w*/, "jid")} ${JSON.stringify(alike(data))}`,
        });
      })
    );
    await starts;
    last = performance.now();
    const events = (lines: readonly string[]) => lines.filter((line) => line.startsWith("event")).length;
    const have = () => {
      const now = all();
      return Object.entries(expected!).every(([name, lines]) =>
        now[name]!.length >= lines.length && events(now[name]!) >= events(lines)
      );
    };
    await until(
      "all entries have run",
      () => expected === undefined ? performance.now() - last > QUIET_MS : have(),
      { timeoutMs: ALL_MS },
    ).catch(() => {});
    listener.close();
    return all();
  } catch (error) {
    throw new Error(fleet.report((error as Error).message));
  } finally {
    await fleet.stop();
  }
}

async function untilListening<T>(listen: () => Promise<T>): Promise<T> {
  let found: T | undefined;
  await until("the master's bus is there", async () => {
    found = await listen().catch(() => undefined);
    if (found === undefined) await pause(20);
    return found !== undefined;
  });
  return found!;
}

/** The fleets that are recorded. */
export const SCHEDULED_BEDS: Record<string, (kind: Kind, expected?: Scheduled) => Promise<Scheduled>> = {
  "a master": (kind, expected) => schedulesOf(kind, "master", {}, expected),
  "a master with schedule_returner": (kind, expected) =>
    schedulesOf(kind, "master", { schedule_returner: ["rawfile_json", "nosuch"] }, expected),
  "a minion": (kind, expected) => schedulesOf(kind, "minion", {}, expected),
  "a minion with schedule_returner": (kind, expected) =>
    schedulesOf(kind, "minion", { schedule_returner: "rawfile_json" }, expected),
};
