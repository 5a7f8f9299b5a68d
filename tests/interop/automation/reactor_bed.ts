/** A master without minions that reacts to the events of the cases: what its bus says because of each. */
import { generateKeyPairSync } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pause, until } from "../../../bench/bed/until.ts";
import { listenBus, sendToBus } from "../../../src/model/event/bus_client.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { packEvent } from "../../../src/protocol/wire/event_frame.ts";
import { Fleet } from "../fleet.ts";
import type { Kind } from "../release.ts";
import { DATA, DEV_FILES, REACTOR_CASES, type ReactorCase, ROOT_FILES } from "./reactor_cases.ts";

/** Keys of minions that do not run, by the directory that they are in. */
const KEYS: Record<string, string[]> = {
  minions: ["m1", "m2", "web1"],
  minions_pre: ["pend1", "pend2", "pend3", "gone"],
};

const END_SLS = "end:\n  local.test.arg:\n    - tgt: '*'\n    - arg: [end, '{{ tag }}']\n";

const HEARD = /^salt\/job\/\d+\/new$|^salt\/run\/\d+\/(?:new|ret)$|^salt\/wheel\/\d+\/(?:new|ret)$|^salt\/key$|^seen\//;

/** Fields that tell one run from another. */
const VARYING = new Set(["jid", "_stamp", "duration", "start_time", "__jid__"]);

function write(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
}

/** The same data without what is another thing in each run, in an order of its own. */
function alike(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(alike);
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object" || value === null) return value;
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(
    entries.filter(([key]) => !VARYING.has(String(key))).map(([key, one]) => [String(key), alike(one)] as const)
      .sort(([a], [b]) => a < b ? -1 : 1),
  );
}

/** The text of an event of which the same reactor says the same each time. */
function said(tag: string, data: Record<string, unknown>, directory: string): string {
  const { minions, ...rest } = data;
  const sorted = Array.isArray(minions) ? { minions: [...minions].sort() } : {};
  return `${tag} ${JSON.stringify(alike({ ...rest, ...sorted }))}`.replaceAll(directory, "SRV")
    .replace(/(?<!\d)\d{20}(?!\d)/g, "JID").replace(/c\/\d+(?!\d)/g, "TAG")
    // Documentation and places in code are each side's own.
    .replace(/(Usage:)(?:[^"\\]|\\.)*/g, "$1 …").replace(
      /(Traceback \(most recent call last\):)(?:\\n {2}(?:[^"\\]|\\(?!n).)*)+/g,
      "$1 …",
    );
}

interface Placed extends ReactorCase {
  tag: string;
  folder: string;
  entries: unknown[];
}

/** Writes the files of a case, and names its tag and directory in its entries. */
function placed(one: ReactorCase, srv: string, at: number): Placed {
  const [base, folder] = [`c/${at}`, path.join(srv, `c${at}`)];
  const named = (text: string) => text.replaceAll("SRV", folder).replaceAll("TAG", base).replaceAll("DIR", `c${at}`);
  const files = typeof one.sls === "string" ? { "x.sls": one.sls } : one.sls;
  write(folder, Object.fromEntries(Object.entries(files).map(([name, text]) => [name, named(text)])));
  const entries = one.reactor ?? [{ TAG: Object.keys(files).map((name) => `SRV/${name}`) }];
  return { ...one, tag: `${base}${one.tag ?? ""}`, folder, entries: JSON.parse(named(JSON.stringify(entries))) };
}

/** What each case has caused: events as text, sorted; `touched` where a file was made. */
export type Caused = Record<string, string[]>;

export interface BedOptions {
  /** How many events are known to come; without it, it is waited until none comes any more. */
  expected?: Caused;
  cases?: readonly ReactorCase[];
}

/** Runs the cases one after the other on a master of one kind. */
export async function reactOn(kind: Kind, { expected, cases = REACTOR_CASES }: BedOptions = {}): Promise<Caused> {
  const fleet = new Fleet({ master: kind, minions: [], masterOptions: (directory) => options(directory) });
  const srv = fleet.path("srv");
  const all = cases.map((one, at) => placed(one, srv, at));
  const options = (directory: string) => {
    const at = (name: string) => path.join(directory, "srv", name);
    write(srv, ROOT_FILES);
    write(at("dev"), DEV_FILES);
    write(srv, { "end.sls": END_SLS });
    return {
      auto_accept: false,
      // Callers of real Salt are minions of their own, which ask a master otherwise.
      file_client: "local",
      file_roots: { base: [srv], dev: [at("dev")] },
      nodegroups: { pair: "L@m1,web1" },
      reactor: [{ "end/*": [at("end.sls")] }, ...all.flatMap(({ entries }) => entries)],
    };
  };
  const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pem = publicKey.export({ type: "spki", format: "pem" }) as string;
  for (const [folder, ids] of Object.entries(KEYS)) {
    write(fleet.path("master", "pki", folder), Object.fromEntries(ids.map((id) => [id, pem])));
  }
  const { net, clock } = await currentRuntime();
  const socket = (name: string) => ({ kind: "unix" as const, path: fleet.path("master", "run", name) });
  let heard: string[] = [];
  let [ended, open, last] = ["", 0, 0];
  try {
    await fleet.start();
    const listener = await listenBus(net, socket("master_event_pub.ipc"), ({ tag, data }) => {
      // Our master asks after jobs whose minions do not answer, and those of the cases do not run.
      if (!HEARD.test(tag) || data.fun === "saltutil.find_job") return;
      last = performance.now();
      const arg = Array.isArray(data.arg) ? data.arg : [];
      if (arg[0] === "end") return void (ended = String(arg[1]));
      if (/^salt\/(?:run|wheel)\//.test(tag)) open += tag.endsWith("new") ? 1 : -1;
      heard.push(said(tag, data, srv));
    });
    const bus = await sendToBus(net, socket("master_event_pull.ipc"));
    // The reactor begins to listen some time after the master.
    await until("the reactor is there", async () => {
      bus.send(packEvent("end/begin", {}, { now: clock.now() }));
      await pause(200);
      return ended === "end/begin";
    }, { timeoutMs: 120_000 });
    await pause(expected === undefined ? 3000 : 0);
    heard = [];
    const caused: Caused = {};
    for (const [at, { name, sls, tag, data, folder, touches }] of all.entries()) {
      bus.send(packEvent(tag, data ?? DATA, { now: clock.now() }));
      bus.send(packEvent(`end/${at}`, {}, { now: clock.now() }));
      const onMaster = /runner|wheel/.test(JSON.stringify(sls));
      const isTouched = () => touches !== undefined && existsSync(path.join(folder, touches));
      const count = () => heard.length + (isTouched() ? 1 : 0);
      const wanted = expected?.[name]?.length;
      const quietMs = onMaster || open > 0 ? 1500 : 500;
      const isOver = () =>
        ended === `end/${at}` &&
        (wanted === undefined ? open <= 0 && performance.now() - last > quietMs : count() >= wanted);
      await until(name, isOver, { timeoutMs: wanted === undefined ? 60_000 : 20_000 }).catch((error: Error) => {
        heard.push(error.message);
      });
      caused[name] = [...heard, ...isTouched() ? ["touched"] : []].sort();
      [heard, open] = [[], 0];
    }
    listener.close();
    void bus.close();
    return caused;
  } finally {
    await fleet.stop();
  }
}
