import { MASTER_OPTIONS, type MasterOpts } from "../../src/model/config/master_opts.ts";
import type { ProgramContext } from "./context.ts";
import { readConfig } from "./read_config.ts";

/** Reads the master's configuration, for a program on the master's host. @param how.client see {@linkcode readConfig} */
export async function readMasterConfig(context: ProgramContext, how: { client?: boolean } = {}): Promise<MasterOpts> {
  return (await readConfig(context, "master", MASTER_OPTIONS, false, how)).opts;
}
