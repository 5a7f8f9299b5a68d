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

  for (const golden of GOLDENS) {
    const why = DIFFERENT[golden.id] ?? MISSING[golden.id];
    test(`${golden.id}: ${golden.title}`, { ...TIMEOUT, ...(why === undefined ? {} : { skip: why }) }, async () => {
      await bed.run(golden);
    });
  }
});
