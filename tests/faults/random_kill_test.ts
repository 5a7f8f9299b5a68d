/** Master and minions are killed, stopped and held at random under mixed load: every job, body and return is counted. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { RUNTIMES } from "../../bench/bed/runtimes.ts";
import { pause } from "../../bench/bed/until.ts";
import { Bed, FULL, RUNTIME, SEED, whyNot } from "./bed.ts";

const LOAD_MS = FULL ? 60_000 : 12_000;
const MINIONS = 4;
/** Seconds that a queued job waits: longer than a run takes. */
const QUEUE = 900;

/** What a job prints before its token. */
function bodyOf(random: () => number): { before: string; text: string } {
  if (random() < 0.7) return { before: "", text: "" };
  const size = 1 + Math.floor(random() * 200_000);
  return { before: `head -c ${size} /dev/zero | tr '\\0' x; echo;`, text: `${"x".repeat(size)}\n` };
}

/** Publishes for so long; token → what the job prints. */
async function load(bed: Bed, isOver: () => boolean): Promise<Map<string, string>> {
  const { random } = bed;
  const printed = new Map<string, string>();
  while (!isOver()) {
    const { before, text } = bodyOf(random);
    const held = random() < 0.3 ? `sleep ${(2 * random()).toFixed(2)};` : "";
    const some = bed.ids.filter(() => random() < 0.6);
    const published = await bed.publish({
      before: `${before} ${random() < 0.5 ? held : ""}`,
      after: random() < 0.5 ? held : "",
      minions: some.length > 0 ? some : bed.ids,
      ...(random() < 0.5 ? { queue: QUEUE } : {}),
    });
    if (published !== undefined) printed.set(published.token, text + published.token);
    await pause(250 * random());
  }
  return printed;
}

/** One mishap at a time, each over when it resolves: all daemons run again. */
async function harm(bed: Bed, isOver: () => boolean): Promise<Record<string, number>> {
  const { random } = bed;
  const counts: Record<string, number> = {};
  const minionOf = () => bed.minions.get(bed.ids[Math.floor(random() * bed.ids.length)]!)!;
  const mishaps: Record<string, () => Promise<void>> = {
    "master killed": () => bed.restartMaster(1500 * random()),
    async "master stopped"() {
      await bed.master.stop();
      await bed.startMaster();
    },
    async "minion killed"() {
      const minion = minionOf();
      await minion.kill();
      await pause(3000 * random());
      minion.start();
    },
    async "minion stopped"() {
      const minion = minionOf();
      await minion.stop();
      await pause(1000 * random());
      minion.start();
    },
    // It seems to be there all the time.
    async "minion held and killed"() {
      const minion = minionOf();
      minion.signal("SIGSTOP");
      await pause(3000 * random());
      await minion.kill();
      minion.start();
    },
    async "minion held"() {
      const minion = minionOf();
      minion.signal("SIGSTOP");
      await pause(3000 * random());
      minion.signal("SIGCONT");
    },
  };
  const names = Object.keys(mishaps);
  while (!isOver()) {
    await pause(1000 * random());
    // A master is there again only after a while, in which nothing else would happen.
    const whose = random() < 0.2 ? "master" : "minion";
    const kinds = names.filter((one) => one.startsWith(whose));
    const name = kinds[Math.floor(random() * kinds.length)]!;
    counts[name] = (counts[name] ?? 0) + 1;
    await mishaps[name]!();
  }
  return counts;
}

for (const runtime of FULL ? RUNTIMES : [RUNTIME]) {
  for (let run = 0; run < (FULL ? 3 : 1); run++) {
    test(`nothing is lost, run twice or left unexplained: ${runtime}, seed ${SEED + run}`, {
      skip: whyNot(),
      timeout: LOAD_MS + 300_000,
    }, async (t) => {
      await using bed = await Bed.start({ minions: MINIONS, runtime, seed: SEED + run });
      const end = performance.now() + LOAD_MS;
      const isOver = () => performance.now() > end;
      const [printed, counts] = await Promise.all([load(bed, isOver), harm(bed, isOver)]);
      await bed.settled(200_000);
      const parts = await bed.verify();
      const states: Record<string, number> = {};
      for (const { state, value, token, jid, minion, note } of parts) {
        states[state] = (states[state] ?? 0) + 1;
        const told = `seed ${bed.seed}: ${jid} on ${minion} is ${state}: ${note ?? String(value).slice(0, 200)}`;
        // Every minion came back, and soon: a job has been done, or was interrupted and says so.
        if (state === "returned") assert.ok(value === printed.get(token), `${told}: its body is another`);
        else if (state !== "failed" || !/^The minion was stopped before this job ended/.test(String(value))) {
          assert.fail(`${told}\n${bed.report()}`);
        }
      }
      assert.ok((states.returned ?? 0) > bed.history.acknowledged / 4, "next to nothing was done");
      t.diagnostic(
        `${runtime}, seed ${bed.seed}: ${bed.history.asked} jobs asked for, ${bed.history.acknowledged} acknowledged, ` +
          `${parts.length} parts: ${JSON.stringify(states)}; ${JSON.stringify(counts)}`,
      );
    });
  }
}
