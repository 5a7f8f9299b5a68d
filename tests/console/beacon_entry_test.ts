import assert from "node:assert/strict";
import { test } from "node:test";
import { beaconData, readBeacons, templateOf } from "../../src/console/beacon_entry.ts";

test("beacons are read from what a minion answers, whatever it answers", () => {
  const found = readBeacons({
    enabled: false,
    load: [{ averages: { "1m": [0, 4] } }, { interval: 10 }],
    "web-files": [{ beacon_module: "inotify" }, { enabled: false }],
    odd: "text",
  })!;
  assert.equal(found.enabled, false);
  assert.deepEqual(
    found.entries.map(({ name, module, enabled, interval, text }) => [name, module, enabled, interval, text]),
    [
      ["load", "load", true, 10, '{"averages":{"1m":[0,4]}}'],
      ["web-files", "inotify", false, undefined, ""],
      ["odd", "odd", true, undefined, ""],
    ],
  );
  assert.deepEqual(readBeacons(null), { enabled: true, entries: [] });
  assert.equal(readBeacons("no"), undefined);
});

test("what is typed for a beacon is a list of mappings, or one mapping", () => {
  assert.deepEqual(beaconData('[{"interval": 5}]'), { data: [{ interval: 5 }] });
  assert.deepEqual(beaconData('{"interval": 5, "percent": "9%"}'), { data: [{ interval: 5 }, { percent: "9%" }] });
  assert.match(beaconData("{").problem!, /Not JSON/);
  assert.match(beaconData("[1]").problem!, /Expected a list of mappings/);
  assert.match(beaconData('"x"').problem!, /Expected a list/);
});

test("each example is a configuration", () => {
  for (
    const module of ["diskusage", "inotify", "load", "log", "memusage", "ps", "service", "status", "any", "toString"]
  ) {
    assert.equal(beaconData(templateOf(module)).problem, undefined, module);
  }
});
