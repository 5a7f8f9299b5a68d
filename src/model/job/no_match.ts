/** The message for a target that matches no minion. Scripts compare it, so all clients use the same. */
export const NO_MATCH = "No minions matched the target. No command was sent, no jid was assigned.";
