/** A return of a hundred megabytes is kept, or something small in its place that says so; the others go on meanwhile. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { Bed, until, whyNot } from "./bed.ts";

const OCTETS = 100_000_000;
/** What a master of a few jobs may grow to with one such return: it is sealed, opened and bound to a statement. */
const MASTER_KILOBYTES = 1_200_000;

function peakOf(pid: number): number | undefined {
  const status = `/proc/${pid}/status`;
  if (!existsSync(status)) return undefined;
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(status, "utf8"))?.[1]);
}

const CASES: { name: string; master?: Record<string, unknown>; minion?: Record<string, unknown>; want: RegExp }[] = [
  {
    name: "larger than max_return_size",
    want: /^The return of \d+ octets is larger than max_return_size \(67108864\)/,
  },
  {
    name: "larger than return_spool_bytes",
    minion: { return_spool_bytes: 50_000_000 },
    want: /^The return was dropped at the minion: its \d+ octets are more than return_spool_bytes \(50000000\)/,
  },
  { name: "within all bounds", master: { max_return_size: 200_000_000 }, want: /^x+$/ },
];

for (const { name, master = {}, minion = {}, want } of CASES) {
  test(`a return of 100 MB, ${name}`, { skip: whyNot(), timeout: 180_000 }, async (t) => {
    await using bed = await Bed.start({ minions: 2, master, minion: { ...minion, return_retry_timer: 20 } });
    const [large, small] = bed.ids as [string, string];
    const command = `echo large >> "$RUNS"; head -c ${OCTETS} /dev/zero | tr '\\0' x`;
    const published = await bed.client.publish({ tgt: large, fun: "cmd.run", arg: [command] });
    let longest = 0;
    let others = 0;
    await until("the large return has come", async () => {
      const began = performance.now();
      assert.ok(await bed.publish({ minions: [small] }), bed.refusal);
      longest = Math.max(longest, performance.now() - began);
      others++;
      return (await bed.counters()).open === 0;
    });
    await bed.settled();
    assert.equal((await bed.verify()).filter(({ state }) => state === "returned").length, others);
    assert.equal(bed.history.runs(large).get("large"), 1);
    const stored = await bed.cache(async (jobs) => await jobs.returns(published!.jid));
    assert.equal(stored.length, 1);
    const text = new TextDecoder().decode(stored[0]!.return.bytes.subarray(stored[0]!.return.bytes.indexOf(120) % 8));
    const value = text.replace(/^[^ -~]+/, "");
    assert.equal(stored[0]!.retcode, want.source.startsWith("^x") ? 0 : 1);
    assert.match(value.length > 1000 ? value.slice(-1000) : value.replace(/^[^T]*/, ""), want);
    if (value.length > 1000) assert.ok(stored[0]!.return.bytes.length > OCTETS);
    const peak = peakOf(bed.master.pid!);
    if (peak !== undefined) assert.ok(peak < MASTER_KILOBYTES, `the master grew to ${peak} kB`);
    t.diagnostic(`seed ${bed.seed}: master's peak ${peak} kB, ${others} other jobs, slowest publish ${longest | 0} ms`);
  });
}
