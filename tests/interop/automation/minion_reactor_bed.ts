/** A minion with the engine `reactor`: what becomes of events on its own bus. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { pause, until } from "../../../bench/bed/until.ts";
import { listenBus, sendToBus } from "../../../src/model/event/bus_client.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { packEvent } from "../../../src/protocol/wire/event_frame.ts";
import { Fleet, idOf } from "../fleet.ts";
import type { Kind } from "../release.ts";

/** SLS files by the last part of the tag that they react to; `OUT` is a directory, `salted` comes from `salt://`. */
export const MINION_REACTIONS: Record<string, string> = {
  touch: "x:\n  caller.file.touch:\n    - args:\n      - name: OUT/touch\n",
  positional: "x:\n  caller.file.write:\n    - args:\n      - OUT/positional\n      - '{{ data.word }} {{ tag }}'\n",
  older: "x:\n  caller.file.write:\n    - arg:\n      - OUT/older\n      - a\n    - kwarg: {args: b}\n",
  template:
    'x:\n  caller.file.write:\n    - args:\n      - OUT/template\n      - \'{{ opts.id == grains.id }} {{ pillar }} {{ salt["test.echo"]("hi") }}\'\n',
  pillar:
    'x:\n  caller.file.write:\n    - args:\n      - OUT/pillar\n      - \'{{ salt["pillar.get"]("of_files", "none") }}\'\n',
  event: "x:\n  caller.event.send:\n    - args:\n      - tag: my/sent\n      - data: {a: {{ data.word }}}\n",
  fire: "x:\n  caller.event.fire:\n    - args:\n      - tag: my/fired\n      - data: {a: 1}\n",
  state: "x:\n  caller.state.apply:\n    - args:\n      - mods: of_pillar\n",
  salted: "x:\n  caller.file.touch:\n    - args:\n      - name: OUT/salted\n",
  minions: "x:\n  local.file.touch:\n    - tgt: '*'\n    - args:\n      - name: OUT/minions\n",
  cmd: "x:\n  cmd.file.touch:\n    - tgt: '*'\n    - arg:\n      - OUT/cmd\n",
  missing: "x:\n  caller.no.such: []\n",
  broken: "x: {{ nothing.at.all }}\n",
};

/** What a case has left: files with their text, and events on the bus of the minion. */
export type MinionCaused = Record<string, string[]>;

/** Fires the events of the cases on the bus of a minion without a file server, and looks what they cause. */
export async function reactOnMinion(kind: Kind, expected?: MinionCaused): Promise<MinionCaused> {
  const id = idOf(kind);
  const names = Object.keys(MINION_REACTIONS);
  const fleet: Fleet = new Fleet({
    master: "brine",
    minions: [kind],
    minionOptions: () => ({
      file_client: "local",
      file_roots: { base: [fleet.path("roots")] },
      pillar_roots: { base: [fleet.path("pillar")] },
      engines: [{ reactor: { worker_threads: 2, refresh_interval: 30 } }],
      reactor: [...names, "end"].map((name) => ({
        [`case/${name}`]: name === "salted" ? "salt://salted.sls" : [fleet.path("reactions", `${name}.sls`)],
      })),
    }),
  });
  const out = fleet.path("made");
  const files: Record<string, Record<string, string>> = {
    made: {},
    reactions: {
      ...MINION_REACTIONS,
      end: "x:\n  caller.event.fire:\n    - args:\n      - tag: ended\n      - data: {n: {{ data.n }}}\n",
    },
    roots: {
      salted: MINION_REACTIONS.salted!,
      of_pillar: "x:\n  file.managed:\n    - name: OUT/state\n    - contents: {{ pillar.of_files }}\n",
    },
    pillar: { top: "base:\n  '*': [all]\n", all: "of_files: yes-it-is\n" },
  };
  for (const [folder, texts] of Object.entries(files)) {
    mkdirSync(fleet.path(folder));
    for (const [name, text] of Object.entries(texts)) {
      writeFileSync(fleet.path(folder, `${name}.sls`), text.replaceAll("OUT", out));
    }
  }
  const { net, clock } = await currentRuntime();
  let heard: string[] = [];
  let ended = -1;
  try {
    await fleet.start();
    const run = fleet.path(id, "run");
    const socket = (end: string) => ({
      kind: "unix" as const,
      path: `${run}/${
        readdirSync(run).find((name) => name.startsWith("minion_event_") && name.endsWith(`_${end}.ipc`))
      }`,
    });
    const own = await listenBus(net, socket("pub"), ({ tag, data: { _stamp, ...data } }) => {
      if (tag === "ended") ended = Number(data.n);
      else if (tag.startsWith("my/")) heard.push(`event ${tag} ${JSON.stringify(data)}`);
    });
    const bus = await sendToBus(net, socket("pull"));
    const send = (tag: string, data: Record<string, unknown>) => bus.send(packEvent(tag, data, { now: clock.now() }));
    await until("the reactor is there", async () => {
      send("case/end", { n: 0 });
      await pause(200);
      return ended === 0;
    });
    const caused: MinionCaused = {};
    let known = new Set<string>();
    for (const [at, name] of names.entries()) {
      heard = [];
      send(`case/${name}`, { word: "w" });
      send("case/end", { n: at + 1 });
      // States write a file under another name first.
      const made = () => readdirSync(out).filter((file) => !known.has(file) && /^[a-z]+$/.test(file));
      const found = () => [...made().map((file) => `file ${file} ${readFileSync(`${out}/${file}`, "utf8")}`), ...heard];
      const wanted = expected?.[name];
      await until(name, async () => {
        if (ended !== at + 1) return false;
        if (wanted === undefined) await pause(2000);
        return wanted === undefined || JSON.stringify(found()) === JSON.stringify(wanted);
      }).catch((error: Error) => void heard.push(error.message));
      caused[name] = found();
      known = new Set(readdirSync(out));
    }
    own.close();
    void bus.close();
    return caused;
  } catch (error) {
    throw new Error(fleet.report((error as Error).message));
  } finally {
    await fleet.stop();
  }
}
