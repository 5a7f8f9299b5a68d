/** Beacons as people configure them, of our minion and of Salt's on one host: what they tell is the same. */
import assert from "node:assert/strict";
import process from "node:process";
import { before, describe, test } from "node:test";
import { idOf } from "../fleet.ts";
import { installSalt, type Release } from "../release.ts";
import { beaconsOn, type Told } from "./beacon_bed.ts";
import { BEACON_CASES } from "./beacon_cases.ts";

const mode = process.env.BRINE_INTEROP ?? "";

function whyNot(release: Release): string | undefined {
  if (mode === "") return "NOT TESTED AGAINST REAL SALT: set BRINE_INTEROP to quick or full";
  if (process.versions.bun !== undefined || process.versions.deno !== undefined) {
    return "driven by Node's test runner alone: set BRINE_RUNTIME to test another runtime with it";
  }
  return installSalt(release);
}

/** Where ours tell something else on purpose, as `docs/beacons.md` says. */
const DIFFERENT: Record<string, (theirs: string[]) => string[]> = {
  salt_monitor_text: () => [` {"error":"echo() missing 1 required positional argument: 'text'"}`],
};

/** Names and data of extensions are each side's own. */
const comparable = (texts: string[] | undefined) =>
  texts?.map((text) => text.replace(/"extensions":\[.*?\],"has_/g, '"extensions":[],"has_'));

/** Beacons that need pyinotify, watchdog or pyOpenSSL on Salt's side. */
const LIBRARIES = /^(?:inotify|watchdog|cert_info)(?!_far|_no_mask)/;

const releases: Release[] = mode === "full" ? ["3006", "3007", "3008"] : ["3006"];

for (const release of releases) {
  const reason = whyNot(release);
  describe(`beacons of our minion and of ${release}'s as people configure them`, { skip: reason }, () => {
    const told: Record<string, Told> = {};
    before(async () => {
      for (const where of ["configuration", "pillar"] as const) {
        for (const [id, all] of Object.entries(await beaconsOn(["brine", release], where))) {
          told[id] = { ...told[id], ...all };
        }
      }
    }, { timeout: 300_000 });
    for (const name of Object.keys(BEACON_CASES)) {
      test(name, (t) => {
        const theirs = comparable(told[idOf(release)]?.[name]);
        assert.ok(theirs !== undefined);
        // A release is installed without these libraries of Python; then its beacon is not there.
        if (LIBRARIES.test(name) && theirs.length === 0) return t.skip("Salt's environment has no library for it");
        assert.deepEqual(comparable(told.brine?.[name]), DIFFERENT[name]?.(theirs) ?? theirs);
      });
    }
  });
}
