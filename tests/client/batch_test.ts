import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type BatchEvent, batchSize, runBatch } from "../../src/client/batch.ts";
import { chooseSubset } from "../../src/client/subset.ts";
import { startCluster } from "../support/start_cluster.ts";

const TIMEOUT = { timeout: 120_000 };

for (
  const [text, minions, want] of [
    ["3", 10, 3],
    ["0", 10, 0],
    ["25%", 10, 2],
    ["%25", 10, 2],
    [" 50%", 10, 5],
    ["50 %", 10, 5],
    ["% 50", 10, 5],
    ["50%%", 10, 5],
    [".5%", 100, 1],
    [" 1", 10, 1],
    ["1\n", 10, 1],
    ["1_0", 10, 10],
    ["1e1", 10, undefined],
    ["-5%", 10, undefined],
    ["nan%", 10, undefined],
    ["inf%", 10, undefined],
    ["5 0%", 10, undefined],
    ["  ", 10, undefined],
    ["1%", 10, 1],
    ["100%", 10, 10],
    ["33.4%", 10, 3],
    ["x", 10, undefined],
    ["-1", 10, undefined],
    ["3.5", 10, undefined],
    ["%", 10, undefined],
    ["", 10, undefined],
  ] as const
) test(`batchSize("${text}") of ${minions} minions`, () => assert.equal(batchSize(text, minions), want));

describe("runBatch()", TIMEOUT, () => {
  const ids = ["a", "b", "c", "d", "e"];
  const run = async (size: string, fun: string | string[], more: { failhard?: boolean } = {}) => {
    await using cluster = await startCluster({ minions: ids });
    const client = await cluster.client();
    const sleep = () => Promise.resolve();
    const events: BatchEvent[] = [];
    for await (
      const event of runBatch(client, { tgt: "*", fun, arg: typeof fun === "string" ? [] : fun.map(() => []) }, {
        size,
        sleep,
        ...more,
      })
    ) events.push(event);
    return events;
  };

  test("runs at most the given number at once, and all in the end", TIMEOUT, async () => {
    let active = 0;
    const events = await run("2", "test.ping");
    for (const event of events) {
      if (event.kind === "started") active += event.ids.length;
      if (event.kind === "ended") active--;
      assert.ok(active <= 2);
    }
    const returned = events.flatMap((event) =>
      event.kind === "ended" && event.outcome.kind === "returned" ? [event.outcome.id] : []
    );
    assert.deepEqual(returned.sort(), ids);
  });

  test("goes on with failhard where all of several functions succeed", TIMEOUT, async () => {
    const events = await run("1", ["test.ping", "test.version"], { failhard: true });
    assert.equal(events.filter(({ kind }) => kind === "started").length, ids.length);
  });

  test("stops after the first failure with failhard", TIMEOUT, async () => {
    const events = await run("1", "no.such", { failhard: true });
    assert.equal(events.filter(({ kind }) => kind === "ended").length, 1);
  });
});

test("chooseSubset() takes the given number of minions that have the function", TIMEOUT, async () => {
  await using cluster = await startCluster({ minions: ["a", "b", "c"] });
  const client = await cluster.client();
  const choose = (fun: string, count: number) => chooseSubset(client, { tgt: "*", fun }, count, {}, () => 0);
  const two = await choose("test.ping", 2);
  assert.equal(new Set(two).size, 2);
  assert.deepEqual((await choose("test.ping", 9)).sort(), ["a", "b", "c"]);
  assert.deepEqual(await choose("no.such", 2), []);
});
