/** The program `salt-ssh`, which Brine does not have. It fails with a message, so that scripts notice. */
import type { ProgramContext } from "../program/context.ts";

/** Exit code EX_UNAVAILABLE of sysexits.h. */
const UNAVAILABLE = 69;

export function sshMain({ complain }: ProgramContext): Promise<number> {
  complain(
    "salt-ssh: Brine has no agentless mode. Install a minion on the hosts instead (one file, no Python). " +
      "Salt's salt-ssh also works alongside a Brine master",
  );
  return Promise.resolve(UNAVAILABLE);
}
