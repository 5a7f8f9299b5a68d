import assert from "node:assert/strict";
import { test } from "node:test";
import { reactorOpts, requestedReactor } from "../../../src/model/config/requested_reactor.ts";

const OWN = { reactor_worker_threads: 10, reactor_worker_hwm: 10_000, reactor_refresh_interval: 60 };

for (
  const { name, engines, changed = {}, mistakes = [] } of [
    { name: "a name alone", engines: ["reactor"] },
    { name: "no such engine", engines: [{ webhook: { port: 1 } }] },
    {
      name: "all of them",
      engines: [{ reactor: { worker_threads: 2, worker_hwm: 5, refresh_interval: 7 } }],
      changed: { reactor_worker_threads: 2, reactor_worker_hwm: 5, reactor_refresh_interval: 7 },
    },
    { name: "none, as nothing is", engines: { reactor: { worker_threads: null } } },
    {
      name: "a name that there is not, and no number",
      engines: [{ reactor: { threads: 2, worker_hwm: "many", worker_threads: 0 } }],
      mistakes: [
        /no option "threads": expected refresh_interval/,
        /worker_hwm of reactor is "many"/,
        /worker_threads.* is 0/,
      ],
    },
  ] as { name: string; engines: unknown; changed?: object; mistakes?: RegExp[] }[]
) {
  test(`reactorOpts: the options of the engine go over those of the host: ${name}`, () => {
    const found = reactorOpts({ ...OWN, engines });
    assert.deepEqual(found.opts, { ...OWN, engines, ...changed });
    assert.equal(found.mistakes.length, mistakes.length);
    for (const [at, mistake] of mistakes.entries()) assert.match(found.mistakes[at]!, mistake);
  });
}

test("requestedReactor: by the option reactor, or by its name among the engines", () => {
  assert.equal(requestedReactor({ reactor: [], engines: [] }), false);
  assert.equal(requestedReactor({ reactor: [], engines: [{ reactor: {} }] }), true);
  assert.equal(requestedReactor({ reactor: "/srv/map" }), true);
});
