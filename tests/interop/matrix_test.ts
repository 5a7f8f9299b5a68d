/** Every mix of `salt`, master and minion in which ours meets real Salt's, by the tables beside this file. */
import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import type { CommandResult } from "../../bench/bed/run_command.ts";
import { RUNTIME } from "./daemon.ts";
import { Fleet, GATHER_JOB_TIMEOUT, idOf } from "./fleet.ts";
import { MATRICES, type Mix } from "./mixes.ts";
import { installSalt, type Kind, type Release } from "./release.ts";
import { type Scenario, SCENARIOS, silentDocument } from "./scenarios.ts";

const mode = process.env.BRINE_INTEROP ?? "";

function whyNot(): string | undefined {
  if (mode === "") return "NOT TESTED AGAINST REAL SALT: set BRINE_INTEROP to quick or full";
  if (process.versions.bun !== undefined || process.versions.deno !== undefined) {
    return "driven by Node's test runner alone: set BRINE_RUNTIME to test another runtime with it";
  }
  if (process.platform === "win32") return "NOT TESTED AGAINST REAL SALT: its masters do not run on Windows";
  return undefined;
}

const nameOf = (kind: Kind) => kind === "brine" ? "our" : kind;

/** Parts stdout into the documents of the minions and what is around them. */
function documentsOf(stdout: string, ids: readonly string[]): { documents: Map<string, string>; around: string } {
  const documents = new Map<string, string>();
  const around: string[] = [];
  const lines = stdout.split(/(?<=\n)/);
  while (lines.length > 0) {
    const [first, second] = lines as [string, string?];
    const id = ids.find((id) => first === `${id}:\n` || first === "{\n" && second?.startsWith(`    "${id}": `));
    if (id === undefined) {
      around.push(lines.shift()!);
      continue;
    }
    const json = first === "{\n";
    let size = 1;
    while (size < lines.length && (json ? lines[size - 1] !== "}\n" : lines[size]!.startsWith("    "))) size++;
    // A second document of the same minion is one too many, and shows in what is around.
    const text = lines.splice(0, size).join("");
    if (documents.has(id)) around.push(text);
    else documents.set(id, text);
  }
  return { documents, around: around.join("") };
}

const short = (text: string) => text.length > 2000 ? `${text.slice(0, 1000)} … ${text.slice(-1000)}` : text;

/** Adds to a failed assertion what was run and what the daemons said. */
function explain<T>(fleet: Fleet, answers: readonly CommandResult[], check: () => T): T {
  try {
    return check();
  } catch (error) {
    const runs = answers.map(({ command, code, ms, stdout, stderr }) =>
      `$ ${short(command)}\nexit ${code} after ${Math.round(ms)} ms\n${short(stdout)}${short(stderr)}`
    );
    throw new Error(fleet.report(`${short((error as Error).message)}\n${runs.join("\n")}`), { cause: error });
  }
}

function matches(got: string, want: string | RegExp): void {
  if (typeof want === "string") assert.equal(got, want);
  else assert.match(got, want);
}

function scenario(fleet: Fleet, cli: Kind, row: Scenario): void {
  const ids = fleet.ids;
  const target = typeof row.target === "function" ? row.target(ids) : row.target ?? ["*"];
  const answering = ids.filter(row.matches ?? (() => true));
  let asked: Promise<CommandResult[]> | undefined;
  const ask = () =>
    asked ??= (async () => {
      const answers: CommandResult[] = [];
      for (let time = 0; time < (row.times ?? 1); time++) {
        const answer = await fleet.salt(cli, [...target, ...row.words]);
        answers.push(answer);
        if (answer.code === null) break;
      }
      return answers;
    })();

  test(`${row.name}: exit code, stderr, and who answers`, async () => {
    const answers = await ask();
    explain(fleet, answers, () => {
      for (const { code, stdout, stderr } of answers) {
        assert.equal(code, row.code ?? 0);
        assert.equal(stderr, row.stderr ?? "");
        if (row.joined) {
          assert.deepEqual(JSON.parse(stdout), Object.fromEntries(answering.map((id) => [id, true])));
          continue;
        }
        const { documents, around } = documentsOf(stdout, ids);
        matches(around, row.around ?? "");
        assert.deepEqual([...documents.keys()].sort(), [...answering].sort());
      }
    });
  });
  if (row.joined) return;
  for (const kind of fleet.minions) {
    const id = idOf(kind);
    if (!answering.includes(id)) continue;
    const control = cli !== "brine" && fleet.master !== "brine" && kind !== "brine" ? " (control)" : "";
    test(`${row.name}: ${nameOf(kind)} minion${control}`, async () => {
      const answers = await ask();
      explain(fleet, answers, () => {
        for (const { stdout } of answers) {
          const got = documentsOf(stdout, ids).documents.get(id);
          assert.ok(got !== undefined, `${id} has not answered`);
          const want = row.document?.(id) ?? `${id}:\n    True\n`;
          if (typeof want === "function") want(got);
          else assert.equal(got, want);
        }
      });
    });
  }
}

/** Every minion answers, at once. */
async function assertAllAnswer(fleet: Fleet, cli: Kind): Promise<void> {
  const answer = await fleet.salt(cli, ["*", "test.ping", "--static", "--out=json"]);
  explain(fleet, [answer], () => {
    assert.equal(answer.code, 0);
    assert.deepEqual(JSON.parse(answer.stdout), Object.fromEntries(fleet.ids.map((id) => [id, true])));
  });
}

function silence(fleet: Fleet, cli: Kind, stopped: readonly Kind[]): void {
  test(`silent: ${stopped.map(nameOf).join(", ")} minion stopped`, async () => {
    const timeout = 2;
    for (const kind of stopped) fleet.signalMinion(kind, "SIGSTOP");
    let answer: CommandResult;
    try {
      answer = await fleet.salt(cli, ["-t", String(timeout), "*", "test.ping"]);
    } finally {
      for (const kind of stopped) fleet.signalMinion(kind, "SIGCONT");
    }
    const silent = stopped.map(idOf);
    explain(fleet, [answer], () => {
      assert.equal(answer.code, 1);
      assert.equal(answer.stderr, "ERROR: Minions returned with non-zero exit code\n");
      const { documents, around } = documentsOf(answer.stdout, fleet.ids);
      assert.equal(around, "");
      for (const id of fleet.ids) {
        matches(documents.get(id) ?? "", silent.includes(id) ? silentDocument(id) : `${id}:\n    True\n`);
      }
      const least = (timeout + GATHER_JOB_TIMEOUT) * 1000;
      // The program has to start, and machines that test are busy.
      assert.ok(answer.ms >= least - 500 && answer.ms <= least + 10_000, `${answer.ms} ms instead of about ${least}`);
    });
    await fleet.settle(cli, "the minions that were stopped answer again");
  });
}

function happenings(fleet: Fleet, cli: Kind): void {
  silence(fleet, cli, ["brine"]);
  silence(fleet, cli, fleet.minions.filter((kind) => kind !== "brine"));

  test("after the master was told to take a new key, all answer at once", async () => {
    const before = fleet.rotations;
    fleet.rotateKey();
    await fleet.until("the master has a new key", () => fleet.rotations > before);
    await assertAllAnswer(fleet, cli);
  });

  test("after salt-key -d of another minion, all answer at once", async () => {
    const before = fleet.rotations;
    copyFileSync(fleet.path("master", "pki", "minions", "brine"), fleet.path("master", "pki", "minions", "goner"));
    const answer = await fleet.program(cli, "salt-key", ["-y", "-d", "goner"]);
    explain(fleet, [answer], () => assert.equal(answer.code, 0));
    await fleet.until("the master has a new key", () => fleet.rotations > before);
    await assertAllAnswer(fleet, cli);
  });

  test("after a restart of the master, all answer again", async () => {
    await fleet.restartMaster();
    await fleet.settle(cli, "all minions are there after the restart");
    await assertAllAnswer(fleet, cli);
  });
}

function fleetSuite(mix: Mix): void {
  const title = `${nameOf(mix.master)} master with ${mix.minions.map(nameOf).join(", ")} minions`;
  const missing = [...new Set([mix.master, ...mix.minions, ...mix.clis])]
    .filter((kind): kind is Release => kind !== "brine")
    .map((release) => [release, installSalt(release)] as const)
    .filter(([, reason]) => reason !== undefined);
  if (missing.length > 0) {
    const reason = `NOT TESTED: ${
      missing.map(([release, why]) => `Salt ${release} cannot be installed: ${why}`).join("; ")
    }`;
    console.error(`interop: ${title}: ${reason}`);
    test(title, { skip: reason }, () => {});
    return;
  }
  describe(title, { concurrency: 1 }, () => {
    const fleet = new Fleet(mix);
    before(() => fleet.start());
    after(() => fleet.stop());
    for (const cli of mix.clis) {
      describe(`${nameOf(cli)} salt, ${nameOf(mix.master)} master`, () => {
        for (const row of SCENARIOS) scenario(fleet, cli, row);
        happenings(fleet, cli);
      });
    }
  });
}

const reason = whyNot();
if (reason !== undefined) test("interop matrix", { skip: reason }, () => {});
else {
  const matrix = MATRICES[mode];
  if (matrix === undefined) {
    throw new RangeError(`Unknown BRINE_INTEROP "${mode}": expected one of ${Object.keys(MATRICES).join(", ")}`);
  }
  describe(`interop matrix, ${mode}, ours on ${RUNTIME}`, { concurrency: 2 }, () => {
    for (const mix of matrix()) fleetSuite(mix);
  });
}
