/** Minions with two masters, beside real Salt both ways: one master is killed and started again. */
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { installSalt, type Release, RELEASES } from "./release.ts";
import { TwoMasters, type TwoMastersPlan } from "./two_masters.ts";

const mode = process.env.BRINE_INTEROP ?? "";

function whyNot(): string | undefined {
  if (mode === "") return "NOT TESTED AGAINST REAL SALT: set BRINE_INTEROP to quick or full";
  if (process.versions.bun !== undefined || process.versions.deno !== undefined) {
    return "driven by Node's test runner alone";
  }
  if (process.platform !== "linux") return "NOT TESTED AGAINST REAL SALT: the masters need 127.0.0.2";
  return undefined;
}

/** Releases in turn, another one each day, as in the quick matrix. */
const turn = Number(process.env.BRINE_INTEROP_ROTATION ?? Math.floor(Date.now() / 86_400_000));
const releases: readonly Release[] = mode === "full" ? RELEASES : [RELEASES[turn % RELEASES.length]!];

function suite(title: string, release: Release, plan: TwoMastersPlan): void {
  const missing = installSalt(release);
  if (missing !== undefined) {
    test(title, { skip: `NOT TESTED: Salt ${release} cannot be installed: ${missing}` }, () => {});
    return;
  }
  describe(title, { concurrency: 1 }, () => {
    const site = new TwoMasters(plan);
    const { first, second } = site;
    before(() => site.start());
    after(() => site.stop());

    test("the minion that serves both answers both, the other one the first alone", async () => {
      await first.reaches("both", "one");
      await second.reaches("both");
      await second.misses("one");
    });

    test("when the first is killed, both answer the second", async () => {
      const before = second.starts("one");
      await first.kill();
      await site.until("the minion has failed over", () => second.starts("one") > before);
      await second.reaches("both", "one");
    });

    test("when the first is back, both answer it again", async () => {
      const before = first.starts("one");
      await first.start();
      await site.until("the minion has failed back", () => first.starts("one") > before);
      await first.reaches("both", "one");
      await second.reaches("both");
    });
  });
}

const reason = whyNot();
if (reason !== undefined) test("minions with two masters", { skip: reason }, () => {});
else {
  describe(`minions with two masters, ${mode}`, { concurrency: 2 }, () => {
    for (const release of releases) {
      suite(`our minions, masters of Salt ${release}`, release, { masters: release, minion: "brine" });
      suite(`minions of Salt ${release}, our masters`, release, { masters: "brine", minion: release });
    }
  });
}
