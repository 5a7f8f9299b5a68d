/**
 * Execution modules: the calls of `tests/plugins/salt_calls`, by ours and by real Salt's `salt-call --local`. With
 * `BRINE_RECORD=1` the answers of real Salt become those that `tests/plugins/salt_calls_slow_test.ts` compares with.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import * as fs from "node:fs";
import path from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import {
  type Answers,
  GRAINS,
  labelled,
  ourAnswers,
  placed,
  settled,
  SHELL,
  withServer,
} from "../plugins/salt_calls/scenario.ts";
import { installStandIns } from "../plugins/salt_calls/stand_in.ts";
import { SALT_CALLS } from "../plugins/salt_calls/table.ts";
import { saltProgram } from "../../bench/bed/salt_release.ts";
import { installSalt } from "./release.ts";

const skip = (process.env.BRINE_INTEROP ?? "") === ""
  ? "NOT TESTED AGAINST REAL SALT: set BRINE_INTEROP to quick or full"
  : process.versions.bun !== undefined || process.versions.deno !== undefined
  ? "driven by Node's test runner alone"
  : false;

/** Real Salt, waiting for scenarios. */
class RealSalt {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  #said = "";

  constructor(script: string) {
    this.#child = spawn(saltProgram("3006", "python3"), ["-W", "ignore", script], {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, SHELL },
    });
    this.#child.stderr!.on("data", (chunk) => this.#said += String(chunk));
    this.#lines = createInterface({ input: this.#child.stdout! })[Symbol.asyncIterator]();
  }

  async run(scenario: Record<string, unknown>): Promise<Answers> {
    this.#child.stdin!.write(`${JSON.stringify(scenario)}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`Salt ended:\n${this.#said}`);
    return JSON.parse(value);
  }

  close(): void {
    this.#child.stdin!.end();
  }
}

describe("execution modules against Salt 3006", { skip, timeout: 900_000 }, () => {
  const place = skip === false ? fs.mkdtempSync(path.join(process.env.TMPDIR ?? "/tmp", "brine-modules-")) : "";
  const root = path.join(place, "d");
  const config = path.join(place, "minion");
  const recorded: Record<string, Answers> = {};
  let salt: RealSalt;

  before(() => {
    if (skip !== false) return;
    assert.equal(installSalt("3006"), undefined);
    const opts = {
      root_dir: path.join(place, "salt"),
      file_client: "local",
      id: "alpha",
      "aliases.file": path.join(root, "aliases"),
      grains: GRAINS,
      features: { x509_v2: true },
    };
    fs.writeFileSync(config, JSON.stringify(opts));
    salt = new RealSalt(new URL("./salt_calls.py", import.meta.url).pathname);
  });
  after(() => {
    if (skip !== false) return;
    salt.close();
    fs.rmSync(place, { recursive: true, force: true });
    if (process.env.BRINE_RECORD !== "1") return;
    const file = new URL("../vectors/salt_calls.json", import.meta.url);
    const before: Record<string, Answers> = JSON.parse(fs.readFileSync(file, "utf8"));
    const all = Object.values(SALT_CALLS).flat().filter(({ live }) => live === undefined).map(({ name }) => name);
    // One scenario a line; those that were not run stay as they are.
    const lines = all.map((name) => [name, recorded[name] ?? before[name]]).filter(([, answers]) =>
      answers !== undefined
    )
      .map(([name, answers]) => `${JSON.stringify(name)}: ${JSON.stringify(answers)}`);
    fs.writeFileSync(file, `{\n${lines.join(",\n")}\n}\n`);
  });

  for (const scenario of Object.values(SALT_CALLS).flat()) {
    test(scenario.name, async () => {
      const programs = installStandIns(scenario.standIns, root);
      const ask = async (address?: Parameters<typeof placed>[2]) =>
        settled(await salt.run({ root, config, programs, ...placed(scenario, root, address) }), root, scenario);
      const theirs = await (scenario.server === true ? withServer(ask) : ask());
      if (scenario.live === undefined) recorded[scenario.name] = theirs;
      assert.deepEqual(labelled(scenario, await ourAnswers(scenario, root)), labelled(scenario, theirs));
    });
  }
});
