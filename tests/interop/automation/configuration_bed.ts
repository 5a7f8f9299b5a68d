/** A whole site of one kind: a master and a minion with a configuration of the cases, and what its bus says. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pause, until } from "../../../bench/bed/until.ts";
import { listenBus, sendToBus } from "../../../src/model/event/bus_client.ts";
import { isFloat } from "../../../src/language/python/values.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { packEvent } from "../../../src/protocol/wire/event_frame.ts";
import { Fleet, idOf } from "../fleet.ts";
import type { Kind } from "../release.ts";
import type { SiteCase } from "./configuration_cases.ts";

/** Events that come by themselves, or of which each side has its own; `publish` is fired since 3007, and by ours. */
const OWN =
  /^salt\/job\/\d+\/publish$|^\d{20}|^(?:salt\/)?(?:auth|stats|key|presence)|^salt\/(?:minion|engines|minion_start)|^minion|outcome|^_/;

const VARYING = new Set([
  "_stamp",
  "ts",
  "jid",
  "pid",
  "duration",
  "start_time",
  "out",
  "__run_num__",
  "minions",
  "missing",
]);

function alike(key: string, value: unknown): unknown {
  if (VARYING.has(key) || /^__pub_(?:jid|pid)$/.test(key) || /^_T/.test(key)) return undefined;
  if (isFloat(value)) return Number(value);
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "string" && value.startsWith("Traceback")) return value.trimEnd().split("\n").at(-1);
  if (value instanceof Map) return alike(key, Object.fromEntries(value));
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1));
}

/** Runs the steps of a case on a site. @returns the different lines that its bus has told, in the order of their text */
export async function siteOf(
  kind: Kind,
  { files = {}, master = {}, minion = {}, steps, quietMs = 4000 }: SiteCase,
): Promise<string[]> {
  const named = <T>(options: T): T => JSON.parse(JSON.stringify(options).replaceAll("DIR", fleet.directory));
  const fleet: Fleet = new Fleet({
    master: kind,
    minions: [kind],
    masterOptions: () =>
      named({
        file_roots: { base: ["DIR/srv"] },
        pillar_roots: { base: ["DIR/pillar"] },
        file_client: "local",
        ...master,
      }),
    minionOptions: () => named({ loop_interval: 1, ...minion }),
  });
  for (const folder of ["srv", "pillar"]) mkdirSync(fleet.path(folder));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(fleet.path(name)), { recursive: true });
    writeFileSync(fleet.path(name), text.replaceAll("DIR", fleet.directory));
  }
  const { net, clock } = await currentRuntime();
  const socket = (name: string) => ({ kind: "unix" as const, path: fleet.path("master", "run", name) });
  const lines = new Set<string>();
  let last = performance.now();
  const plain = (text: string) =>
    text.replaceAll(fleet.directory, "DIR").replaceAll(/\b(?:salt3\d+|brine)\b/g, "ID").replaceAll(
      /\d{20}(?:_\w+)?/g,
      "JID",
    );
  const hear = ({ tag, data }: { tag: string; data: Record<string, unknown> }) => {
    if (OWN.test(tag) || data.fun === "saltutil.find_job") return;
    const line = plain(`${tag} ${JSON.stringify(alike("", data), alike)}`);
    if (!lines.has(line)) last = performance.now();
    lines.add(line);
  };
  try {
    const starts = fleet.start();
    let listener: Awaited<ReturnType<typeof listenBus>> | undefined;
    await until("the master's bus is there", async () => {
      listener = await listenBus(net, socket("master_event_pub.ipc"), hear).catch(() => undefined);
      return listener !== undefined || (await pause(20), false);
    });
    await starts;
    const bus = await sendToBus(net, socket("master_event_pull.ipc"));
    for (const step of steps) {
      // A reactor begins to listen some time after its master.
      if (step.fire !== undefined && step === steps[0]) await pause(kind === "brine" ? 1500 : 4000);
      if (step.fire !== undefined) bus.send(packEvent(step.fire[0], step.fire[1] ?? {}, { now: clock.now() }));
      if (step.append !== undefined) appendFileSync(fleet.path(step.append[0]), step.append[1]);
      const called = step.call === undefined ? undefined : fleet.salt(kind, [idOf(kind), ...step.call]);
      await until(step.until, () => [...lines].some((line) => line.includes(step.until)), { timeoutMs: 45_000 })
        .catch((error: Error) => void lines.add(`NEVER ${error.message}`));
      await called;
    }
    await until("nothing new comes", () => performance.now() - last > quietMs, { timeoutMs: 30_000 }).catch(() => {});
    listener?.close();
    void bus.close();
    const kept = existsSync(fleet.path("kept"))
      ? readFileSync(fleet.path("kept"), "utf8").trimEnd().split("\n").map((line) =>
        plain(`kept ${JSON.stringify(alike("", JSON.parse(line)), alike)}`)
      )
      : [];
    return [...lines, ...new Set(kept), ...existsSync(fleet.path("touched")) ? ["touched"] : []].sort();
  } catch (error) {
    throw new Error(fleet.report((error as Error).message));
  } finally {
    await fleet.stop();
  }
}
