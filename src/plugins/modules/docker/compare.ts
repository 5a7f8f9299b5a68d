/** What differs between containers, and between networks. */
import type { JobContext } from "../../../model/loader/family.ts";
import { type Args, equal, isMap, str, truthy } from "../../../language/python/values.ts";
import { DockerClient } from "../../docker/client.ts";
import { inspectContainer, inspectImage, inspectNetwork, shellWordsOf, stateOf } from "./objects.ts";

interface Difference {
  old: unknown;
  new: unknown;
}

type Differences = Record<string, Record<string, Difference>>;

const same = (one: unknown, other: unknown): boolean => equal(one, other);

const byName = (one: Args, other: Args): number => JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;

/** A value without what is no difference: order, and names of the container itself in its links. */
function plain(item: string, value: unknown, name: string): unknown {
  if (!Array.isArray(value)) return value;
  if (item === "Links") return value.map((one) => str(one).replace(`/${name}/`, "/")).sort();
  if (item === "Env") return [...value].sort();
  return item === "Ulimits" ? [...value as Args[]].sort(byName) : value;
}

export async function compareContainers(docker: DockerClient, first: string, second: string, ignore: unknown) {
  const left = shellWordsOf(ignore);
  const [one, other] = [await inspectContainer(docker, first), await inspectContainer(docker, second)];
  const found: Differences = {};
  for (const part of ["Config", "HostConfig"]) {
    const [a, b] = [one[part] as Args, other[part] as Args];
    for (const item of new Set([...Object.keys(a), ...Object.keys(b)])) {
      if (left.includes(item)) continue;
      let [was, is]: [unknown, unknown] = [a[item] ?? null, b[item] ?? null];
      if (item === "OomKillDisable" || was === null || is === null) {
        if (truthy(was) === truthy(is)) continue;
      } else if (item === "Image") {
        [was, is] = [(await inspectImage(docker, was)).Id, (await inspectImage(docker, is)).Id];
      } else [was, is] = [plain(item, was, first), plain(item, is, second)];
      if (!same(was, is)) (found[part] ??= {})[item] = { old: was, new: is };
    }
  }
  return found;
}

/** Values of a container in a network that count, unless `docker.compare_container_networks` says others. */
const KEYS = {
  static: ["Aliases", "Links", "IPAMConfig"],
  automatic: ["IPAddress", "Gateway", "GlobalIPv6Address", "IPv6Gateway"],
};

interface Side {
  id: string;
  hostname: unknown;
  networks: Record<string, Args>;
}

/** @param given a name, or what is known of a container */
async function sideOf(docker: DockerClient, given: unknown): Promise<Side> {
  const known = isMap(given) ? given as Args : await inspectContainer(docker, given);
  const { Id: id, Config: config, NetworkSettings: settings } = known as Record<
    string,
    Args
  >;
  const networks = { ...(settings?.Networks ?? {}) as Record<string, Args> };
  if (await stateOf(docker, id) === "running") {
    for (const net of Object.keys(networks)) {
      const { Containers: inside = {} } = await inspectNetwork(docker, net) as { Containers?: Args };
      if (!(str(id) in inside)) delete networks[net];
    }
  }
  return { id: str(id), hostname: config?.Hostname, networks };
}

/** A value that counts; the names that Docker gives a container itself do not. */
function counted(key: string, side: Side, net: string): unknown {
  const value = side.networks[net]?.[key] ?? null;
  if (!Array.isArray(value)) return value;
  const list = key === "Aliases"
    ? value.filter((one) => one !== side.hostname && one !== side.id.slice(0, 12))
    : [...value];
  return list.length === 0 ? null : list.sort();
}

/** How addresses differ: given by Docker on one side, fixed or none on the other. */
function addressDifferences(
  one: Side,
  other: Side,
  net: string,
  automatic: readonly string[],
): Record<string, Difference> {
  const [was, is] = [one.networks[net]?.IPAMConfig ?? null, other.networks[net]?.IPAMConfig ?? null];
  const kind = (side: Side, value: unknown) =>
    side.networks[net] === undefined ? "not connected" : truthy(value) ? "static" : "automatic";
  const [before, after] = [kind(one, was), kind(other, is)];
  if (before !== "automatic" && after !== "automatic") {
    return same(was, is) ? {} : { IPAMConfig: { old: was, new: is } };
  }
  if (before === after) return {};
  const [side, old] = before === "automatic" ? [one, true] : [other, false];
  const found: Record<string, Difference> = {};
  for (const key of automatic) {
    const value = side.networks[net]?.[key];
    if (truthy(value ?? null)) found[key] = old ? { old: value, new: null } : { old: null, new: value };
  }
  if (Object.keys(found).length === 0) found.IPConfiguration = { old: before, new: after };
  if (after === "static") found.IPAMConfig = { old: null, new: is };
  if (before === "static") found.IPAMConfig = { old: was, new: null };
  return found;
}

export async function compareContainerNetworks(context: JobContext, first: unknown, second: unknown) {
  const docker = new DockerClient(context);
  const option = await context.call("config.option", ["docker.compare_container_networks"]);
  const keys = isMap(option) ? { ...KEYS, ...option as Partial<typeof KEYS> } : KEYS;
  const [one, other] = [await sideOf(docker, first), await sideOf(docker, second)];
  const found: Differences = {};
  for (const net of new Set([...Object.keys(one.networks), ...Object.keys(other.networks)])) {
    const own: Record<string, Difference> = {};
    for (const key of keys.static) {
      if (key === "IPAMConfig") {
        Object.assign(own, addressDifferences(one, other, net, keys.automatic));
        continue;
      }
      const [was, is] = [counted(key, one, net), counted(key, other, net)];
      if ((truthy(was) || truthy(is)) && !same(was, is)) own[key] = { old: was, new: is };
    }
    if (Object.keys(own).length > 0) found[net] = own;
  }
  return found;
}

const IGNORED = "Name,Id,Created,Containers,Status";

/** The first address of a subnet, which Docker gives a gateway itself. */
function firstAddress(subnet: string): string | undefined {
  const [, address, bits] = /^(\d+\.\d+\.\d+\.\d+)\/(\d+)$/.exec(subnet) ?? [];
  if (address === undefined) return undefined;
  const number = address.split(".").reduce((total, part) => total * 256 + Number(part), 0);
  const size = 2 ** (32 - Number(bits));
  const next = Math.floor(number / size) * size + 1;
  return [24, 16, 8, 0].map((shift) => Math.floor(next / 2 ** shift) % 256).join(".");
}

type Pool = Record<string, unknown>;

const poolOf = (pool: Pool): Pool =>
  Object.fromEntries(Object.entries(pool).filter(([, value]) => value !== "" && value !== null));

function withoutOwnGateway(pool: Pool, other: Pool): Pool {
  if (!("Gateway" in pool) || "Gateway" in other || pool.Gateway !== firstAddress(str(pool.Subnet))) return pool;
  const { Gateway: _, ...others } = pool;
  return others;
}

function poolsDiffer(one: Pool[], other: Pool[]): boolean {
  const by = (pools: Pool[]) => new Map(pools.map((pool) => [str(pool.Subnet), pool]));
  const [a, b] = [by(one), by(other)];
  if (a.size !== b.size || [...a.keys()].some((subnet) => !b.has(subnet))) return true;
  return [...a].some(([subnet, pool]) => {
    const counterpart = b.get(subnet)!;
    return !same(withoutOwnGateway(pool, counterpart), withoutOwnGateway(counterpart, pool));
  });
}

/** `docker.compare_networks`; a network may be given by what is known of it. */
export async function compareNetworks(
  docker: DockerClient,
  first: unknown,
  second: unknown,
  ignore: unknown = IGNORED,
) {
  const of = async (one: unknown) => isMap(one) ? one as Args : await inspectNetwork(docker, one);
  const [one, other] = [await of(first), await of(second)];
  const left = shellWordsOf(ignore);
  const found: Record<string, unknown> = {};
  for (const item of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const [was, is] = [one[item] ?? null, other[item] ?? null];
    if (left.includes(item) || (!truthy(was) && !truthy(is))) continue;
    if ((item !== "IPAM" && item !== "Options") || !isMap(was)) {
      if (!same(was, is)) found[item] = { old: was, new: is };
      continue;
    }
    const own: Record<string, Difference> = {};
    for (const [key, value] of Object.entries(was as Args)) {
      const counterpart = (is as Args | null)?.[key] ?? null;
      if ((!truthy(value) && !truthy(counterpart)) || key === "com.docker.network.bridge.name") continue;
      if (item === "IPAM" && key === "Config") {
        const [a, b] = [value, counterpart].map((pools) => (pools as Pool[] | null ?? []).map(poolOf).sort(byName)) as [
          Pool[],
          Pool[],
        ];
        if (poolsDiffer(a, b)) own[key] = { old: a, new: b };
      } else if (!same(value, counterpart)) own[key] = { old: value, new: counterpart };
    }
    if (Object.keys(own).length > 0) found[item] = own;
  }
  return found;
}
