/** Networks that come and go. */
import { CommandExecutionError, SaltInvocationError } from "../../../loader/family.ts";
import { entriesOf, isMap } from "../../../python/containers.ts";
import { str } from "../../../python/repr.ts";
import { truthy } from "../../../python/truth.ts";
import { type Args, type DockerClient, part } from "../../docker/client.ts";
import { translateAll } from "../../docker/create_options.ts";
import { addressOf, labelsOf, pairsOf, subnetOf } from "../../docker/option_values.ts";
import { connected } from "./objects.ts";

const OTHER_NAMES: Readonly<Record<string, string>> = {
  driver_opt: "options",
  driver_opts: "options",
  ipv6: "enable_ipv6",
  ip_range: "iprange",
  aux_address: "aux_addresses",
};

const POOL_OPTIONS = ["subnet", "iprange", "gateway", "aux_addresses"];

const renamed = (given: Args): Args =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [OTHER_NAMES[name] ?? name, value]));

/** Addresses of a network, as the daemon has them. */
function poolOf(options: Args, checked: boolean): Args {
  const { subnet, iprange, gateway, aux_addresses: others } = renamed(options);
  const net = (value: unknown) => checked ? subnetOf(value) : str(value);
  const address = (value: unknown) => checked ? addressOf(value) : str(value);
  const pool: Args = {};
  const given = { subnet, iprange, gateway, aux_addresses: others };
  translateAll(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)), (name, value) => {
    if (name === "subnet") pool.Subnet = net(value);
    else if (name === "iprange") pool.IPRange = net(value);
    else if (name === "gateway") pool.Gateway = address(value);
    else {
      pool.AuxiliaryAddresses = Object.fromEntries(
        Object.entries(pairsOf(value, "=")).map(([host, of]) => [host, address(of)]),
      );
    }
  });
  return pool;
}

function ipamOf(given: Args, checked: boolean): Args | undefined {
  const { ipam, ipam_driver: driver, ipam_opts: options, ipam_pools: pools } = given;
  if (isMap(ipam)) return Object.fromEntries(entriesOf(ipam).map(([key, value]) => [str(key), value]));
  if (pools !== undefined && !(Array.isArray(pools) && pools.every(isMap))) {
    throw new SaltInvocationError("ipam_pools must be a list of dictionaries");
  }
  const own = POOL_OPTIONS.filter((name) => given[name] !== undefined);
  const list = [
    ...(pools as Args[] | undefined ?? []).map((one) => Object.fromEntries(entriesOf(one)) as Args),
    ...(own.length > 0 ? [Object.fromEntries(own.map((name) => [name, given[name]]))] : []),
  ];
  if (list.length === 0 && driver === undefined && options === undefined) return undefined;
  return {
    Driver: str(driver ?? "default"),
    Config: list.map((one) => poolOf(one, checked)),
    ...(options === undefined ? {} : { Options: pairsOf(options, "=") }),
  };
}

const SWITCHES: Readonly<Record<string, string>> = {
  internal: "Internal",
  enable_ipv6: "EnableIPv6",
  attachable: "Attachable",
  ingress: "Ingress",
};

/** `docker.create_network` */
export async function createNetwork(docker: DockerClient, { name, validate_ip_addrs, kwargs }: Args): Promise<unknown> {
  const entries = Object.entries(kwargs as Args).filter(([key, value]) => value !== null && !key.startsWith("__"));
  const given = renamed(Object.fromEntries(entries));
  const ipam = ipamOf(given, truthy(validate_ip_addrs));
  const switches = Object.entries(SWITCHES).filter(([key]) => given[key] !== undefined);
  const json = {
    Name: name,
    CheckDuplicate: truthy(given.check_duplicate ?? true),
    ...(given.driver === undefined ? {} : { Driver: str(given.driver) }),
    ...(given.options === undefined ? {} : { Options: pairsOf(given.options, "=") }),
    ...(given.labels === undefined ? {} : { Labels: labelsOf(given.labels) }),
    ...Object.fromEntries(switches.map(([key, own]) => [own, truthy(given[key])])),
    ...(ipam === undefined ? {} : { IPAM: ipam }),
  };
  return await docker.json("POST", "/networks/create", { json });
}

export async function disconnect(docker: DockerClient, container: unknown, network: unknown): Promise<true> {
  await docker.json("POST", `/networks/${part(network)}/disconnect`, { json: { Container: container } });
  return true;
}

/** `docker.disconnect_all_containers_from_network`: the names of those that were in it. */
export async function disconnectAll(docker: DockerClient, network: unknown): Promise<string[]> {
  const removed: string[] = [];
  const errors: string[] = [];
  for (const name of Object.keys(await connected(docker, network))) {
    try {
      await disconnect(docker, name, network);
      removed.push(name);
    } catch (error) {
      if (!(error instanceof CommandExecutionError)) throw error;
      if (!error.message.includes("404")) errors.push(error.message);
    }
  }
  if (errors.length > 0) {
    throw new CommandExecutionError("One or more containers failed to be removed", { info: { removed, errors } });
  }
  return removed;
}
