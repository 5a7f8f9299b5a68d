/** The engines of a host: started, reported, started again, compared with a configuration that was read again, and stopped. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { turns } from "../../../bench/bed/until.ts";
import { Engines } from "../../../src/feature/engine/engines.ts";
import { superviseBed, text } from "../supervise/bed.ts";

async function site(engines: unknown) {
  const bed = await superviseBed();
  const fired: [string, Record<string, unknown>][] = [];
  const parts = new Map<string, ReturnType<typeof bed.supervisor.kept>>();
  let opts: Record<string, unknown> = { engines };
  const host = new Engines({
    clock: bed.clock,
    log: bed.captured.log,
    opts: () => opts,
    elsewhere: "reactor",
    obstacle: ({ module }) => Promise.resolve(module === "gone" ? "there is no such engine" : undefined),
    start(entry, onChange) {
      const argv = entry.module === "broken" ? ["broken"] : ["worker"];
      const part = bed.supervisor.kept({ name: `engine ${entry.name}`, argv, config: () => ({}), onChange });
      parts.set(entry.name, part);
      return part;
    },
  });
  bed.supervisor.add(host);
  return {
    bed,
    host,
    fired,
    parts,
    told: () => fired.splice(0).map(([tag, { state }]) => `${tag} ${state}`),
    async open() {
      await host.open((tag, data) => void fired.push([tag, data]));
      await turns(30);
    },
    async reload(engines: unknown) {
      opts = { engines };
      host.renew();
      await turns(30);
    },
    // The program of the bed answers with the body of the request.
    report: async () => await host.report(),
  };
}

describe("Engines", () => {
  test("each runs in a process of its own; one that is not there says why, and the others run", async () => {
    const here = await site(["a", "gone", { b: { port: 1 } }, "reactor"]);
    assert.deepEqual(await here.report(), {});
    await here.open();
    const report = await here.report();
    assert.deepEqual(Object.entries(report).map(([name, { state }]) => [name, state]), [
      ["a", "running"],
      ["gone", "absent"],
      ["b", "running"],
    ]);
    assert.equal(report.gone!.reason, "there is no such engine");
    assert.equal(here.bed.started(), 2);
    assert.deepEqual(here.told().sort(), [
      "salt/engines/status/a running",
      "salt/engines/status/b running",
      "salt/engines/status/gone absent",
    ]);
    assert.deepEqual(here.host.states(), { running: 2, starting: 0, waiting: 0, stopped: 0, absent: 1 });
    await here.bed.supervisor.close();
    assert.deepEqual(here.told().sort(), ["salt/engines/status/a stopped", "salt/engines/status/b stopped"]);
  });

  test("one that ends is started again, with its last words in the event and in the report", async () => {
    const here = await site(["a"]);
    await here.open();
    here.told();
    await here.parts.get("a")!.request("die", text("the port"));
    await turns(30);
    const [[tag, data]] = here.fired as [[string, Record<string, unknown>]];
    assert.equal(tag, "salt/engines/status/a");
    assert.deepEqual([data.state, data.restarts], ["waiting", 1]);
    assert.deepEqual(data.last_error, {
      at: "2024-05-06T07:08:09.123000",
      how: "exit code 3",
      words: "cannot go on with the port",
    });
    here.bed.clock.advance(100);
    await turns(30);
    const { a } = await here.report();
    assert.deepEqual([a!.state, a!.restarts, a!.last_error?.how], ["running", 1, "exit code 3"]);
    assert.equal(here.host.failures, 1);
    await here.bed.supervisor.close();
  });

  test("one that cannot be started is tried more and more rarely, and never given up", async () => {
    const here = await site(["broken"]);
    await here.open();
    for (let minute = 0; minute < 20; minute++) {
      here.bed.clock.advance(60_000);
      await turns(30);
    }
    const { broken } = await here.report();
    assert.equal(broken!.state, "waiting");
    assert.match(broken!.last_error!.how, /could not be started: .*no such module/);
    const before = here.bed.started();
    here.bed.clock.advance(60_000);
    await turns(30);
    assert.equal(here.bed.started(), before + 1);
    await here.bed.supervisor.close();
  });

  test("a configuration that was read again starts what is new or different, and leaves the rest as it is", async () => {
    const here = await site(["a", { b: { port: 1 } }, "c"]);
    await here.open();
    const pids = async () =>
      Object.fromEntries(Object.entries(await here.report()).map(([name, { pid, state }]) => [name, pid ?? state]));
    const before = await pids();
    await here.reload(["a", { b: { port: 2 } }, { d: {} }]);
    const now = await pids();
    assert.deepEqual(Object.keys(now).sort(), ["a", "b", "d"]);
    assert.notEqual(now.b, before.b);
    // The processes of the bed know no `renew`: a part of Brine that has nothing to do answers it, and stays.
    assert.equal(here.host.failures, 0);
    await here.bed.supervisor.close();
    assert.deepEqual(here.host.states(), { running: 0, starting: 0, waiting: 0, stopped: 3, absent: 0 });
  });

  test("mistakes of the configuration are logged, each once", async () => {
    const here = await site([{ a: 5 }]);
    await here.open();
    assert.match(JSON.stringify(here.bed.captured.records), /the options of \\"a\\" are 5: expected a map/);
    await here.bed.supervisor.close();
  });
});
