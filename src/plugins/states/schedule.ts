import { notYet } from "./not_yet.ts";

/** States of schedule, which the minion does not have yet. */
export const states = notYet("schedule states are not here yet: a minion has no schedules and beacons so far");
