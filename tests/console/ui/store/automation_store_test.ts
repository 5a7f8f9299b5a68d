import assert from "node:assert/strict";
import { test } from "node:test";
import { Api } from "../../../../src/console/api.ts";
import { AutomationStore } from "../../../../src/console/ui/store/automation_store.ts";
import type { BrowserEnvironment } from "../../../../src/console/ui/store/environment.ts";
import { turns } from "../../../../bench/bed/until.ts";

test("an event counts from the moment in which its reactor is shown, though the status is still being read", async () => {
  const asked: string[] = [];
  const due: (() => void)[] = [];
  const api = new Api("", (_, init) => {
    const { fun } = JSON.parse(String(init.body)) as { fun: string };
    asked.push(fun);
    return fun === "reactor.list"
      ? Promise.resolve(new Response(JSON.stringify({ return: [[{ "my/*": ["/x.sls"] }]] })))
      : new Promise(() => {});
  });
  const later = (call: () => void) => {
    due.push(call);
    return () => {};
  };
  const store = new AutomationStore({ api, later } as unknown as BrowserEnvironment);
  store.followReactor();
  await turns(5);
  assert.deepEqual(store.rules.value, [{ match: "my/*", sls: ["/x.sls"] }]);
  store.apply({ tag: "your/event", data: {} });
  store.apply({ tag: "my/event", data: { user: "Reactor" } });
  assert.equal(due.length, 0);
  store.apply({ tag: "my/event", data: {} });
  store.apply({ tag: "my/event", data: {} });
  assert.equal(due.length, 1);
  due[0]!();
  await turns(5);
  assert.deepEqual(asked, ["reactor.list", "reactor.status", "reactor.list", "reactor.status"]);
});
