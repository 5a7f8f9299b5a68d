/** The same reactors on our master and on real Salt's, each with a minion of either kind: the same jobs, runners and wheel functions, with the same events. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { after, describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { listenBus, sendToBus } from "../../src/model/event/bus_client.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { packEvent } from "../../src/protocol/wire/event_frame.ts";
import { Fleet } from "./fleet.ts";
import { installSalt, type Kind, type Release } from "./release.ts";

const mode = process.env.BRINE_INTEROP ?? "";

function whyNot(): string | undefined {
  if (mode === "") return "NOT TESTED AGAINST REAL SALT: set BRINE_INTEROP to quick or full";
  if (mode !== "full") return "takes more than a minute: set BRINE_INTEROP to full";
  if (process.versions.bun !== undefined || process.versions.deno !== undefined) {
    return "driven by Node's test runner alone: set BRINE_RUNTIME to test another runtime with it";
  }
  return undefined;
}

/** SLS files by name. */
const FILES: Record<string, string> = {
  "local.sls": `
new {{ data.get('n', 0) }}:
  local.test.arg:
    - tgt: '*'
    - args:
      - a: {{ tag }}
      - b: [1, two]
older:
  cmd.test.arg:
    - tgt: brine
    - tgt_type: list
    - arg: [one, 2]
    - kwarg: {c: 3}
short:
  local.test.ping:
    - tgt: 'nobody*'
`,
  "master1.sls": "up:\n  runner.test.arg:\n    - args:\n      - foo: {{ data.get('n') }}\n",
  "master2.sls": "old_runner:\n  runner.event.send:\n    - tag: seen/runner\n    - data: {x: 1}\n",
  "wheel.sls": "keys:\n  wheel.key.list:\n    - match: acc\n",
  "order.sls": `
b_second:
  local.test.arg:
    - tgt: brine
    - arg: [second]
a_last:
  local.test.arg:
    - tgt: brine
    - order: last
    - arg: [last]
c_first:
  local.test.arg:
    - tgt: brine
    - order: 1
    - arg: [first]
`,
  "broken.sls": "bad:\n  local.test.ping:\n    tgt: '*'\n",
  "good.sls": "good:\n  local.test.arg:\n    - tgt: brine\n    - arg: [good]\n",
  "minion.sls": "answer:\n  local.test.arg:\n    - tgt: {{ data.id }}\n    - arg: [{{ data.data.get('what') }}]\n",
};

const reactorsOf = (srv: string) => [
  { "react/local": [`${srv}/local.sls`] },
  { "react/mas*": [`${srv}/master?.sls`, `${srv}/wheel.sls`] },
  { "react/order": `${srv}/order.sls` },
  { "react/*oken": [`${srv}/broken.sls`, `${srv}/none.sls`] },
  { "react/good": [`${srv}/none.sls`, `${srv}/good.sls`] },
  { "react/minion/*": [`${srv}/minion.sls`] },
];

/** Fields of events that tell one run from another. */
const VARYING = new Set(["jid", "_stamp", "tag", "minions", "missing"]);

/** What an event says, without what differs in each run. */
function said(tag: string, data: Record<string, unknown>): string {
  const name = tag.replace(/\d{20}/g, "JID");
  const fields = Object.entries(data).filter(([key]) => !VARYING.has(key)).sort(([a], [b]) => a < b ? -1 : 1);
  // Salt's runner event.send stamps the map that it was called with, and so its own arguments in the return event.
  return `${name} ${JSON.stringify(Object.fromEntries(fields)).replace(/,"_stamp":"[^"]*"/g, "")}`;
}

const WANTED = /^salt\/job\/\d+\/new$|^salt\/run\/\d+\/(?:new|ret)$|^salt\/wheel\/\d+\/(?:new|ret)$|^seen\//;

/** Runs the scenario on a master of one kind; returns what its events say, sorted, and in what order jobs were published. */
async function scenario(master: Kind, release: Release): Promise<{ events: string[]; order: string[] }> {
  const srv = mkdtempSync(path.join(tmpdir(), "brine-reactor-"));
  mkdirSync(srv, { recursive: true });
  for (const [name, text] of Object.entries(FILES)) writeFileSync(path.join(srv, name), text);
  const fleet = new Fleet({ master, minions: ["brine", release], masterOptions: () => ({ reactor: reactorsOf(srv) }) });
  const { net, clock } = await currentRuntime();
  const events: string[] = [];
  const order: string[] = [];
  let last = 0;
  try {
    await fleet.start();
    const socket = (name: string) => ({ kind: "unix" as const, path: fleet.path("master", "run", name) });
    await listenBus(net, socket("master_event_pub.ipc"), ({ tag, data }) => {
      if (!WANTED.test(tag)) return;
      events.push(said(tag, data));
      if (data.fun === "test.arg" && tag.startsWith("salt/job/")) order.push(JSON.stringify(data.arg));
      last = performance.now();
    });
    const bus = await sendToBus(net, socket("master_event_pull.ipc"));
    const quiet = async (count: number) => {
      await until(`${count} events`, () => events.length >= count);
      await until("no more come", () => performance.now() - last > 3000);
    };
    let count = 0;
    const expected: Record<string, number> = { local: 2, master: 7, order: 3, broken: 0, good: 1 };
    for (const [name, more] of Object.entries(expected)) {
      bus.send(packEvent(`react/${name}`, { n: 7 }, { now: clock.now() }));
      count += more;
      if (more > 0) await quiet(count);
    }
    for (const id of fleet.ids) {
      const { code, stdout, stderr } = await fleet.salt("brine", [
        id,
        "event.send",
        `react/minion/${id}`,
        `what=${id}`,
      ]);
      assert.equal(code, 0, fleet.report(stdout + stderr));
      // The job that sends it, and the one that reacts.
      await quiet(count += 2);
    }
    void bus.close();
    return { events: events.sort(), order };
  } finally {
    await fleet.stop();
    rmSync(srv, { recursive: true, force: true });
  }
}

const reason = whyNot() ?? installSalt("3006");
if (reason !== undefined) test("reactors of both masters", { skip: reason }, () => {});
else {
  describe("reactors of both masters", { concurrency: 1 }, () => {
    const found: Awaited<ReturnType<typeof scenario>>[] = [];
    after(() => found.splice(0));
    for (const master of ["3006", "brine"] as const) {
      test(
        `a ${master} master reacts`,
        { timeout: 300_000 },
        async () => void found.push(await scenario(master, "3006")),
      );
    }
    test("events are the same", () => assert.deepEqual(found[1]!.events, found[0]!.events));
    test("jobs are published in the same order", () => assert.deepEqual(found[1]!.order, found[0]!.order));
  });
}
