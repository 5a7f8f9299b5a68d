/** What every client tells of a target that nobody matches: scripts compare it. */
export const NO_MATCH = "No minions matched the target. No command was sent, no jid was assigned.";
