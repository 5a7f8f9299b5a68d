import { notYet } from "./not_yet.ts";

/** States of beacon, which the minion does not have yet. */
export const states = notYet("beacon states are not here yet: a minion has no schedules and beacons so far");
