import type { MasterOpts } from "../../model/config/master_opts.ts";

/** Returns the master's id: as configured, otherwise made from the host name. */
export function masterId(opts: Pick<MasterOpts, "id">, hostname: string): string {
  return opts.id === "" ? `${hostname}_master` : opts.id;
}
