import { isRecord } from "../base/record.ts";
import type { MinionPresence } from "./fleet.ts";
import type { FacetChoices, FleetOrder } from "./fleet_table.ts";
import type { TargetValue } from "./preview.ts";

/** The view of the fleet page, which is completely in its address. */
export interface FleetView {
  target: TargetValue;
  only: MinionPresence | undefined;
  choices: FacetChoices;
  order: FleetOrder;
  /** Grains with a column and a filter, in addition to the default ones. */
  grains: readonly string[];
}

const BY_NAME: FleetOrder = { column: "minion", down: false };

export const WHOLE_FLEET: FleetView = {
  target: { tgt: "", type: "glob" },
  only: undefined,
  choices: {},
  order: BY_NAME,
  grains: [],
};

/** The most columns of grains: each takes room on the page and in the request. */
export const MAX_GRAINS = 6;
/** Characters of a grain's name: a column is no wider. */
const MAX_GRAIN_CHARACTERS = 80;

/** The names of grains in a text, separated by commas or blanks, each once. */
export function grainNames(text: string): string[] {
  const names = text.split(/[\s,]+/).filter((name) => name !== "" && name.length <= MAX_GRAIN_CHARACTERS);
  return [...new Set(names)].slice(0, MAX_GRAINS);
}

const PRESENCES: readonly string[] = ["up", "down", "unknown"];

/** Reads the query of an address, which anybody may have written. */
export function readFleetView(query: Readonly<Record<string, string>>): FleetView {
  const { tgt = "", tgt_type: type = "glob", state = "", sort = "", grains = "" } = query;
  return {
    target: { tgt, type },
    only: PRESENCES.includes(state) ? state as MinionPresence : undefined,
    choices: choicesIn(query.filters),
    order: sort === "" ? BY_NAME : { column: sort.replace(/^-/, ""), down: sort.startsWith("-") },
    grains: grainNames(grains),
  };
}

/** The query that {@link readFleetView} reads as this view. */
export function fleetQuery({ target, only, choices, order, grains }: FleetView): Record<string, string> {
  const chosen = Object.entries(choices).filter(([, values]) => values.size > 0);
  return {
    tgt: target.tgt,
    tgt_type: target.type === "glob" ? "" : target.type,
    state: only ?? "",
    filters: chosen.length === 0
      ? ""
      : JSON.stringify(Object.fromEntries(chosen.map(([name, values]) => [name, [...values]]))),
    sort: order.column === BY_NAME.column && !order.down ? "" : `${order.down ? "-" : ""}${order.column}`,
    grains: grains.join(","),
  };
}

function choicesIn(text = ""): FacetChoices {
  try {
    const found: unknown = JSON.parse(text);
    if (!isRecord(found)) return {};
    return Object.fromEntries(
      Object.entries(found).filter(([, values]) => Array.isArray(values))
        .map(([name, values]) => [name, new Set((values as unknown[]).map(String))]),
    );
  } catch {
    return {};
  }
}
