/** Custom modules: one directory of a master's serves minions of either side, with a file for each where they need it. */
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { Fleet, type FleetPlan } from "./fleet.ts";
import { installSalt } from "./release.ts";

const skip = (process.env.BRINE_INTEROP ?? "") === ""
  ? "NOT TESTED AGAINST REAL SALT: set BRINE_INTEROP to quick or full"
  : process.versions.bun !== undefined || process.versions.deno !== undefined
  ? "driven by Node's test runner alone"
  : false;

const RELEASE = "3006";

for (const master of ["brine", RELEASE] as FleetPlan["master"][]) {
  describe(`custom modules of a master of ${master}`, { skip, timeout: 300_000 }, () => {
    let fleet: Fleet;

    const put = (name: string, text: string) => {
      const file = fleet.path("srv", name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    };
    const returns = async (...words: string[]): Promise<Record<string, unknown>> => {
      const { stdout } = await fleet.salt(master, ["--out=json", "--static", "*", ...words]);
      return JSON.parse(stdout);
    };

    before(async () => {
      assert.equal(installSalt(RELEASE), undefined);
      fleet = new Fleet({
        master,
        minions: ["brine", RELEASE],
        masterOptions: (directory) => ({
          file_roots: { base: [path.join(directory, "srv")] },
          fileserver_list_cache_time: 0,
        }),
      });
      put("_modules/both.py", `def who(name="x"):\n    """Says it."""\n    return "python " + name\n`);
      put(
        "_modules/both.ts",
        `/** Says it. */\nexport const who = (_context: unknown, name = "x"): string => "brine " + name;\n`,
      );
      put("_grains/site.py", `def site():\n    return {"site": "python"}\n`);
      put("_grains/site.js", `export const site = () => ({ site: "brine" });\n`);
      await fleet.start();
    });
    after(async () => await fleet.stop());

    test("each side loads its own file, and both say the same about it", async () => {
      assert.deepEqual(await returns("saltutil.sync_modules"), { brine: ["modules.both"], salt3006: ["modules.both"] });
      assert.deepEqual(await returns("both.who", "you"), { brine: "brine you", salt3006: "python you" });
      // Which is printed once for all.
      assert.deepEqual(await returns("sys.doc", "both"), { "both.who": "Says it." });
      const spec = { "both.who": { args: ["name"], defaults: ["x"], varargs: null, kwargs: null } };
      assert.deepEqual(await returns("sys.argspec", "both"), { brine: spec, salt3006: spec });
      assert.deepEqual(await returns("saltutil.sync_modules"), { brine: [], salt3006: [] });
    });

    test("sync_all has the same keys, and what it brings is in effect", async () => {
      const all = await returns("saltutil.sync_all") as Record<string, Record<string, unknown>>;
      assert.deepEqual(all.brine, all.salt3006);
      assert.deepEqual(Object.keys(all.brine!), Object.keys(all.salt3006!));
      assert.deepEqual(all.brine!.grains, ["grains.site"]);
      await fleet.until("the grains are there", async () => {
        const { brine, salt3006 } = await returns("grains.get", "site");
        return brine === "brine" && salt3006 === "python";
      });
    });

    test("what has gone from the master goes from both", async () => {
      rmSync(fleet.path("srv", "_modules"), { recursive: true });
      assert.deepEqual(await returns("saltutil.sync_modules"), { brine: [], salt3006: [] });
      const text = "'both.who' is not available.";
      assert.deepEqual(await returns("both.who"), { brine: text, salt3006: text });
    });
  });
}
