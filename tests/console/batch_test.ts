import assert from "node:assert/strict";
import { test } from "node:test";
import { Batch, type BatchPlan } from "../../src/console/batch.ts";

const IDS = ["a", "b", "c", "d", "e"];

/** Runs a batch in which the minions of `bad` fail, and notes what happens in turn. */
async function run(
  plan: Partial<BatchPlan>,
  bad: readonly string[] = [],
  onStart: (batch: Batch, at: number) => void = () => {},
) {
  const turns: string[] = [];
  const batch = new Batch({ ids: IDS, size: "2", waitMs: 0, failures: undefined, ...plan }, () => {});
  let number = 0;
  await batch.run((ids, onChange) => {
    turns.push(ids.join(""));
    onStart(batch, number);
    onChange({ jid: `${++number}`, ended: ids.length, bad: ids.filter((id) => bad.includes(id)).length });
    return Promise.resolve();
  }, (ms) => {
    turns.push(`${batch.state} ${ms}`);
    return Promise.resolve();
  });
  return { turns, batch };
}

test("the parts of a batch follow each other, with a wait between them", async () => {
  const { turns, batch } = await run({ waitMs: 500 });
  assert.deepEqual(turns, ["ab", "waiting 500", "cd", "waiting 500", "e"]);
  assert.deepEqual([batch.state, batch.total, batch.started, batch.ended, batch.bad], ["done", 5, 5, 5, 0]);
  assert.deepEqual(batch.parts.map(({ jid, ids }) => [jid, ids.length]), [["1", 2], ["2", 2], ["3", 1]]);
});

test("a batch starts no more minions after so many failures", async () => {
  const { turns, batch } = await run({ failures: 2 }, ["a", "c"]);
  assert.deepEqual(turns, ["ab", "cd"]);
  assert.deepEqual([batch.state, batch.started, batch.bad], ["stopped", 4, 2]);
  assert.deepEqual((await run({ failures: 2, size: "100%" }, ["a", "c"])).batch.state, "done");
});

test("a batch that is stopped lets its part end, and does not wait for the next", async () => {
  const { turns, batch } = await run({}, [], (one, at) => at === 0 && one.stop());
  assert.deepEqual([turns, batch.state], [["ab"], "stopped"]);
  const waiting = new Batch({ ids: IDS, size: "2", waitMs: 1000, failures: undefined }, () => {});
  const over = waiting.run((ids, onChange) => {
    onChange({ jid: "1", ended: ids.length, bad: 0 });
    return Promise.resolve();
  }, () => new Promise(() => {}));
  while (waiting.state !== "waiting") await Promise.resolve();
  waiting.stop();
  await over;
  assert.deepEqual([waiting.state, waiting.started, waiting.isOpen], ["stopped", 2, false]);
});

test("a part that cannot be started ends the batch, with its error", async () => {
  const batch = new Batch({ ids: IDS, size: "2", waitMs: 0, failures: undefined }, () => {});
  await batch.run(() => Promise.reject(new RangeError("no")), () => Promise.resolve());
  assert.deepEqual([batch.state, (batch.error as Error).message, batch.started], ["failed", "no", 0]);
});
