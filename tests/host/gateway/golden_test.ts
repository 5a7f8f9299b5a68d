/** Every recorded exchange with real salt-api, against Brine gateways before a Brine master. */
import { after, before, describe, test } from "node:test";
import { GoldenBed } from "./golden_bed.ts";
import { GOLDENS } from "./golden.ts";
import { DIFFERENT } from "./different.ts";
import { type Site, startSite } from "./site.ts";

/** What our minions cannot do yet. */
const MISSING: Record<string, string> = {
  "cp-local-state-apply-test": "our minions have no states",
  "to-local-state-apply-test": "our minions have no states",
};

/** Exchanges that show what others did: each has a site of its own, in which these were made before. */
const AFTER: Record<string, string> = { "cp-jobs-list": "cp-local-ping", "to-jobs-list": "to-local-ping" };

const TIMEOUT = { timeout: 60_000 };

describe("recorded exchanges", TIMEOUT, () => {
  let site: Site;
  let bed: GoldenBed;
  before(async () => {
    site = await startSite();
    bed = new GoldenBed(site.master);
  }, TIMEOUT);
  after(async () => {
    await bed.close();
    await site[Symbol.asyncDispose]();
  }, TIMEOUT);

  /** Runs exchanges one after the other on a site that no other test has touched. */
  async function runAlone(ids: readonly string[]): Promise<void> {
    await using own = await startSite();
    const ownBed = new GoldenBed(own.master);
    try {
      for (const id of ids) await ownBed.run(GOLDENS.find((golden) => golden.id === id)!);
    } finally {
      await ownBed.close();
    }
  }

  for (const golden of GOLDENS) {
    const why = DIFFERENT[golden.id] ?? MISSING[golden.id];
    test(`${golden.id}: ${golden.title}`, { ...TIMEOUT, ...(why === undefined ? {} : { skip: why }) }, async () => {
      const first = AFTER[golden.id];
      await (first === undefined ? bed.run(golden) : runAlone([first, golden.id]));
    });
  }
});
