/** A return of a hundred megabytes is kept, or something small in its place that says so; the others go on meanwhile. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { ENDED, type OutcomeState } from "../../src/model/job/outcome.ts";
import { unpack } from "../../src/protocol/wire/msgpack.ts";
import { until } from "../../bench/bed/until.ts";
import { Bed, FULL, whyNot } from "./bed.ts";

/** What a command prints is bounded, so that it takes several: all print this much, one of them twice. */
const EACH = 16_700_000;
const PRINT = `head -c ${EACH} /dev/zero | tr '\\0' x`;
const COMMANDS: Record<string, string> = {
  "cmd.run": PRINT,
  "cmd.run_stdout": PRINT,
  "cmd.shell": PRINT,
  "cmd.run_stderr": `${PRINT} >&2`,
  "cmd.run_all": `${PRINT}; ${PRINT} >&2; echo large >> "$RUNS"`,
};
const BYTES = 6 * EACH;
/** What a master of a few jobs may grow to with one such return: it is sealed, opened and bound to a statement. */
const MASTER_KILOBYTES = 1_200_000;

function peakOf(pid: number): number | undefined {
  const status = `/proc/${pid}/status`;
  if (!existsSync(status)) return undefined;
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(status, "utf8"))?.[1]);
}

const CASES: {
  name: string;
  master?: Record<string, unknown>;
  minion?: Record<string, unknown>;
  want: RegExp | number;
}[] = [
  {
    name: "larger than max_return_size",
    want: /^The return of \d+ bytes is larger than max_return_size \(67108864\)/,
  },
  {
    name: "larger than return_spool_bytes",
    minion: { return_spool_bytes: 50_000_000 },
    want: /^The return was dropped at the minion: its \d+ bytes are more than return_spool_bytes \(50000000\)/,
  },
  { name: "within all bounds", master: { max_return_size: 200_000_000 }, want: BYTES },
];

// Quick: the largest that is kept.
for (const { name, master = {}, minion = {}, want } of FULL ? CASES : CASES.slice(-1)) {
  test(`a return of 100 MB, ${name}`, { skip: whyNot(), timeout: 180_000 }, async (t) => {
    await using bed = await Bed.start({
      minions: 2,
      master,
      minion: { ...minion, return_retry_timer: 20 },
      // A master on Node reads so large a return for seconds, in which it answers nobody.
      requestTimeoutMs: 60_000,
    });
    const [large, small] = bed.ids as [string, string];
    const published = await bed.client.publish({
      tgt: large,
      fun: Object.keys(COMMANDS),
      arg: Object.values(COMMANDS).map((command) => [command]),
    });
    assert.ok(published);
    let longest = 0;
    let others = 0;
    await until("the large return has come", async () => {
      const began = performance.now();
      assert.ok(await bed.publish({ minions: [small] }), bed.refusal);
      longest = Math.max(longest, performance.now() - began);
      others++;
      return ENDED.has((await bed.outcomes(published.jid))[large] as OutcomeState);
    }, { everyMs: 500 });
    await bed.settled();
    assert.equal((await bed.verify()).filter(({ state }) => state === "returned").length, others);
    assert.equal(bed.history.runs(large).get("large"), 1);
    const stored = await bed.cache(async (jobs) => await jobs.returns(published.jid));
    assert.equal(stored.length, 1);
    const { [large]: state } = await bed.outcomes(published.jid);
    const value = unpack(stored[0]!.return, "bin");
    if (typeof want === "number") {
      const { "cmd.run_all": both, ...texts } = value as Record<string, string> & {
        "cmd.run_all": { stdout: string; stderr: string };
      };
      const all = [...Object.values(texts), both.stdout, both.stderr];
      assert.equal(all.reduce((sum, text) => sum + text.length, 0), want);
      assert.equal(state, "returned");
    } else {
      assert.match(String(value).slice(0, 1000), want);
      assert.equal(state, "failed");
    }
    const peak = peakOf(bed.master.pid!);
    if (peak !== undefined) assert.ok(peak < MASTER_KILOBYTES, `the master grew to ${peak} kB`);
    t.diagnostic(`seed ${bed.seed}: master's peak ${peak} kB, ${others} other jobs, slowest publish ${longest | 0} ms`);
  });
}
