/** What a minion answers, on its own bus and on its master's, to events on its bus. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { pause, until } from "../../../bench/bed/until.ts";
import { listenBus, sendToBus } from "../../../src/model/event/bus_client.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { packEvent } from "../../../src/protocol/wire/event_frame.ts";
import { Fleet, idOf } from "../fleet.ts";
import type { Kind } from "../release.ts";
import { BUS_CASES } from "./bus_cases.ts";

/** Answers by the name of the case, each as text, in the order of their text. */
export type Answers = Record<string, string[]>;

/** A real minion is busy for as long after some of the events. */
const QUIET_MS = 2500;

const FAR = { function: "test.ping", seconds: 86_400 };

function alike(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(alike);
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([key]) => key !== "_stamp" && !key.startsWith("__"))
      .map(([key, one]) => [key, (key.startsWith("_") || key === "ts") && one !== null ? "…" : alike(one)] as const)
      .sort(([a], [b]) => a < b ? -1 : 1),
  );
}

/**
 * Sends the events of the cases to a minion of one kind.
 *
 * @param expected how many answers are known to come; without it, it is waited until none comes any more
 */
export async function answersOf(kind: Kind, expected?: Answers): Promise<Answers> {
  const id = idOf(kind);
  const fleet = new Fleet({
    master: "brine",
    minions: [kind],
    masterOptions: (directory) => ({ pillar_roots: { base: [`${directory}/pillar`] } }),
    minionOptions: () => ({ schedule: { own: FAR }, beacons: { load: [{ averages: {} }, { enabled: false }] } }),
  });
  mkdirSync(fleet.path("pillar"));
  writeFileSync(fleet.path("pillar", "top.sls"), "base:\n  '*': [all]\n");
  writeFileSync(
    fleet.path("pillar", "all.sls"),
    JSON.stringify({
      schedule: { ofpillar: FAR },
      beacons: { ofpillar: [{ beacon_module: "ps" }, { processes: {} }, { interval: 3600 }] },
    }),
  );
  const { net, clock } = await currentRuntime();
  let heard: string[] = [];
  let [last, ended] = [0, ""];
  const hear = (where: string, tag: string, data: Record<string, unknown>) => {
    last = performance.now();
    heard.push(
      `${where} ${tag} ${JSON.stringify(alike(data))}`.replaceAll(fleet.directory, "DIR").replaceAll(id, "ID"),
    );
  };
  try {
    await fleet.start();
    const run = fleet.path(id, "run");
    const socket = (end: string) => ({
      kind: "unix" as const,
      path: `${run}/${
        readdirSync(run).find((name) => name.startsWith("minion_event_") && name.endsWith(`_${end}.ipc`))
      }`,
    });
    const own = await listenBus(net, socket("pub"), ({ tag, data }) => {
      if (tag.startsWith("/salt/minion/")) hear("minion", tag, data);
    });
    const master = await listenBus(
      net,
      { kind: "unix", path: fleet.path("master", "run", "master_event_pub.ipc") },
      ({ tag, data }) => {
        if (tag === "end") ended = String((data.data as Record<string, unknown>).name);
        else if (/^from\/|^before|^_salt_error|^salt\/beacon|^my\//.test(tag)) hear("master", tag, data);
      },
    );
    const bus = await sendToBus(net, socket("pull"));
    if (expected === undefined) await pause(3 * QUIET_MS);
    const send = ({ name, tag, data }: Pick<(typeof BUS_CASES)[number], "name" | "tag" | "data">) => {
      const fire = (tag: string, data: unknown) =>
        bus.send(packEvent(tag, data as Record<string, unknown>, { now: clock.now() }));
      fire(tag, JSON.parse(JSON.stringify(data).replaceAll("ID", id)));
      fire("fire_master", { tag: "end", data: { name }, events: null, pretag: null });
    };
    // A minion answers on its bus before it has its pillar: it is asked, each time after its answer, until it names the pillar's job.
    const list = { ...BUS_CASES.find(({ name }) => name === "manage_schedule list")!, name: "the pillar is there" };
    send(list);
    await until(list.name, () => {
      if (ended !== list.name) return false;
      if (heard.some((line) => line.includes('"ofpillar"'))) return true;
      ended = "";
      heard = [];
      send(list);
      return false;
    });
    const answers: Answers = {};
    for (const one of BUS_CASES) {
      const { name } = one;
      heard = [];
      last = performance.now();
      send(one);
      const wanted = expected?.[name]?.length;
      await until(
        name,
        () => wanted === undefined ? performance.now() - last > QUIET_MS : ended === name && heard.length >= wanted,
      );
      answers[name] = [...heard].sort();
    }
    own.close();
    master.close();
    void bus.close();
    return answers;
  } finally {
    await fleet.stop();
  }
}
