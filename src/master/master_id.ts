import type { MasterOpts } from "../config/master_opts.ts";

/** The id that a master goes by where minions have theirs: as configured, else made from the host's name. */
export function masterId(opts: Pick<MasterOpts, "id">, hostname: string): string {
  return opts.id === "" ? `${hostname}_master` : opts.id;
}
