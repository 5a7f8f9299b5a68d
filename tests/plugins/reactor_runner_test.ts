import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunnerContext } from "../../src/model/loader/family.ts";
import { runner } from "../../src/plugins/runners/reactor.ts";

test("set_leader asks the reactor of this master, whose id need not be configured", async () => {
  const asked: unknown[] = [];
  const reactor = {
    isConfigured: true,
    ask: (operation: string, fields: Record<string, unknown>) => {
      asked.push([operation, fields]);
      return Promise.resolve({ result: false });
    },
  };
  const context = { reactor, id: "salt_master", opts: { id: "" } } as unknown as RunnerContext;
  assert.equal(await runner.functions!.set_leader!.run(context, { value: false }), false);
  assert.deepEqual(asked, [["set_leader", { id: "salt_master", value: false }]]);
});
