import assert from "node:assert/strict";
import { test } from "node:test";
import { examineCluster } from "../../../cli/programs/doctor/cluster.ts";

const WELL = {
  name: "a/1",
  masters: ["a/1", "b/2"],
  usable: true,
  on_duty: true,
  storage: { place: "postgres://db", usable: true },
  bus: { place: "nats://bus", connected: true, foreign: 0, replayed: 0 },
};

/** Rows for what a master says, by severity. */
async function rows(cluster: unknown): Promise<Record<string, string[]>> {
  const { well, findings } = await examineCluster({ ask: () => Promise.resolve({ cluster }) });
  const of = (severity: string) => findings.filter((one) => one.severity === severity).map(({ problem }) => problem);
  return { well, warning: of("warning"), error: of("error") };
}

test("a master whose cluster is well says with whom it is", async () => {
  assert.deepEqual(await rows(WELL), {
    well: [
      "cluster: the storage at postgres://db is available",
      "cluster: the bus at nats://bus is connected",
      "cluster: the lease of a/1 is valid, and it runs the cluster's shared tasks",
      "cluster: other running masters: b/2",
    ],
    warning: [],
    error: [],
  });
});

test("each part of a cluster that is not well has its own row", async () => {
  const cases: [object, "warning" | "error", string][] = [
    [
      { storage: { place: "postgres://db", usable: false } },
      "error",
      "cluster: the storage at postgres://db is not available",
    ],
    [{ bus: { ...WELL.bus, connected: false } }, "error", "cluster: the bus at nats://bus is not connected"],
    [{ usable: false, reason: "no answer" }, "error", "cluster: a/1 may not decide on jobs: no answer"],
    [{ masters: ["a/1"] }, "warning", "cluster: no other master is running"],
    [
      { bus: { ...WELL.bus, foreign: 3 } },
      "warning",
      "cluster: 3 messages were refused: they are not from a master of this cluster",
    ],
    [
      { bus: { ...WELL.bus, replayed: 2 } },
      "warning",
      "cluster: 2 messages were refused: they arrived twice or too late",
    ],
  ];
  for (const [change, severity, text] of cases) {
    const found = await rows({ ...WELL, ...change });
    assert.deepEqual([...found.warning!, ...found.error!], [text]);
    assert.deepEqual(found[severity], [text]);
  }
});

test("a master that was started before cluster was set, or that does not know the question, is told of", async () => {
  assert.deepEqual((await rows(null)).warning, ["the running master is not in a cluster"]);
  const { findings } = await examineCluster({ ask: () => Promise.reject(new Error("unknown command")) });
  assert.match(findings[0]!.problem, /does not report the state of its cluster: unknown command/);
});
