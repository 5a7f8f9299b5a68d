import assert from "node:assert/strict";
import { test } from "node:test";
import { createLogger, type LogRecord } from "../../../src/base/log.ts";
import { BusEvent, EventBus } from "../../../src/model/event/bus.ts";
import {
  type LocalCommands,
  type LocalCommandsOptions,
  serveLocalCommands,
} from "../../../src/host/minion/local_commands.ts";
import { Refreshes } from "../../../src/host/minion/refreshes.ts";
import { packEvent } from "../../../src/protocol/wire/event_frame.ts";

/** A minion's bus with commands, and what they did. */
function minionBus(parts: readonly LocalCommands[] = []) {
  const did: unknown[] = [];
  const records: LogRecord[] = [];
  const bus = new EventBus(() => 0);
  bus.on(({ tag }) => void (tag.startsWith("/salt/") && did.push(tag)));
  const options = {
    bus,
    parts,
    log: createLogger((record) => records.push(record), "all"),
    masters: { sendToAll: (load: unknown) => Promise.resolve(did.push(load) > 0) },
    grains: { current: { os: "Debian" }, gather: (fresh: boolean) => Promise.resolve(void did.push({ fresh })) },
    refreshes: new Refreshes({ sleep: () => new Promise(() => {}) }),
    pillar: { refreshAll: (call: unknown) => Promise.resolve(void did.push({ call })) },
    context: { functions: { reload: () => void did.push("reload") } },
  };
  const stop = serveLocalCommands(options as unknown as LocalCommandsOptions);
  /** Fires an event, and resolves once its commands have run. */
  const fire = async (tag: string, data: Record<string, unknown> = {}) => {
    did.length = 0;
    bus.fire(tag, data);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    return did.map((one) => {
      if (typeof one !== "object" || one === null || !("_stamp" in one)) return one;
      const { _stamp, ...rest } = one;
      return rest;
    });
  };
  return { bus, did, records, fire, stop };
}

for (
  const { tag, data, want } of [
    { tag: "module_refresh", data: {}, want: ["reload", { fresh: false }] },
    {
      tag: "module_refresh",
      data: { notify: true, force_refresh: true },
      want: ["reload", { fresh: true }, "/salt/minion/minion_mod_refresh_complete"],
    },
    {
      tag: "pillar_refresh",
      data: { clean_cache: true },
      want: [
        "reload",
        { fresh: false },
        { call: { cleanCache: true } },
        "/salt/minion/minion_pillar_refresh_complete",
      ],
    },
    { tag: "grains_refresh", data: {}, want: [{ fresh: true }] },
    {
      tag: "grains_refresh",
      data: { force_refresh: true },
      want: [{ fresh: true }, "reload", { call: undefined }, "/salt/minion/minion_pillar_refresh_complete"],
    },
    { tag: "matchers_refresh", data: {}, want: [] },
    { tag: "environ_setenv", data: {}, want: [] },
    {
      tag: "fire_master",
      data: { tag: "a/b", data: { one: 1 }, events: null, pretag: null },
      want: [{ cmd: "_minion_event", pretag: null, tag: "a/b", data: { one: 1 } }],
    },
    {
      tag: "fire_master",
      data: { events: [{ tag: "x", data: {} }], pretag: "pre" },
      want: [{ cmd: "_minion_event", pretag: "pre", events: [{ tag: "x", data: {} }] }],
    },
    { tag: "_minion_mine", data: { cmd: "_mine", data: {} }, want: [{ cmd: "_mine", data: {} }] },
    { tag: "somebody/module_refresh", data: {}, want: [] },
  ]
) {
  test(`local commands: ${tag} ${JSON.stringify(data)}`, async () => {
    const { fire } = minionBus();
    assert.deepEqual(await fire(tag, data), want);
  });
}

test("local commands: _salt_error goes to the masters as it is", async () => {
  const [load] = await minionBus().fire("_salt_error", { message: "broken" }) as [Record<string, unknown>];
  const { data, ...rest } = load;
  assert.deepEqual(rest, { cmd: "_minion_event", pretag: null, tag: "_salt_error" });
  assert.equal((data as { message: unknown }).message, "broken");
});

test("local commands: tables of further parts are served, and those of one name run in turn", async () => {
  const seen: string[] = [];
  const parts: LocalCommands[] = [
    { manage_beacons: ({ func }, tag) => void seen.push(`${tag} ${func}`) },
    { module_refresh: () => void seen.push("beacons, too") },
  ];
  const { fire, stop } = minionBus(parts);
  await fire("manage_beacons", { func: "add" });
  await fire("module_refresh");
  assert.deepEqual(seen, ["manage_beacons add", "beacons, too"]);
  stop();
  await fire("manage_beacons", { func: "add" });
  assert.equal(seen.length, 2);
});

test("local commands: one that fails is logged, and events that are none are not even decoded", async () => {
  const { fire, records, bus } = minionBus([{ broken: () => Promise.reject(new Error("no such thing")) }]);
  await fire("broken/1");
  assert.deepEqual(records.map(({ level, fields }) => [level, fields.tag, fields.error]), [
    ["error", "broken/1", "no such thing"],
  ]);
  const bytes = packEvent("my/tag", {});
  bytes[bytes.length - 1] = 0xc1;
  bus.deliver(BusEvent.fromBytes(bytes));
  assert.equal(records.length, 1);
});
