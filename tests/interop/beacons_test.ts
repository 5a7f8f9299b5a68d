/** Beacons of our minion and Salt's with the same configuration: what they tell, answer and write. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { isFloat } from "../../src/language/python/values.ts";
import { RUNTIME } from "./daemon.ts";
import { Fleet, idOf } from "./fleet.ts";
import { installSalt, type Kind, type Release } from "./release.ts";

const mode = process.env.BRINE_INTEROP ?? "";

function whyNot(): string | undefined {
  if (mode === "") return "NOT TESTED AGAINST REAL SALT: set BRINE_INTEROP to quick or full";
  if (process.versions.bun !== undefined || process.versions.deno !== undefined) {
    return "driven by Node's test runner alone: set BRINE_RUNTIME to test another runtime with it";
  }
  return undefined;
}

type Fields = Record<string, unknown>;

const LOW = { "1m": [-1, -0.5], "5m": [0, 999], "15m": [0, 999] };

const BEACONS = {
  ps: [{ processes: { nosuchprogram: "stopped", other: "running" } }, { interval: 2 }],
  again: [{ beacon_module: "ps" }, { processes: { nosuchprogram: "x" } }],
  memusage: [{ percent: "0%" }, { interval: 2 }],
  swapusage: [{ percent: "101%" }],
  diskusage: [{ "/": "0%" }, { interval: 2 }],
  load: [{ averages: LOW }],
  status: [{ loadavg: ["all"] }, { interval: 2 }],
  network_info: [{ interfaces: { lo: { type: "greater", bytes_sent: -1 } } }],
  once: [{ beacon_module: "ps" }, { processes: { nosuchprogram: "stopped" } }, { run_once: true }],
  off: [{ beacon_module: "ps" }, { processes: { nosuchprogram: "stopped" } }, { enabled: false }],
};

/** Called one after the other on both; the answers are compared. */
const CALLS = [
  ["list", "return_yaml=False"],
  ["add", "ps", "[{processes: {a: running}}]"],
  ["add", "service", "[{services: {sshd: {}}}]", "test=True"],
  ["add", "service", "[{services: {sshd: 1}}]"],
  ["add", "service", "[{services: {sshd: {}}}, {interval: 3600}]"],
  ["modify", "service", "[{services: {cron: {}}}, {interval: 3600}]"],
  ["modify", "service", "[{services: {cron: {}}}, {interval: 3600}]"],
  ["modify", "nosuch", "[{x: y}]"],
  ["disable_beacon", "service"],
  ["enable_beacon", "service"],
  ["enable_beacon", "nosuch"],
  ["disable"],
  ["list"],
  ["enable"],
  ["delete", "service", "test=True"],
  ["delete", "service"],
  ["delete", "nosuch"],
  ["save"],
  ["reset"],
  ["list"],
];

const missing = (...kinds: Kind[]) =>
  whyNot() ?? kinds.filter((kind): kind is Release => kind !== "brine").map(installSalt).find(Boolean);

/** What is alike in the events of a beacon: the names of what it tells, and what is the same on one host. */
function comparable({ tag, _stamp, id: _id, ...data }: Fields): unknown {
  const [, , , name, ...rest] = String(tag).split("/");
  const shape = (value: unknown): unknown =>
    isFloat(value)
      ? "number"
      : typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort().map(([key, item]) => [key, shape(item)]))
      : typeof value === "number"
      ? "number"
      : value;
  // The tag of `status` is the time.
  return { name, rest: name === "status" ? rest.map((word) => word.replace(/\d/g, "0")) : rest, data: shape(data) };
}

describe(`beacons of our minion and of 3006's (on ${RUNTIME})`, {
  skip: missing("3006"),
  timeout: 300_000,
}, () => {
  const fleet = new Fleet({
    master: "brine",
    minions: ["brine", "3006"],
    minionOptions: () => ({ beacons: BEACONS }),
  });
  before(() => fleet.start());
  after(() => fleet.stop());
  const of = (kind: Kind, name: string) =>
    fleet.beacons.filter(({ tag }) => String(tag).startsWith(`salt/beacon/${idOf(kind)}/${name}/`));

  test("tell the same", async () => {
    const told = Object.keys(BEACONS).filter((name) => name !== "off" && name !== "swapusage");
    await fleet.until(
      "each beacon has told something",
      () => (["brine", "3006"] as const).every((kind) => told.every((name) => of(kind, name).length > 0)),
    );
    for (const name of Object.keys(BEACONS)) {
      const [ours, theirs] = (["brine", "3006"] as const).map((kind) => of(kind, name)[0]);
      assert.equal(ours === undefined, theirs === undefined, name);
      if (ours !== undefined) assert.deepEqual(comparable(ours), comparable(theirs!), name);
    }
    assert.deepEqual([of("brine", "once").length, of("3006", "once").length], [1, 1]);
  });

  test("are answered for and written alike", async () => {
    for (const [fun, ...words] of CALLS) {
      const argv = ["*", `beacons.${fun}`, ...words, "--static", "--out=json", "-t", "60"];
      const { stdout, stderr } = await fleet.salt("brine", argv);
      const [ours, theirs] = (["brine", "3006"] as const).map((kind) =>
        JSON.parse(JSON.stringify(JSON.parse(stdout)[idOf(kind)]).replaceAll(fleet.path(idOf(kind)), ""))
      );
      assert.deepEqual(ours, theirs, fleet.report(`${fun} ${words.join(" ")}\n${stderr}`));
      fleet.keep = false;
      if (fun === "save") {
        const [own, their] = (["brine", "3006"] as const).map((kind) =>
          readFileSync(fleet.path(idOf(kind), "etc", "minion.d", "beacons.conf"), "utf8")
        );
        assert.equal(own, their);
      }
    }
  });
});

describe(`the beacons of our minion below a 3006 master (on ${RUNTIME})`, {
  skip: missing("3006"),
  timeout: 180_000,
}, () => {
  const fleet = new Fleet({
    master: "3006",
    minions: ["brine"],
    minionOptions: () => ({ beacons: { ps: BEACONS.ps } }),
  });
  before(() => fleet.start());
  after(() => fleet.stop());

  test("are events on its bus", async () => {
    await fleet.until("the beacon has told something", () => fleet.beacons.length > 0);
    const [{ tag, _stamp, ...data }] = fleet.beacons as [Fields];
    assert.deepEqual([tag, data], ["salt/beacon/brine/ps/", { nosuchprogram: "Stopped", id: "brine" }]);
  });
});
