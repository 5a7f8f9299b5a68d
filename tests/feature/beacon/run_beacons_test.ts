/** When beacons look, and what is sent of what they see. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Beacons, BeaconWatch, type FiredEvent } from "../../../src/feature/beacon/mod.ts";
import type { BeaconEvent, BeaconModule, BeaconRegistry, BeaconRun } from "../../../src/model/loader/beacons.ts";
import type { Context } from "../../../src/model/loader/family.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { captureLog } from "../../support/capture_log.ts";

/** Beacons that are looked at by hand, turn by turn. */
function bed(config: Record<string, unknown>, modules: Record<string, BeaconModule>, more: { pillar?: unknown } = {}) {
  const sent: FiredEvent[] = [];
  const captured = captureLog();
  const state = { statesRun: false };
  const beacons = new Beacons(config, () => more.pillar, (name) => watch.close(name));
  const registry: BeaconRegistry = Object.fromEntries(
    Object.entries(modules).map(([name, module]) => [name, () => Promise.resolve(module)]),
  );
  const watch: BeaconWatch = new BeaconWatch({
    id: "web1",
    clock: new FakeClock(),
    log: captured.log,
    loopInterval: 1,
    modules: () => registry,
    context: () => ({}) as Context,
    statesRun: () => state.statesRun,
    send: (events) => void sent.push(...events),
  }, beacons);
  /** One turn, and all that it has begun. */
  const turn = async () => {
    watch.turn();
    for (let at = 0; at < 20; at++) await Promise.resolve();
    return sent.splice(0);
  };
  return { beacons, watch, turn, state, records: captured.records };
}

const seeing = (...events: BeaconEvent[]): BeaconModule => ({ beacon: () => events.map((event) => ({ ...event })) });

describe("beacons", () => {
  test("an event has the beacon's tag and the minion's id", async () => {
    const { turn } = bed({ door: [{ a: 1 }] }, { door: seeing({ tag: "front", open: true }, { id: "other" }) });
    assert.deepEqual(await turn(), [
      { tag: "salt/beacon/web1/door/front", data: { open: true, id: "web1" }, beacon_name: "door" },
      { tag: "salt/beacon/web1/door/", data: { id: "other" }, beacon_name: "door" },
    ]);
  });

  test("one module watches under several names, and sees no option that is not its own", async () => {
    const seen: [string, unknown][] = [];
    const module: BeaconModule = {
      beacon: (config, run: BeaconRun) => {
        seen.push([run.name, config]);
        return [{}];
      },
    };
    const { turn } = bed({
      left: [{ beacon_module: "door" }, { file: "/a" }, { run_once: false }],
      right: [{ beacon_module: "door" }, { file: "/b" }],
    }, { door: module });
    assert.deepEqual((await turn()).map(({ tag }) => tag), ["salt/beacon/web1/left/", "salt/beacon/web1/right/"]);
    assert.deepEqual(seen, [["left", [{ file: "/a" }]], ["right", [{ file: "/b" }]]]);
  });

  test("an interval is counted in turns, and the first look comes when it is over", async () => {
    const { turn } = bed({ door: [{ interval: 3 }] }, { door: seeing({}) });
    const counts: number[] = [];
    for (let at = 0; at < 10; at++) counts.push((await turn()).length);
    assert.deepEqual(counts, [0, 0, 0, 1, 0, 0, 1, 0, 0, 1]);
  });

  test("none looks while disabled, one by one and all at once", async () => {
    const { turn, beacons } = bed({ door: [{ a: 1 }], wall: [{ a: 1 }, { enabled: false }] }, {
      door: seeing({}),
      wall: seeing({}),
    });
    assert.equal((await turn()).length, 1);
    beacons.enableOne("wall", true);
    assert.equal((await turn()).length, 2);
    beacons.enable(false);
    assert.equal((await turn()).length, 0);
    beacons.enable(true);
    assert.equal((await turn()).length, 2);
  });

  test("run_once looks once", async () => {
    const { turn, beacons } = bed({ door: [{ run_once: true }] }, { door: seeing({}) });
    assert.equal((await turn()).length, 1);
    assert.equal((await turn()).length, 0);
    assert.deepEqual(beacons.all().door, [{ run_once: true }, { enabled: false }]);
  });

  test("disable_during_state_run closes the beacon while a state runs", async () => {
    let closed = 0;
    const { turn, state } = bed({ door: [{ disable_during_state_run: true }] }, {
      door: { ...seeing({}), close: () => void closed++ },
    });
    assert.equal((await turn()).length, 1);
    state.statesRun = true;
    assert.equal((await turn()).length, 0);
    assert.equal(closed, 1);
    state.statesRun = false;
    assert.equal((await turn()).length, 1);
  });

  test("one that takes long keeps none of the others, and does not look twice at a time", async () => {
    const waiting = Promise.withResolvers<BeaconEvent[]>();
    let looks = 0;
    const slow: BeaconModule = {
      beacon: () => {
        looks++;
        return waiting.promise;
      },
    };
    const { turn } = bed({ slow: [{}], door: [{}] }, { slow, door: seeing({}) });
    assert.equal((await turn()).length, 1);
    assert.equal((await turn()).length, 1);
    assert.equal(looks, 1);
    waiting.resolve([{ tag: "late" }]);
    assert.deepEqual((await turn()).map(({ tag }) => tag).sort(), [
      "salt/beacon/web1/door/",
      "salt/beacon/web1/slow/late",
    ]);
  });

  test("one that fails is named once, the master is told, and the others go on", async () => {
    const { turn, records } = bed({ bad: [{}], door: [{}] }, {
      bad: {
        beacon: () => {
          throw new Error("no such sensor");
        },
      },
      door: seeing({}),
    });
    const [first] = await turn();
    assert.deepEqual(first, {
      tag: "salt/beacon/web1/bad/",
      data: { error: "no such sensor", id: "web1" },
      beacon_name: "bad",
    });
    await turn();
    assert.equal(records.filter(({ message }) => message === "Unable to start beacon").length, 1);
  });

  test("what is no beacon, cannot run here or is invalid is named once, with the reason", async () => {
    const { turn, records } = bed({ nosuch: [{}], away: [{}], wrong: [{}], text: "x" }, {
      away: { unavailable: () => "there is no program x", beacon: () => [{}] },
      wrong: { validate: () => [false, "Configuration for wrong beacon requires percent."], beacon: () => [{}] },
    });
    for (let at = 0; at < 3; at++) assert.deepEqual(await turn(), []);
    assert.equal(records.length, 4);
    assert.deepEqual(Object.fromEntries(records.map(({ fields }) => [fields.beacon, fields.reason])), {
      text: undefined,
      nosuch: 'unknown beacon "nosuch"',
      away: "there is no program x",
      wrong: "Configuration for wrong beacon requires percent.",
    });
  });

  test("one that floods is bounded, and the master is told how many are missing", async () => {
    const { turn, records } = bed({ door: [{}] }, {
      door: seeing(...Array.from({ length: 5000 }, () => ({ open: true }))),
    });
    const events = await turn();
    assert.equal(events.length, 1001);
    assert.deepEqual(events.at(-1)!.data, {
      id: "web1",
      error: "4000 events beyond the limit",
      dropped: 4000,
    });
    assert.equal(records.length, 1);
  });

  test("what it remembers ends with its configuration, and what it holds is closed", async () => {
    const counting: BeaconModule = {
      beacon: (_config, { memory }) => {
        const count = (memory.get("count") as number ?? 0) + 1;
        memory.set("count", count);
        return [{ count }];
      },
      close: ({ memory }) => void closed.push(memory.get("count")),
    };
    const closed: unknown[] = [];
    const { turn, beacons } = bed({ door: [{}] }, { door: counting });
    await turn();
    assert.deepEqual((await turn())[0]!.data, { count: 2, id: "web1" });
    beacons.modify("door", [{ other: 1 }]);
    assert.deepEqual((await turn())[0]!.data, { count: 1, id: "web1" });
    beacons.delete("door");
    assert.deepEqual(await turn(), []);
    assert.deepEqual(closed, [2, 1]);
  });

  test("where the pillar has beacons they look alone, as in Salt, and the log names the others", async () => {
    const { turn, beacons, records } = bed({ door: [{ who: "own" }], wall: [{ beacon_module: "door" }] }, {
      door: { beacon: (_config, { settings }) => [{ who: settings.who }] },
    }, { pillar: { door: [{ who: "pillar" }], gate: [{ beacon_module: "door" }, { who: "gate" }] } });
    for (let at = 0; at < 2; at++) {
      assert.deepEqual((await turn()).map(({ data }) => data.who).sort(), ["gate", "pillar"]);
    }
    const told = records.filter(({ message }) => message.startsWith("beacons of the configuration are ignored"));
    assert.deepEqual(told.map(({ fields }) => fields), [{ beacons: "wall" }]);
    beacons.enable(false);
    assert.deepEqual(await turn(), []);
  });
});
