/** Masters of masters, syndics and lower masters, Brine's and real Salt's in every place. */
import assert from "node:assert/strict";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { Hierarchy, type HierarchyPlan } from "./hierarchy.ts";
import { installSalt, type Kind, type Release } from "./release.ts";

const mode = process.env.BRINE_INTEROP ?? "";
const skip = mode === ""
  ? "NOT TESTED AGAINST REAL SALT: set BRINE_INTEROP to quick or full"
  : process.versions.bun !== undefined || process.versions.deno !== undefined
  ? "driven by Node's test runner alone"
  : false;

const OURS: HierarchyPlan["minions"] = { low1: "brine", low2: "brine" };

/** Each with the program in one place replaced. */
const PLANS: HierarchyPlan[] = [
  { top: "3006", syndic: "brine", lower: "brine", minions: OURS },
  { top: "brine", syndic: "3006", lower: "3006", minions: OURS },
  ...(mode === "full"
    ? [
      { top: "3007", syndic: "brine", lower: "brine", minions: OURS },
      { top: "3008", syndic: "brine", lower: "brine", minions: OURS },
      { top: "brine", syndic: "3007", lower: "3007", minions: OURS },
      // A syndic of 3008 does not sign in anywhere, not even to a master of its own release.
      { top: "brine", syndic: "brine", lower: "3008", minions: OURS },
      { top: "brine", syndic: "brine", lower: "3006", minions: { low1: "brine", low2: "3006" } },
      { top: "brine", syndic: "3006", lower: "brine", minions: OURS },
      { top: "brine", syndic: "3007", lower: "brine", minions: OURS },
      { top: "3006", syndic: "3006", lower: "brine", minions: OURS },
    ] as HierarchyPlan[]
    : []),
];

/** All at once where there are few: most of the time they wait for real Salt to start. */
const together = mode === "full" ? [] : PLANS.map((plan) => new Hierarchy(plan));
let opening: Promise<void>[] | undefined;

for (const [at, plan] of PLANS.entries()) {
  const { top, syndic, lower } = plan;
  describe(`a ${syndic} syndic of a ${lower} master below a ${top} master`, { skip, timeout: 300_000 }, () => {
    let site: Hierarchy;
    const json = async (...words: string[]): Promise<Record<string, unknown>> => {
      const { stdout, stderr } = await site.salt(["--out=json", "--static", ...words]);
      try {
        return JSON.parse(stdout);
      } catch {
        throw new Error(`Not JSON: ${stdout}${stderr}`);
      }
    };

    before(async () => {
      for (const kind of new Set<Kind>([top, syndic, lower])) {
        if (kind !== "brine") assert.equal(installSalt(kind as Release), undefined);
      }
      site = together[at] ?? new Hierarchy(plan);
      opening ??= together.map((one) => one.start());
      for (const one of opening) one.catch(() => {});
      await (opening[at] ?? site.start());
    });
    after(async () => await site?.stop());

    test("jobs reach the minions by every kind of target, and their returns come up", async () => {
      const [first, second] = Object.keys(plan.minions) as [string, string];
      for (
        const [words, ids] of [
          [["-C", `L@${second} or E@nobody`], [second]],
          ...(mode === "full"
            ? [
              [["*"], [first, second]],
              [["-L", `${first},${second}`], [first, second]],
              [["-G", "role:low"], [first, second]],
            ]
            : []),
        ] as [string[], string[]][]
      ) {
        const returns = await json(...words, "test.echo", "hello there");
        assert.deepEqual(returns, Object.fromEntries(ids.map((id) => [id, "hello there"])), words.join(" "));
      }
    });

    test("a job that no client waits for is in the job cache above", async () => {
      const { stdout } = await site.salt(["--async", "*", "test.sleep", "2"]);
      const jid = /\d{20}/.exec(stdout)![0];
      await site.until("the returns are in the job cache", async () => {
        const { stdout } = await site.program("salt-run", ["--out=json", "jobs.lookup_jid", jid]);
        return Object.keys(plan.minions).every((id) => stdout.includes(`"${id}": true`));
      });
    });
  });
}
