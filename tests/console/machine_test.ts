import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf } from "../../src/console/machine.ts";
import { sortedTop } from "../../src/console/tree.ts";

for (
  const { grains, want } of [
    {
      grains: { num_cpus: 2, cpuarch: "x86_64", mem_total: 24105 },
      want: { CPU: "2 CPUs, x86_64", Memory: "23.5 GiB" },
    },
    { grains: { num_cpus: 1, mem_total: 512 }, want: { CPU: "1 CPU", Memory: "512 MiB" } },
    { grains: { cpuarch: "aarch64", mem_total: 2048 }, want: { CPU: "aarch64", Memory: "2 GiB" } },
    { grains: { mem_total: "much" }, want: {} },
    { grains: undefined, want: {} },
  ] as { grains: Record<string, unknown> | undefined; want: Record<string, string> }[]
) {
  test(`a machine with ${JSON.stringify(grains)} is ${JSON.stringify(want)}`, () => {
    assert.deepEqual(Object.fromEntries(factsOf(grains)), want);
  });
}

test("grains are shown in order", () => {
  assert.deepEqual(Object.keys(sortedTop({ os: 1, id: 2, cpu: 3 }) as object), ["cpu", "id", "os"]);
  assert.equal(sortedTop("text"), "text");
});
