/** The program `salt-ssh`, which is not there, and says so: scripts that call it must not take silence for success. */
import type { ProgramContext } from "../program/context.ts";

/** EX_UNAVAILABLE of sysexits.h. */
const UNAVAILABLE = 69;

/** Runs `salt-ssh`. */
export function sshMain({ complain }: ProgramContext): Promise<number> {
  complain(
    "salt-ssh: Brine has no agentless mode. Install a minion on the hosts instead (one file, no Python), " +
      "or call Salt's own salt-ssh, which works beside a Brine master",
  );
  return Promise.resolve(UNAVAILABLE);
}
