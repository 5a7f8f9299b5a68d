import assert from "node:assert/strict";
import { test } from "node:test";
import { fleetQuery, type FleetView, grainNames, readFleetView, WHOLE_FLEET } from "../../src/console/fleet_view.ts";
import { href, parseRoute } from "../../src/console/route.ts";

const VIEW: FleetView = {
  target: { tgt: "web* and G@os:Debian", type: "compound" },
  only: "down",
  choices: { os: new Set(["Debian", "a&b,c"]), "grain:role": new Set([""]) },
  order: { column: "grain:role", down: true },
  grains: ["role", "ec2:tags"],
};

for (const [name, view] of [["whole", WHOLE_FLEET], ["narrow", VIEW]] as const) {
  test(`a ${name} view of the fleet is read from its address as it was`, () => {
    const { query } = parseRoute(href("fleet", "", fleetQuery(view)));
    assert.deepEqual(readFleetView(query), view);
  });
}

test("the whole fleet has a bare address", () => {
  assert.equal(href("fleet", "", fleetQuery(WHOLE_FLEET)), "#/fleet");
});

test("an address that anybody may have written is used as far as it is sound", () => {
  for (const filters of ["{", "7", "[]", "null"]) {
    assert.deepEqual(readFleetView({ filters, state: "sideways", grains: "" }), WHOLE_FLEET);
  }
  assert.deepEqual(readFleetView({ filters: '{"os":"Debian","system":["x",1]}' }).choices, {
    system: new Set(["x", "1"]),
  });
});

test("columns of grains are named once each, and bounded", () => {
  assert.deepEqual(grainNames(" role, dc role,, "), ["role", "dc"]);
  assert.equal(grainNames("a b c d e f g h").length, 6);
  assert.deepEqual(grainNames("x".repeat(100)), []);
});
