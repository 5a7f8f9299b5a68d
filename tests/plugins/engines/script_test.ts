/** The engine `script`: events of what a command prints. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { engine } from "../../../src/plugins/engines/script.ts";
import { type MemoryCall, memoryRuntime } from "../../../src/runtime/memory/memory_runtime.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { engineSite } from "../../support/engine_site.ts";
import { FakeClock } from "../../support/fake_clock.ts";

async function site(script: (call: MemoryCall, run: number) => Promise<number> | number) {
  const clock = new FakeClock();
  const { crypto } = await currentRuntime();
  let runs = 0;
  const runtime = memoryRuntime({ clock, crypto, process: { programs: { "/s": (call) => script(call, ++runs) } } });
  const here = await engineSite({ runtime });
  return {
    ...here,
    clock,
    /** Runs it once more. */
    async again(ms = 1000) {
      await clock.waiting(ms);
      clock.advance(ms);
      await clock.waiting(ms);
    },
    [Symbol.asyncDispose]: here.end,
  };
}

const line = (value: unknown) => `${JSON.stringify(value)}\n`;

describe("script", () => {
  test("each line is an event; data that name no minion get the id of the host", async () => {
    await using here = await site(async (call) => {
      assert.deepEqual(call.argv, ["/s", "-a", "two words"]);
      await call.stdout(line({ tag: "a", data: { n: 1 } }) + line({ tag: "b", data: { id: "mine" } }));
      await call.stdout(line({ tag: "c" }) + line({ data: { n: 2 } }) + '{"tag": "last"}');
      return 0;
    });
    void here.start(engine, { cmd: "/s -a 'two words'" });
    await here.clock.waiting(1000);
    assert.deepEqual(here.fired, [
      { tag: "a", data: { n: 1, id: "here_master" } },
      { tag: "b", data: { id: "mine" } },
      { tag: "c", data: {} },
      { tag: "last", data: {} },
    ]);
  });

  test("it runs again after its interval; with onchange only what has changed is fired", async () => {
    await using here = await site(async (call, run) => {
      await call.stdout(line({ tag: "a", data: { n: run < 3 ? 1 : 2 } }));
      return 0;
    });
    void here.start(engine, { cmd: "/s", onchange: true });
    for (let n = 0; n < 4; n++) await here.again();
    assert.deepEqual(here.fired.map(({ data }) => data.n), [1, 2]);
    assert.equal(here.details.runs, 5);
  });

  test("a line that is no event is named, and those after it are fired", async () => {
    await using here = await site(async (call) => {
      await call.stdout(`oops\n[1]\n${line({ tag: "t", data: 5 })}${line({ tag: "good" })}`);
      return 3;
    });
    void here.start(engine, { cmd: "/s" });
    await here.clock.waiting(1000);
    assert.deepEqual(here.fired, [{ tag: "good", data: {} }]);
    const log = JSON.stringify(here.captured.records);
    assert.match(log, /"line":"oops"/);
    assert.match(log, /it is not a map/);
    assert.match(log, /data of a script's event is not a map/);
    assert.match(log, /the script has failed.*exit code 3/);
    assert.equal(here.details.lines_not_read, 2);
  });

  test("other formats, one value in a line", async () => {
    await using here = await site(async (call) => {
      await call.stdout("{tag: my/tag, data: {n: 1}}\n");
      return 0;
    });
    void here.start(engine, { cmd: ["/s"], output: "yaml" });
    await here.clock.waiting(1000);
    assert.deepEqual(here.fired, [{ tag: "my/tag", data: { n: 1, id: "here_master" } }]);
  });

  test("an interval of 0 does not take a whole processor", async () => {
    await using here = await site(() => 0);
    void here.start(engine, { cmd: "/s", interval: 0 });
    await here.clock.waiting(100);
  });

  const wrong: [Record<string, unknown>, RegExp][] = [
    [{ cmd: "" }, /cmd is empty/],
    [{ cmd: "/s", interval: "often" }, /Cannot use often as interval/],
    [{ cmd: "/s", output: "xml" }, /Unknown serializer `xml` found for output option: expected one of/],
    [{ cmd: "/s 'open" }, /No closing quotation/],
  ];
  for (const [settings, message] of wrong) {
    test(`refused: ${JSON.stringify(settings)}`, async () => {
      await using here = await site(() => 0);
      await assert.rejects(here.start(engine, settings), message);
    });
  }
});
