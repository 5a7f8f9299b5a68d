/** Which pieces meet: a fleet is a master with its minions, and each `salt` is run against all of it. */
import process from "node:process";
import type { FleetPlan } from "./fleet.ts";
import { type Kind, type Release, RELEASES } from "./release.ts";

export interface Mix extends FleetPlan {
  /** Whose `salt` is run, in turn. */
  clis: readonly Kind[];
}

/** The release that plays a role in the quick matrix: another one each day, or as `BRINE_INTEROP_ROTATION` says. */
function rotated(role: number): Release {
  const turn = Number(process.env.BRINE_INTEROP_ROTATION ?? Math.floor(Date.now() / 86_400_000));
  return RELEASES[(turn + role) % RELEASES.length]!;
}

const everyone: readonly Kind[] = ["brine", ...RELEASES];

/**
 * The matrices by the values of `BRINE_INTEROP`. A `salt` of one release with a master of another is left out: both are
 * on one host and speak over local sockets, where not even real releases understand each other.
 */
export const MATRICES: Record<string, () => Mix[]> = {
  quick: () => [
    { master: "brine", minions: ["brine", rotated(0)], clis: ["brine", rotated(1)] },
    // Without its own salt: what real programs say to each other is asked in full, as a control.
    { master: rotated(2), minions: ["brine", rotated(0)], clis: ["brine"] },
  ],
  full: () => [
    { master: "brine", minions: everyone, clis: everyone },
    ...RELEASES.map((release): Mix => ({ master: release, minions: everyone, clis: ["brine", release] })),
  ],
};
