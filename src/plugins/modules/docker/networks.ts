/** Networks that come and go. */
import { CommandExecutionError } from "../../../model/loader/family.ts";
import { type Args, repr, truthy } from "../../../language/python/values.ts";
import { type DockerClient, part } from "../../docker/client.ts";
import { splitIpam, translateNetwork } from "../../docker/network_options.ts";
import { connectedContainers } from "./objects.ts";

const SWITCHES: Readonly<Record<string, string>> = {
  internal: "Internal",
  enable_ipv6: "EnableIPv6",
  attachable: "Attachable",
  ingress: "Ingress",
};

export async function createNetwork(docker: DockerClient, args: Args): Promise<unknown> {
  const { name, skip_translate: skip, ignore_collisions, validate_ip_addrs, kwargs } = args;
  const how = { skip, ignoreCollisions: truthy(ignore_collisions), checked: truthy(validate_ip_addrs) };
  const { ipam, others: given } = splitIpam(translateNetwork(kwargs as Args, how));
  const known = ["driver", "options", "labels", "check_duplicate", "scope", ...Object.keys(SWITCHES)];
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    throw new CommandExecutionError(
      `Unable to perform create_network: a network of Docker has no option ${repr(unknown)}, expected ${
        known.join(", ")
      }`,
    );
  }
  const switches = Object.entries(SWITCHES).filter(([key]) => given[key] !== undefined);
  const json = {
    Name: name,
    CheckDuplicate: truthy(given.check_duplicate ?? true),
    Driver: given.driver,
    Options: given.options,
    Labels: given.labels,
    Scope: given.scope,
    IPAM: ipam,
    ...Object.fromEntries(switches.map(([key, own]) => [own, truthy(given[key])])),
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
  for (const name of Object.keys(await connectedContainers(docker, network))) {
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
