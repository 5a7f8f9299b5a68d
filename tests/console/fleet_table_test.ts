import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fleetTable } from "../../src/console/export.ts";
import type { MinionPresence } from "../../src/console/fleet.ts";
import {
  chosenMinions,
  facetsFor,
  facetsOf,
  type FleetColumn,
  grainColumn,
  type KnownMinions,
  sortedMinions,
  sortKey,
} from "../../src/console/fleet_table.ts";

type Row = [id: string, presence: MinionPresence, system: string, program: string, address: string, seenMs?: number];

const ROWS: Row[] = [
  ["db1", "down", "Debian 12", "Salt 3006.9", "10.0.0.10", 500],
  ["db2", "up", "Debian 9", "Brine 0.1.0", "10.0.0.9"],
  ["web1", "unknown", "", "", ""],
  ["web2", "down", "Ubuntu 24.04", "Salt 3006.28", "10.0.0.100", 900],
];
const IDS = [...ROWS.map(([id]) => id), "unread"];
const KNOWN: KnownMinions = {
  presence: (id) => ROWS.find((row) => row[0] === id)?.[1] ?? "unknown",
  seenMs: (id) => ROWS.find((row) => row[0] === id)?.[5],
  facts: (id) => {
    const row = ROWS.find((one) => one[0] === id);
    if (row === undefined) return undefined;
    const [, , system, program, address] = row;
    return { os: system.split(" ")[0]!, system, program, address };
  },
};

describe("the order of minions", () => {
  for (
    const [column, up, down] of [
      ["minion", "db1 db2 web1 web2 unread", "unread web2 web1 db2 db1"],
      ["state", "db2 db1 web2 web1 unread", "web1 unread db1 web2 db2"],
      ["system", "db2 db1 web2 web1 unread", "web2 db1 db2 web1 unread"],
      ["program", "db2 db1 web2 web1 unread", "web2 db1 db2 web1 unread"],
      ["address", "db2 db1 web2 web1 unread", "web2 db1 db2 web1 unread"],
      ["seen", "db2 web2 db1 web1 unread", "db1 web2 db2 web1 unread"],
    ] as [FleetColumn, string, string][]
  ) {
    test(`by ${column}: what is not known comes last in both directions`, () => {
      assert.equal(sortedMinions(IDS, { column, down: false }, KNOWN, 1000).join(" "), up);
      assert.equal(sortedMinions(IDS, { column, down: true }, KNOWN, 1000).join(" "), down);
    });
  }

  test("numbers in texts count as numbers", () => {
    const texts = ["web10", "web9", "WEB2", "10.0.0.9", "3006.28", "3006.9"];
    assert.deepEqual(texts.toSorted((left, right) => sortKey(left) < sortKey(right) ? -1 : 1), [
      "10.0.0.9",
      "3006.9",
      "3006.28",
      "WEB2",
      "web9",
      "web10",
    ]);
  });
});

describe("facets", () => {
  test("each counts the minions that fit the choices in the others; chosen values stay", () => {
    const choices = { os: new Set(["Debian"]), program: new Set(["Salt 3007.1"]) };
    const { os, system, program } = facetsOf(IDS, choices, KNOWN);
    assert.deepEqual(os, [{ value: "Debian", count: 0 }]);
    assert.deepEqual(system, []);
    assert.deepEqual(program, [
      { value: "Brine 0.1.0", count: 1 },
      { value: "Salt 3006.9", count: 1 },
      { value: "Salt 3007.1", count: 0 },
    ]);
  });

  test("a minion has to have one of the chosen values of each facet", () => {
    const chosen = (choices: Parameters<typeof chosenMinions>[1]) => chosenMinions(IDS, choices, KNOWN);
    assert.equal(chosen({}), IDS);
    assert.equal(chosen({ os: new Set() }), IDS);
    assert.deepEqual(chosen({ os: new Set(["Debian", "Ubuntu"]) }), ["db1", "db2", "web2"]);
    assert.deepEqual(chosen({ os: new Set(["Debian"]), program: new Set(["Brine 0.1.0"]) }), ["db2"]);
    assert.deepEqual(chosen({ os: new Set([""]) }), ["web1", "unread"]);
  });
});

test("the fleet is exported with what the page shows", () => {
  const { columns, rows } = fleetTable(["db1", "unread"], KNOWN);
  assert.deepEqual([columns.length, ...rows], [
    6,
    ["db1", "down", "Debian 12", "Salt 3006.9", "10.0.0.10", "1970-01-01T00:00:00.500Z"],
    ["unread", "unknown", undefined, undefined, undefined, undefined],
  ]);
});

test("grains that the user has chosen are columns and filters like the others", () => {
  const known: KnownMinions = {
    ...KNOWN,
    facts: (id) => {
      const facts = KNOWN.facts(id);
      return facts && { ...facts, grains: new Map([["role", id.slice(0, 2)]]) };
    },
  };
  const role = grainColumn("role");
  assert.equal(sortedMinions(IDS, { column: role, down: true }, known, 1000).join(" "), "web1 web2 db1 db2 unread");
  assert.deepEqual(facetsOf(IDS, { os: new Set(["Debian"]) }, known, facetsFor(["role"]))[role], [{
    value: "db",
    count: 2,
  }]);
  assert.deepEqual(chosenMinions(IDS, { [role]: new Set(["we"]) }, known), ["web1", "web2"]);
  const { columns, rows } = fleetTable(["web1"], known, ["role"]);
  assert.deepEqual([columns.at(-1), [...rows][0]!.at(-1)], ["role", "we"]);
});
