import type { MinionOpts } from "../../model/config/minion_opts.ts";
import { ConfigError } from "../../base/errors.ts";
import type { Host } from "../../runtime/host.ts";
import type { MasterAddress } from "./master_address.ts";
import { printMaster } from "./master_address.ts";

/** The minion's own end of its connections to a master. */
export interface LocalEnd {
  /** The own address; undefined if the system chooses it. */
  host: string | undefined;
  /** The local port for requests (`source_ret_port`); 0 for any. */
  requestPort: number;
  /** The local port for publications (`source_publish_port`); 0 for any. */
  publishPort: number;
}

/** The first address of a network interface in the family of the master's. */
function addressOf(name: string, host: Pick<Host, "interfaces">, wantsIpv6: boolean): string {
  const interfaces = host.interfaces();
  const found = interfaces[name];
  if (found === undefined) {
    throw new ConfigError(
      `Cannot use the network interface "${name}" (source_interface_name): expected one of ` +
        Object.keys(interfaces).join(", "),
      { option: "source_interface_name" },
    );
  }
  const family = wantsIpv6 ? "IPv6" : "IPv4";
  const address = found.find((one) => one.family === family)?.address;
  if (address !== undefined) return address;
  throw new ConfigError(
    `Cannot use the network interface "${name}" (source_interface_name): it has no ${family} address`,
    {
      option: "source_interface_name",
    },
  );
}

/**
 * The own end of the connections to a master, as `source_interface_name`, `source_address`, `source_ret_port` and
 * `source_publish_port` say.
 *
 * @throws {ConfigError} if this host does not have it: a connection from elsewhere is what the options are to prevent
 */
export function localEnd(opts: MinionOpts, host: Pick<Host, "interfaces">, master: MasterAddress): LocalEnd {
  const name = opts.source_interface_name;
  const requestPort = opts.source_ret_port;
  const publishPort = opts.source_publish_port;
  if (requestPort !== 0 && requestPort === publishPort) {
    throw new ConfigError(
      `Cannot use the port ${requestPort} for source_ret_port and source_publish_port: expected two ports`,
      {
        option: "source_publish_port",
      },
    );
  }
  const address = name === ""
    ? opts.source_address.replace(/^\[(.*)\]$/, "$1")
    : addressOf(name, host, master.host.includes(":") || opts.ipv6 === true && !/^[\d.]+$/.test(master.host));
  if (address !== "" && !/^[\d.]+$|:/.test(address)) {
    throw new ConfigError(`Cannot use the source_address "${address}": expected an IP address of this host`, {
      option: "source_address",
    });
  }
  return { host: address === "" ? undefined : address, requestPort, publishPort };
}

/** The endpoint of a server of a master, with the own end before it: `tcp://10.0.0.2:0;10.0.0.1:4506`. */
export function endpointFrom(host: string | undefined, port: number, to: MasterAddress): string {
  if (host === undefined && port === 0) return `tcp://${printMaster(to)}`;
  const any = to.host.includes(":") ? "::" : "0.0.0.0";
  return `tcp://${printMaster({ host: host ?? any, port })};${printMaster(to)}`;
}
