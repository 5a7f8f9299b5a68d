import assert from "node:assert/strict";
import { test } from "node:test";
import { kwargs, testMinion } from "../support/context.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();

test("match.data looks into the data store of the minion", async () => {
  await inTemporary(runtime, async (cachedir) => {
    const minion = await testMinion({ opts: { cachedir, id: "alpha" } });
    await minion.value("data.dump", { eggs: "spam", list: ["One", "two"], map: { key: 1 } });
    for (
      const [tgt, want] of [
        ["eggs:spam", true],
        ["eggs:sp*", true],
        ["eggs:ham", false],
        ["list:one", true],
        ["map:key", true],
        ["map:none", false],
        ["none:x", false],
      ]
    ) assert.equal(await minion.value("match.data", tgt), want, String(tgt));
  });
});

test("match: pillar, node groups and other delimiters", async () => {
  const minion = await testMinion({
    opts: { id: "alpha", nodegroups: { group: "al* or be*" } },
    pillar: { role: { name: "web" } },
  });
  assert.equal(await minion.value("match.pillar", "role:name:w*"), true);
  assert.equal(await minion.value("match.pillar", "role|name|web", kwargs({ delimiter: "|" })), true);
  assert.equal(await minion.value("match.pillar_pcre", "role:name:w.b$"), true);
  assert.equal(await minion.value("match.compound", "N@group and I@role:name:web"), true);
  assert.equal(await minion.value("match.compound", "N@group", "gamma"), false);
});

test("match.ifelse takes the type of target as a keyword", async () => {
  const minion = await testMinion({ opts: { id: "alpha" } });
  assert.equal(await minion.value("match.ifelse", "al.ha", "yes", "no", kwargs({ tgt_type: "pcre" })), "yes");
  assert.equal(await minion.value("match.ifelse", "al.ha", "yes", "no", kwargs({ tgt_type: "glob" })), "no");
});
