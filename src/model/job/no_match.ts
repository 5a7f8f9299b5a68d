/** The message of every client for a target that matches no minion: scripts compare it. */
export const NO_MATCH = "No minions matched the target. No command was sent, no jid was assigned.";
