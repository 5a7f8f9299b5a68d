import type { MinionFacts } from "./facts.ts";
import type { MinionPresence } from "./fleet.ts";

/** The column by which minions are sorted. */
export type FleetColumn = string;

export interface FleetOrder {
  column: FleetColumn;
  down: boolean;
}

/** A filter for minions, in addition to their state: a fact or a grain that the user has chosen. */
interface Facet {
  name: string;
  label: string;
}

const FACETS: readonly Facet[] = [
  { name: "os", label: "System" },
  { name: "system", label: "Release" },
  { name: "program", label: "Program" },
];

/** The prefix of the name of a column or facet for a grain that the user has chosen. */
const GRAIN = "grain:";

/** The column of a grain that the user has chosen. */
export const grainColumn = (grain: string): FleetColumn => `${GRAIN}${grain}`;

/** The facets of every fleet, and those of grains that the user has chosen. */
export const facetsFor = (grains: readonly string[]): Facet[] => [
  ...FACETS,
  ...grains.map((grain) => ({ name: grainColumn(grain), label: grain })),
];

/** The value of a minion in a column or facet; empty if unknown. */
export function factOf(facts: MinionFacts | undefined, name: string): string {
  if (facts === undefined) return "";
  if (name.startsWith(GRAIN)) return facts.grains?.get(name.slice(GRAIN.length)) ?? "";
  return name === "os" || name === "system" || name === "program" || name === "address" ? facts[name] : "";
}

/** The chosen values of each facet. A minion has to have one of the values of each facet with choices. */
export type FacetChoices = Readonly<Record<string, ReadonlySet<string>>>;

export interface FacetValue {
  value: string;
  /** The number of minions with this value, among those that fit the choices in the other facets. */
  count: number;
}

export interface KnownMinions {
  presence(id: string): MinionPresence;
  /** The facts of a minion; undefined until they are read. */
  facts(id: string): MinionFacts | undefined;
  /** When a minion was last heard from, in milliseconds since the epoch; undefined if unknown. */
  seenMs(id: string): number | undefined;
}

/** A test whether facts fit the choices in all facets but one. */
function fitting(choices: FacetChoices, except?: string): (facts: MinionFacts | undefined) => boolean {
  const tests = Object.entries(choices).filter(([name, chosen]) => name !== except && chosen.size > 0);
  return (facts) => tests.every(([name, chosen]) => chosen.has(factOf(facts, name)));
}

/** The minions that fit all choices, in their order. */
export function chosenMinions(ids: readonly string[], choices: FacetChoices, known: KnownMinions): readonly string[] {
  if (Object.values(choices).every(({ size }) => size === 0)) return ids;
  const fits = fitting(choices);
  return ids.filter((id) => fits(known.facts(id)));
}

/** The values of each facet, the most frequent first. A value that is chosen stays, even if no minion has it. */
export function facetsOf(
  ids: readonly string[],
  choices: FacetChoices,
  known: KnownMinions,
  facets: readonly Facet[] = FACETS,
): Record<string, FacetValue[]> {
  const counted = (name: string): FacetValue[] => {
    const fits = fitting(choices, name);
    const counts = new Map<string, number>([...choices[name] ?? []].map((value) => [value, 0]));
    for (const id of ids) {
      const facts = known.facts(id);
      if (facts === undefined || !fits(facts)) continue;
      const value = factOf(facts, name);
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return [...counts].map(([value, count]) => ({ value, count })).sort((left, right) =>
      right.count - left.count || (left.value < right.value ? -1 : 1)
    );
  };
  return Object.fromEntries(facets.map(({ name }) => [name, counted(name)]));
}

const STATES: Record<MinionPresence, string> = { up: "0", down: "1", unknown: "2" };

/** A text that sorts as people count: `web2` before `web10`, 10.0.0.9 before 10.0.0.10. */
export const sortKey = (text: string): string =>
  text.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(12, "0"));

/** Sorts minions; those with equal values keep their order. Unknown values come last in both directions. */
export function sortedMinions(
  ids: readonly string[],
  { column, down }: FleetOrder,
  known: KnownMinions,
  nowMs: number,
): readonly string[] {
  if (column === "minion") return down ? ids.toReversed() : ids;
  const keyOf = (id: string): string => {
    if (column === "state") return STATES[known.presence(id)];
    if (column === "seen") return seenKey(known, id, nowMs);
    return sortKey(factOf(known.facts(id), column));
  };
  const keyed = ids.map((id, at) => ({ id, key: keyOf(id), at }));
  const sign = down ? -1 : 1;
  keyed.sort((left, right) => {
    if (left.key === right.key) return left.at - right.at;
    if (left.key === "" || right.key === "") return left.key === "" ? 1 : -1;
    return left.key < right.key ? -sign : sign;
  });
  return keyed.map(({ id }) => id);
}

/** The sort key of the time when a minion was last heard from: the latest comes first. */
function seenKey(known: KnownMinions, id: string, nowMs: number): string {
  const seenMs = known.presence(id) === "up" ? nowMs : known.seenMs(id);
  return seenMs === undefined ? "" : String(Math.max(0, Math.round(nowMs - seenMs))).padStart(16, "0");
}
