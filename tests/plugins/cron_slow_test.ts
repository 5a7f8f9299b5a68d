/** Tables of cron, by a program that stands in for crontab and keeps them in a directory. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { programPath } from "../../src/plugins/commands.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { kwargs, type TestMinion, testMinion } from "../support/context.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();

/** Refuses what has the word bad in it, as the real one refuses what is no table. */
const CRONTAB = `#!/bin/sh
[ "$1" = -u ] && shift 2
if [ "$1" = -l ]; then
  [ -f "$BRINE_FAKE/table" ] || { echo "no crontab for user" >&2; exit 1; }
  cat "$BRINE_FAKE/table"
  exit
fi
cat "$1" > "$BRINE_FAKE/new"
if grep -q bad "$BRINE_FAKE/new"; then echo "errors in crontab file" >&2; exit 1; fi
mv "$BRINE_FAKE/new" "$BRINE_FAKE/table"
`;

test("cron.set_job writes names of months and days in lower case", async () => {
  await withCrontab(async (minion, table) => {
    assert.equal(await minion.value("cron.set_job", "root", 1, 2, "*", "Jan", "Mon-FRI", "/bin/z"), "new");
    assert.match(table(), /^1 2 \* jan mon-fri \/bin\/z$/m);
    assert.equal(await minion.value("cron.set_job", "root", 1, 2, "*", "JAN", "mon-fri", "/bin/z"), "present");
  });
});

async function withCrontab(use: (minion: TestMinion, table: () => string, directory: string) => Promise<void>) {
  await inTemporary(runtime, async (directory) => {
    const { fs } = runtime;
    fs.write(`${directory}/crontab`, CRONTAB.replaceAll('cat "$1" >', '{ [ "$1" = - ] && cat || cat "$1"; } >'), {
      mode: 0o755,
    });
    const path = `${directory}:/usr/bin:/bin`;
    const process = {
      ...runtime.process,
      pid: runtime.process.pid,
      env: (name: string) => name === "PATH" ? path : runtime.process.env(name),
      environment: () => ({ ...runtime.process.environment(), PATH: path, BRINE_FAKE: directory }),
    };
    await use(await testMinion({ runtime: { process } }), () => fs.readText(`${directory}/table`), directory);
  });
}

test("cron: a table that is not there is empty, and jobs are new, present, updated, removed", async () => {
  await withCrontab(async (minion, table) => {
    assert.deepEqual(await minion.value("cron.list_tab", "root"), { pre: [], crons: [], special: [], env: [] });
    assert.equal(await minion.value("cron.raw_cron", "root"), "");
    const job = ["root", "*/5", 3, "*", "*", 1, "echo  two   blanks"];
    const label = kwargs({ identifier: "five", comment: "every\nfive" });
    assert.equal(await minion.value("cron.set_job", ...job, label), "new");
    assert.equal(
      table(),
      "# Lines below here are managed by Salt, do not edit\n" +
        "# every\n# five SALT_CRON_IDENTIFIER:five\n*/5 3 * * 1 echo  two   blanks\n",
    );
    assert.equal(await minion.value("cron.set_job", ...job, label), "present");
    const moved = ["root", "1", 3, "*", "*", 1, "echo three"];
    assert.equal(await minion.value("cron.set_job", ...moved, label), "updated");
    assert.deepEqual(await minion.value("cron.get_entry", "root", "five"), {
      minute: "1",
      hour: "3",
      daymonth: "*",
      month: "*",
      dayweek: "1",
      identifier: "five",
      cmd: "echo three",
      comment: "every\nfive",
      commented: false,
    });
    const remove = (args: Record<string, unknown>) => minion.value("cron.rm_job", "root", "echo three", kwargs(args));
    // An entry with an identifier goes by that alone.
    assert.equal(await remove({ minute: 1 }), "absent");
    assert.equal(await remove({ minute: 2, identifier: "five" }), "absent");
    assert.equal(await remove({ minute: 1, identifier: "five" }), "removed");
    assert.equal(await minion.value("cron.get_entry", "root", "five"), false);
  });
});

test("cron: what stands above the mark stays, and variables and special jobs come below it", async () => {
  await withCrontab(async (minion, table, directory) => {
    runtime.fs.write(`${directory}/given`, "# mine\nPATH=/bin\n0 0 * * * true\n");
    assert.equal(await minion.value("cron.write_cron_file", "root", `${directory}/given`), true);
    assert.equal(await minion.value("cron.set_env", "root", "MAILTO", "a@b"), "new");
    assert.equal(await minion.value("cron.set_env", "root", "MAILTO", "a@b"), "present");
    assert.equal(await minion.value("cron.set_env", "root", "MAILTO", "c@d"), "updated");
    assert.equal(await minion.value("cron.set_special", "root", "@reboot", "true", kwargs({ commented: true })), "new");
    assert.equal(
      table(),
      "# mine\nPATH=/bin\n0 0 * * * true\n# Lines below here are managed by Salt, do not edit\n" +
        "MAILTO=c@d\n#DISABLED#@reboot true\n",
    );
    assert.equal(await minion.value("cron.rm_env", "root", "NONE"), "absent");
    assert.equal(await minion.value("cron.rm_env", "root", "MAILTO"), "removed");
    assert.equal(await minion.value("cron.rm_special", "root", "true"), "removed");
    assert.ok(table().startsWith("# mine\nPATH=/bin\n0 0 * * * true\n"));
  });
});

test("cron: what crontab refuses is told in its words, and a random time stays where it fell", async () => {
  await withCrontab(async (minion) => {
    const refused = await minion.run("cron.set_job", ["root", 1, 1, 1, 1, 1, "bad"]);
    assert.equal(refused.return, "errors in crontab file");
    const job = ["root", "random", "random", "random", "random", "random", "true"];
    assert.equal(await minion.value("cron.set_job", ...job), "new");
    const before = await minion.value("cron.raw_cron", "root");
    assert.match(String(before), /\n\d+ \d+ \d+ \d+ \d true\n$/);
    assert.equal(await minion.value("cron.set_job", ...job), "present");
    assert.equal(await minion.value("cron.raw_cron", "root"), before);
  });
});

/** A user of the host without a table, who may have one. */
const USER = "nobody";
const noCron = runtime.process.uid() !== 0
  ? "only root may set the tables of others"
  : programPath({ runtime }, "crontab") === undefined
  ? "there is no crontab"
  : false;

test("cron: the crontab of this host takes what is set, and refuses what is no table", {
  skip: noCron,
  timeout: 60_000,
}, async (t) => {
  const minion = await testMinion();
  const own = async () =>
    (await minion.run("cmd.run_all", [["crontab", "-u", USER, "-l"]])).return as {
      retcode: number;
      stdout: string;
    };
  if ((await own()).retcode === 0) return t.skip(`${USER} has a table of its own on this host`);
  try {
    assert.deepEqual(await minion.value("cron.list_tab", USER), { pre: [], crons: [], special: [], env: [] });
    const job = [USER, "*/5", "3", "*", "jan", "mon-fri", "echo 'a  b' % c"];
    const label = kwargs({ identifier: "five", comment: "every five" });
    assert.equal(await minion.value("cron.set_job", ...job, label), "new");
    assert.equal(await minion.value("cron.set_job", ...job, label), "present");
    assert.equal(await minion.value("cron.set_env", USER, "MAILTO", ""), "new");
    assert.equal(await minion.value("cron.set_special", USER, "@daily", "true"), "new");
    const lines = [
      "# Lines below here are managed by Salt, do not edit",
      'MAILTO=""',
      "# every five SALT_CRON_IDENTIFIER:five",
      "*/5 3 * jan mon-fri echo 'a  b' % c",
      "@daily true",
    ];
    assert.equal((await own()).stdout.trim(), lines.join("\n"));
    assert.equal(await minion.value("cron.raw_cron", USER), `${lines.join("\n")}\n`);
    const refused = await minion.run("cron.set_job", [USER, "99", "*", "*", "*", "*", "true"]);
    assert.match(String(refused.return), /bad minute/);
    assert.equal((await own()).stdout.trim(), lines.join("\n"));
    assert.equal(await minion.value("cron.rm_job", USER, "echo 'a  b' % c", kwargs({ identifier: "five" })), "removed");
    assert.equal(await minion.value("cron.rm_special", USER, "true"), "removed");
    assert.equal(await minion.value("cron.rm_env", USER, "MAILTO"), "removed");
    assert.deepEqual(await minion.value("cron.list_tab", USER), { pre: [], crons: [], special: [], env: [] });
  } finally {
    await minion.run("cmd.run_all", [["crontab", "-u", USER, "-r"]]);
  }
});
