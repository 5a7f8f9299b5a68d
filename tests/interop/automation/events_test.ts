/** Functions that fire events, and jobs of schedules in further forms, on our minion and Salt's below one master: what its bus hears is the same. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { until } from "../../../bench/bed/until.ts";
import { type BusListener, listenBus } from "../../../src/model/event/bus_client.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { Fleet, idOf } from "../fleet.ts";
import { installSalt, type Release } from "../release.ts";

const mode = process.env.BRINE_INTEROP ?? "";

function whyNot(release: Release): string | undefined {
  if (mode === "") return "NOT TESTED AGAINST REAL SALT: set BRINE_INTEROP to quick or full";
  if (process.versions.bun !== undefined || process.versions.deno !== undefined) {
    return "driven by Node's test runner alone: set BRINE_RUNTIME to test another runtime with it";
  }
  return installSalt(release);
}

type Fields = Record<string, unknown>;

/** Words of `salt '*'`; what they fire has a tag that begins with `ev/`. */
const CALLS: string[][] = [
  ["event.send", "ev/plain"],
  ["event.send", "ev/data", "{a: 1, b: [x, y]}"],
  ["event.send", "ev/text", "words"],
  ["event.send", "ev/list", "[1, 2]"],
  ["event.send", "ev/keywords", "one=1", "two=b"],
  ["event.send", "ev/both", "{a: 1}", "a=2", "b=3"],
  ["event.send", "ev/named", "data={a: 1}"],
  ["event.send", "ev/env", "with_env=[BRINE_NONE]"],
  ["event.send", "ev/grains", "with_grains=[role, nosuch]"],
  ["event.send", "ev/pillar", "with_pillar=[who]"],
  ["event.send", "ev/pillar-all", "with_pillar=True"],
  ["event.send", "ev/env-opts", "with_env_opts=True"],
  ["event.send", "ev/preload", "preload={more: 1}"],
  ["event.send", "ev/preload-data", "{a: 1}", "preload={more: 1}"],
  ["event.send", "ev/falsy", "with_grains=False", "with_pillar=False", "with_env=False"],
  ["event.fire_master", "{a: 1}", "ev/fired"],
  ["event.fire_master", "words", "ev/fired-text"],
  ["event.fire_master", "[1, 2]", "ev/fired-list"],
  ["event.fire_master", "{a: 1}", "ev/fired-preload", "preload={more: 1}"],
  ["event.fire", "{a: 1}", "ev/local"],
  ["event.fire", "words", "ev/local-text"],
];

const SCHEDULE: Record<string, Fields> = {
  kwargs: { function: "test.arg", kwargs: { a: 1, b: [2] } },
  args_nested: { function: "test.arg", args: [["x", { y: 1 }], null, 1.5] },
  named: { function: "test.echo", args: ["x"], name: "another" },
  func: { func: "test.ping" },
  fun: { fun: "test.ping" },
  no_jid: { function: "test.ping", jid_include: false },
  metadata_text: { function: "test.ping", metadata: "words" },
  metadata: { function: "test.ping", metadata: { ticket: 7, by: [1] } },
  nocache_metadata: { function: "test.ping", return_job: "nocache", metadata: { a: 1 } },
  dry: { function: "test.ping", dry_run: true },
  retcode: { function: "test.retcode", args: [42] },
  raises: { function: "test.exception", args: ["broken"] },
  false: { function: "test.false" },
  wrong: { function: "test.echo" },
  missing: { function: "nosuch.fun" },
  state: { function: "state.single", args: ["test.succeed_without_changes"], kwargs: { name: "x" } },
  cmd: { function: "cmd.run", args: ["echo out; exit 3"], kwargs: { python_shell: true } },
  returner: { function: "test.ping", returner: "nosuch" },
  maxrunning: { function: "test.ping", maxrunning: 3 },
};

/** Jobs that return nothing. */
const SILENT = ["dry"];

function alike(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(alike);
  if (typeof value !== "object" || value === null) return value;
  const known = ["_stamp", "ts", "jid", "pid", "duration", "start_time", "__jid__", "_TS", "_TT"];
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, known.includes(key) ? typeof one : alike(one)] as const)
      .sort(([a], [b]) => a < b ? -1 : 1),
  );
}

const releases: Release[] = mode === "full" ? ["3006", "3007", "3008"] : ["3006"];

for (const release of releases) {
  describe(`events of our minion and of ${release}'s`, { skip: whyNot(release) }, () => {
    const kinds = ["brine", release] as const;
    const heard: { tag: string; id: string; text: string }[] = [];
    let bus: BusListener;
    const fleet = new Fleet({
      master: "brine",
      minions: kinds,
      masterOptions: (directory) => ({ pillar_roots: { base: [path.join(directory, "pillar")] } }),
      minionOptions: () => ({
        schedule: Object.fromEntries(
          Object.entries(SCHEDULE).map(([name, entry]) => [name, { seconds: 86_400, run_on_start: true, ...entry }]),
        ),
      }),
    });
    const general = (text: string) =>
      kinds.reduce((said, kind) => said.replaceAll(`"${idOf(kind)}"`, '"ID"').replaceAll(`/${idOf(kind)}`, "/ID"), text)
        .replace(/Traceback.*?\\n(?=\w)/g, "Traceback\\n").replace(/"__pub_pid":\d+,/g, "")
        // Of 3008 alone, which targets resources of minions.
        .replace(/"__pub_(?:minion_is_target|pure_resource_target|resource_targets)":[^,]*,/g, "").replace(
          /\d{20}(?:_\w+)?/g,
          "JID",
        );

    before(async () => {
      mkdirSync(fleet.path("pillar"));
      writeFileSync(fleet.path("pillar", "top.sls"), "base:\n  '*': [all]\n");
      writeFileSync(fleet.path("pillar", "all.sls"), "who: me\n");
      await fleet.start();
      const { net } = await currentRuntime();
      bus = await listenBus(
        net,
        { kind: "unix", path: fleet.path("master", "run", "master_event_pub.ipc") },
        ({ tag, data }) => {
          if (tag.startsWith("ev/")) {
            heard.push({ tag, id: String(data.id), text: general(JSON.stringify(alike(data))) });
          }
        },
      );
    }, { timeout: 120_000 });
    after(async () => {
      bus?.close();
      await fleet.stop();
    });

    for (const words of CALLS) {
      test(words.join(" "), { timeout: 60_000 }, async () => {
        heard.length = 0;
        const { stdout, stderr } = await fleet.salt("brine", ["*", ...words, "--static", "--out=json", "-t", "30"]);
        const answers = JSON.parse(stdout) as Fields;
        const of = (kind: typeof kinds[number]) => ({
          answer: general(String(JSON.stringify(answers[idOf(kind)]))),
          events: heard.filter(({ id }) => id === idOf(kind)).map(({ tag, text }) => `${tag} ${text}`),
        });
        assert.deepEqual(of("brine"), of(release), stderr);
      });
    }

    test("each job of the schedule has returned", { timeout: 120_000 }, async () => {
      const names = Object.keys(SCHEDULE).filter((name) => !SILENT.includes(name));
      await until(
        "each scheduled job has returned",
        () =>
          kinds.every((kind) =>
            names.every((name) =>
              fleet.scheduled.some(({ id, schedule }) =>
                id === idOf(kind) && schedule === (SCHEDULE[name]!.name ?? name)
              )
            )
          ),
      );
    });
    for (const name of Object.keys(SCHEDULE)) {
      test(`scheduled: ${name}`, () => {
        const [ours, theirs] = kinds.map((kind) => {
          const found = fleet.scheduled.find(({ id, schedule }) =>
            id === idOf(kind) && schedule === (SCHEDULE[name]!.name ?? name)
          );
          if (found === undefined) return undefined;
          const { tag, ...data } = found;
          // Of a failure Salt returns that there was one; ours what happened.
          const shown = data.success === true ? data : { ...data, return: "…" };
          return general(`${tag} ${JSON.stringify(alike(shown))}`);
        });
        assert.equal(ours, theirs);
      });
    }
  });
}
