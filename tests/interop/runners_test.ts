/** Real `salt-run` and ours beside the same master: the same answers, also about presence and from the key cache. */
import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { Fleet, idOf } from "./fleet.ts";
import { installSalt, type Kind, type Release } from "./release.ts";

const mode = process.env.BRINE_INTEROP ?? "";

function whyNot(): string | undefined {
  if (mode === "") return "NOT TESTED AGAINST REAL SALT: set BRINE_INTEROP to quick or full";
  if (mode !== "full") return "takes more than a minute: set BRINE_INTEROP to full";
  if (process.versions.bun !== undefined || process.versions.deno !== undefined) {
    return "driven by Node's test runner alone: set BRINE_RUNTIME to test another runtime with it";
  }
  return undefined;
}

/** An accepted key without a minion; its name shows how ids are sorted. */
const GHOST = "Ghost1";

/** `jid` stands for the id of a job of both minions. */
const ROWS: readonly (readonly string[])[] = [
  ["manage.present"],
  ["manage.not_present"],
  ["jobs.lookup_jid", "jid", "missing=True"],
  ["cache.mine", GHOST],
];
/** These take the time of a timeout, or of more programs. */
const MORE: readonly (readonly string[])[] = [
  ["manage.status"],
  ["manage.up", "tgt=brine"],
  ["jobs.list_job", "jid"],
  ["cache.mine"],
  ["fileserver.envs"],
  ["manage.present", "show_ip=True"],
  ["manage.list_state", "subset=[brine]"],
  ["manage.not_alived", `subset=[${GHOST}]`],
  ["jobs.exit_success", "jid"],
  ["jobs.print_job", "jid"],
  ["jobs.list_jobs", "search_function=mine.*"],
  ["jobs.last_run", "function=mine.send"],
  ["cache.pillar", "brine"],
  ["cache.clear_git_lock", "git_pillar"],
  ["salt.execute", "brine", "test.ping"],
  ["survey.hash", "brine", "test.echo", "x"],
  ["error.error"],
  ["nosuch.fun"],
];

/** @param release of the other programs; 3008 keeps what it knows of minions under other names */
function sameAnswers(master: Kind, release: Release): void {
  const title = `salt-run of Salt ${release} and ours beside a ${master} master`;
  const missing = installSalt(release);
  if (missing !== undefined) return void test(title, { skip: `NOT TESTED: ${missing}` }, () => {});
  describe(title, { concurrency: 1 }, () => {
    const fleet = new Fleet({
      master,
      minions: ["brine", release],
      masterOptions: () => ({ timeout: 5, presence_events: true, key_cache: "sched", master_job_cache: "local_cache" }),
    });
    let jid = "";
    const run = (kind: Kind, words: readonly string[]) => fleet.program(kind, "salt-run", words);
    before(async () => {
      await fleet.start();
      copyFileSync(
        fleet.path("master", "pki", "minions", "brine"),
        fleet.path("master", "pki", "minions", GHOST),
      );
      const sent = await fleet.salt("brine", ["-L", fleet.ids.join(), "mine.send", "test.ping", "--static"]);
      assert.equal(sent.code, 0, fleet.report(sent.stdout + sent.stderr));
      const listed = await run("brine", ["--out=json", "jobs.list_jobs", "search_function=mine.send"]);
      jid = Object.keys(JSON.parse(listed.stdout))[0]!;
    });
    after(() => fleet.stop());

    for (const row of [...ROWS, ...MORE]) {
      test(row.join(" "), async () => {
        const words = row.map((word) => word === "jid" ? jid : word);
        const [theirs, ours] = [await run(release, words), await run("brine", words)];
        assert.deepEqual([ours.stdout, ours.code], [theirs.stdout, theirs.code], fleet.report(ours.stderr));
        assert.notEqual(ours.stdout, "");
      });
    }

    test("who is present is told on the bus", async () => {
      const words = ["state.event", "tagmatch=salt/presence/present", "count=1"];
      for (const kind of [release, "brine"] as const) {
        const { stdout, stderr } = await run(kind, words);
        const [tag, data = "{}"] = stdout.trim().split("\n")[0]!.split("\t");
        assert.equal(tag, "salt/presence/present", fleet.report(stdout + stderr));
        const { present, ...rest } = JSON.parse(data) as { present: string[] };
        assert.deepEqual([present.sort(), Object.keys(rest)], [[...fleet.ids].sort(), ["_stamp"]]);
      }
    });

    test("down removekeys=True deletes the keys of those that are down, and of no other", async () => {
      const down = await run("brine", [
        "--out=json",
        "manage.down",
        "removekeys=True",
        `tgt=brine,${GHOST}`,
        "tgt_type=list",
      ]);
      assert.deepEqual(JSON.parse(down.stdout), [GHOST], fleet.report(down.stderr));
      const { stdout } = await run("brine", ["--out=json", "manage.not_present"]);
      assert.deepEqual(JSON.parse(stdout), []);
      assert.deepEqual(fleet.ids, ["brine", release].map((kind) => idOf(kind as Kind)));
    });
  });
}

const why = whyNot();
if (why !== undefined) test("runners beside real Salt's", { skip: why }, () => {});
else {
  sameAnswers("brine", "3007");
  sameAnswers("brine", "3006");
  sameAnswers("3006", "3006");
  sameAnswers("3007", "3007");
}
