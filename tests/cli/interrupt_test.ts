import assert from "node:assert/strict";
import { test } from "node:test";
import { leaveOnInterrupt } from "../../cli/program/exit.ts";
import type { ProgramContext } from "../../cli/program/context.ts";
import { startCluster } from "../support/start_cluster.ts";

test("leaveOnInterrupt(): says so, does what is left, and ends with 0; not any more once that is over", () => {
  const said: string[] = [];
  const handlers = new Set<() => void>();
  const context = {
    complain: (text: string) => void said.push(text),
    runtime: {
      process: {
        onSignal(signal: string, handler: () => void) {
          assert.equal(signal, "SIGINT");
          handlers.add(handler);
          return () => void handlers.delete(handler);
        },
        exit: (code: number) => void said.push(`exit ${code}`),
      },
    },
  } as unknown as ProgramContext;
  const off = leaveOnInterrupt(context, () => void said.push("last"));
  for (const handler of handlers) handler();
  assert.deepEqual(said, ["\nExiting gracefully on Ctrl-c", "last", "exit 0"]);
  off();
  assert.equal(handlers.size, 0);
});

test("a job's id is reported before the first return", async () => {
  const cluster = await startCluster();
  try {
    const events: string[] = [];
    const request = { tgt: "web1", tgt_type: "glob", fun: "test.ping" };
    const jids: string[] = [];
    await using client = await cluster.client();
    for await (const { jid } of client.run(request, { onPublished: (id) => void events.push(id, "published") })) {
      jids.push(jid);
      events.push("returned");
    }
    assert.deepEqual(events, [jids[0], "published", "returned"]);
  } finally {
    await cluster.close();
  }
});
