import { joinPath } from "../../base/paths.ts";
import type { Logger } from "../../base/log.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import type { Net } from "../../runtime/net.ts";
import { OWN_BUS } from "./bus_addresses.ts";
import { type BusSender, sendToBus } from "./bus_client.ts";
import { pullFraming } from "./salt_framing.ts";

/** The options of a master that {@link sendToMasterBus} needs. */
export interface MasterBusOpts {
  sock_dir: string;
  config_dir?: unknown;
}

/**
 * Connects to the bus of the master on this host to fire events, for a Brine master or a real one.
 *
 * @throws {SystemError} if no master is running
 */
export function sendToMasterBus(
  { net, fs }: { net: Net; fs: FileSystem },
  log: Logger,
  { sock_dir, config_dir }: MasterBusOpts,
): Promise<BusSender> {
  const isBrine = fs.stat(joinPath(sock_dir, OWN_BUS)) !== undefined;
  const framing = isBrine ? "length" : pullFraming(fs, log, String(config_dir ?? "/etc/salt"));
  return sendToBus(net, { kind: "unix", path: joinPath(sock_dir, "master_event_pull.ipc") }, framing);
}
