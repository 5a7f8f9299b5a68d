/** A minion with the beacons of the cases: what each of them tells. */
import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isFloat } from "../../../src/language/python/values.ts";
import { until } from "../../../bench/bed/until.ts";
import { Fleet, idOf } from "../fleet.ts";
import type { Kind } from "../release.ts";
import { BEACON_CASES, type BeaconCase, type Step } from "./beacon_cases.ts";

type Fields = Record<string, unknown>;

/** The data of an event without what the host alone decides: numbers that go up and down, and times. */
function alike(value: unknown, depth = 0): unknown {
  if (isFloat(value) || typeof value === "number" || typeof value === "bigint") return "number";
  if (Array.isArray(value)) {
    const all = value.map((one) => alike(one, depth + 1));
    return all.every((one) => one === "number") ? ["numbers"] : all;
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== "_stamp" && key !== "id").sort(([a], [b]) =>
    a < b ? -1 : 1
  );
  return Object.fromEntries(entries.map(([key, one]) => [key, alike(one, depth + 1)]));
}

/** What an event says, as text. */
function said({ tag, ...data }: Fields, directory: string): string {
  const [, , , , ...rest] = String(tag).split("/");
  return `${rest.join("/")} ${JSON.stringify(alike(data))}`.replaceAll(directory, "DIR")
    // What status tells of the memory is text.
    .replace(/("value"|"time"):"[^"]*"/g, '$1:"…"').replace(/"(serial_number|not\w+_raw)":"\w+"/g, '"$1":"…"')
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?/g, "TIME");
}

/** What each beacon has told: its different events, in the order of their text. */
export type Told = Record<string, string[]>;

function act(step: Step, directory: string): void {
  const at = (name: string) => name.replace("DIR", directory);
  if ("write" in step) writeFileSync(at(step.write), step.text);
  else if ("append" in step) appendFileSync(at(step.append), step.text);
  else if ("remove" in step) rmSync(at(step.remove));
  else if ("rename" in step) renameSync(at(step.rename), at(step.to));
  else if ("mkdir" in step) mkdirSync(at(step.mkdir));
  else chmodSync(at(step.chmod), step.mode);
}

/**
 * Beacons of some kinds of minions, each of whose own directory is that of the cases.
 *
 * @param where those of the pillar, or all others: on real Salt's minions those of the configuration do not look where the pillar has any
 */
export async function beaconsOn(
  kinds: readonly Kind[],
  where: "pillar" | "configuration",
): Promise<Record<string, Told>> {
  const isChosen = ({ pillar = false }: BeaconCase) => pillar === (where === "pillar");
  const chosen = Object.entries(BEACON_CASES).filter(([, one]) => isChosen(one));
  const names = chosen.map(([name]) => name);
  const watched = where === "pillar" ? "ps_of_the_pillar" : "ps";
  const fleet = new Fleet({
    master: "brine",
    minions: kinds,
    masterOptions: (directory) => ({ pillar_roots: { base: [path.join(directory, "pillar")] } }),
    minionOptions: (kind) => ({ loop_interval: 1, beacons: where === "pillar" ? {} : configured(kind) }),
  });
  const directoryOf = (kind: Kind) => fleet.path(`host-${idOf(kind)}`);
  const configured = (kind: Kind) => {
    const text = JSON.stringify(Object.fromEntries(chosen.map(([name, { config }]) => [name, config])));
    return JSON.parse(text.replaceAll("DIR", directoryOf(kind)));
  };
  mkdirSync(fleet.path("pillar"));
  writeFileSync(
    fleet.path("pillar", "top.sls"),
    JSON.stringify({ base: Object.fromEntries(kinds.map((kind) => [idOf(kind), [idOf(kind)]])) }),
  );
  for (const kind of kinds) {
    writeFileSync(
      fleet.path("pillar", `${idOf(kind)}.sls`),
      JSON.stringify(where === "pillar" ? { beacons: configured(kind) } : {}),
    );
    const directory = directoryOf(kind);
    mkdirSync(path.join(directory, "watched"), { recursive: true });
    writeFileSync(path.join(directory, "app.log"), "before good-bye\n");
    writeFileSync(path.join(directory, "one"), "before\n");
    execFileSync("openssl", [
      "req",
      "-x509",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-days",
      "30",
      "-subj",
      "/CN=one.example/O=Brine",
      "-keyout",
      path.join(directory, "key.pem"),
      "-out",
      path.join(directory, "cert.pem"),
    ], { stdio: "ignore" });
  }
  const of = (kind: Kind, name: string) =>
    fleet.beacons.filter(({ tag }) => String(tag).startsWith(`salt/beacon/${idOf(kind)}/${name}/`));
  /** Lets every minion look at least so many times more. */
  const looks = async (count: number) => {
    const before = kinds.map((kind) => of(kind, watched).length);
    await until("beacons look", () => kinds.every((kind, at) => of(kind, watched).length >= before[at]! + count));
  };
  try {
    await fleet.start();
    await until("each minion has begun to look", () => kinds.every((kind) => of(kind, watched).length > 0));
    await looks(6);
    const steps = new Set(chosen.flatMap(([, one]) => one.steps === undefined ? [] : [JSON.stringify(one.steps)]));
    for (const text of steps) {
      for (const step of JSON.parse(text) as Step[]) {
        for (const kind of kinds) act(step, directoryOf(kind));
        await looks(3);
      }
    }
    return Object.fromEntries(kinds.map((kind) => [
      idOf(kind),
      Object.fromEntries(names.map((name) => {
        const all = of(kind, name);
        const texts = [...new Set(all.map((one) => said(one, directoryOf(kind))))].sort();
        return [name, name === "ps_once" ? [...texts, `${all.length} times`] : texts];
      })),
    ]));
  } finally {
    await fleet.stop();
  }
}
