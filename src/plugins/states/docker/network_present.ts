/** `docker_network.present`: a network made for comparison tells what differs. */
import { messageOf } from "../../../base/errors.ts";
import { CommandExecutionError } from "../../../model/loader/family.ts";
import { end, outcome, type StateContext, StateEnd, type StateReturn } from "../../../model/loader/states.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { type Ipam, splitIpam, translateNetwork } from "../../docker/network_options.ts";
import { callError, commandError } from "../outcome.ts";
import { type DockerNetwork, networkNamed, removeNetwork } from "./network.ts";

type Values = Record<string, unknown>;

const BRIDGE = "com.docker.network.bridge.name";
const IGNORED = "Name,Id,Created,Containers,Status";

/** A pool as Docker makes it where none was asked for. */
function isDefaultPool(pool: Values): boolean {
  const keys = Object.entries(pool).filter(([, value]) => value !== "" && value !== null).map(([key]) => key);
  return keys.sort().join() === "Gateway,Subnet";
}

/** Options of the network that is made for comparison: it needs another bridge, and no addresses of IPv6. */
function comparable({ enable_ipv6: _, ...options }: Values): Values {
  const { [BRIDGE]: bridge, ...others } = (options.options ?? {}) as Values;
  if (options.driver !== "bridge" || bridge === undefined || bridge === null) return options;
  return { ...options, options: { ...others, [BRIDGE]: `${str(bridge)}comp`.slice(-14) } };
}

/** Where a container was in a network, as it is connected again. */
function placeOf(known: Values): Values {
  const { IPv4Address: v4, IPv6Address: v6, Links: links, Aliases: aliases } = known;
  const withoutPrefix = (address: unknown) => str(address).replace(/\/[^/]*$/, "");
  return {
    ...(v4 === undefined ? {} : { ipv4_address: withoutPrefix(v4) }),
    ...(truthy(v6 ?? null) ? { ipv6_address: withoutPrefix(v6) } : {}),
    ...(links === undefined ? {} : { links }),
    ...(aliases === undefined ? {} : { aliases }),
  };
}

export class NetworkPresent {
  readonly #context: StateContext;
  readonly #args: Args;
  readonly #ret: StateReturn;
  #network: DockerNetwork | undefined;
  /** Containers to be in it, by id. */
  #wanted: Record<string, Values> = {};
  /** Containers that were in a network that was replaced, by id. */
  #left: Record<string, Values> = {};

  constructor(context: StateContext, args: Args) {
    this.#context = context;
    this.#args = args;
    this.#ret = outcome(args.name, false, "");
  }

  async run(): Promise<StateReturn> {
    this.#network = await this.#step(() => networkNamed(this.#context, this.#args.name));
    await this.#findContainers();
    const { options, ipam } = this.#translate();
    if (await this.#differs(options, ipam)) await this.#create(options, ipam);
    await this.#connect();
    return this.#ret;
  }

  #call(fun: string, positional: unknown[], keyword: Values = {}): Promise<unknown> {
    return this.#context.call(`docker.${fun}`, positional, keyword);
  }

  #end(result: boolean | null, comment: string): never {
    end(result, comment, this.#ret);
  }

  /** Runs a step; its failure ends the state. */
  async #step<T>(run: () => Promise<T>, words = ""): Promise<T> {
    try {
      return await run();
    } catch (error) {
      this.#end(false, words + commandError(error));
    }
  }

  #warn(text: string): void {
    this.#ret.warnings = [...this.#ret.warnings as string[] | undefined ?? [], text];
  }

  async #findContainers(): Promise<void> {
    const missing: string[] = [];
    const stopped: string[] = [];
    const { containers } = this.#args;
    const names = Array.isArray(containers)
      ? containers.map(str)
      : truthy(containers)
      ? str(containers).split(",")
      : [];
    for (const name of names.map((one) => one.trim())) {
      try {
        const { Id: id, State: state } = await this.#call("inspect_container", [name]) as Values;
        if (id === undefined) missing.push(name);
        else if (!truthy((state as Values | undefined)?.Running ?? false)) stopped.push(name);
        else this.#wanted[str(id)] = { Name: name };
      } catch (error) {
        if (!(error instanceof CommandExecutionError)) throw error;
        missing.push(name);
      }
    }
    if (missing.length > 0) this.#warn(`The following containers do not exist: ${missing.join(", ")}.`);
    if (stopped.length > 0) this.#warn(`The following containers are not running: ${stopped.join(", ")}.`);
  }

  #translate(): { options: Values; ipam: Ipam } {
    const { skip_translate: skip, ignore_collisions, validate_ip_addrs, kwargs } = this.#args;
    const how = { skip, ignoreCollisions: truthy(ignore_collisions), checked: truthy(validate_ip_addrs) };
    try {
      const { ipam, others } = splitIpam(translateNetwork(kwargs as Values, how));
      return { options: others, ipam: ipam ?? { Driver: "default", Config: [] } };
    } catch (error) {
      return this.#end(false, callError(error));
    }
  }

  /** Compares with the network that is there, and removes it if it differs. */
  async #differs(options: Values, ipam: Ipam): Promise<boolean> {
    if (this.#network === undefined) return true;
    this.#ret.comment = `Network '${str(this.#args.name)}' already exists, and is configured as specified`;
    const temporary = this.#temporaryName();
    const made = { skip_translate: true, ...comparable(options), enable_ipv6: false };
    await this.#step(
      () => this.#call("create_network", [temporary], made),
      "Failed to create temp network for comparison: ",
    );
    try {
      const changes = await this.#compare(this.#network, temporary, {
        ipam,
        ipv6: truthy(options.enable_ipv6 ?? false),
      });
      if (!truthy(changes)) return false;
      this.#ret.changes[str(this.#args.name)] = changes;
      if (this.#context.test) this.#end(null, "Network would be recreated with new config");
      await this.#clear(this.#network);
      return true;
    } finally {
      try {
        await this.#call("remove_network", [temporary]);
      } catch (error) {
        this.#warn(`Failed to remove temp network '${temporary}': ${commandError(error)}.`);
      }
    }
  }

  #temporaryName(): string {
    const bytes = this.#context.runtime.crypto.randomBytes(20);
    return Array.from(bytes, (byte) => String.fromCharCode(97 + byte % 26)).join("");
  }

  async #compare(
    network: DockerNetwork,
    temporary: string,
    { ipam, ipv6 }: { ipam: Ipam; ipv6: boolean },
  ): Promise<unknown> {
    const inspected = await this.#step(
      () => this.#call("inspect_network", [temporary]),
      "Failed to inspect temp network: ",
    ) as Values;
    const pools = network.IPAM.Config ?? [];
    // Without pools of its own a network may have any.
    const any = (ipam.Config ?? []).length === 0 && pools.length === 1 && isDefaultPool(pools[0]!);
    const there = any ? { ...network, IPAM: { ...network.IPAM, Config: [] } } : network;
    const wanted = { ...inspected, EnableIPv6: ipv6, IPAM: ipam };
    return await this.#call("compare_networks", [there, wanted], { ignore: IGNORED });
  }

  /** Removes the network; its containers are remembered. */
  async #clear(network: DockerNetwork): Promise<void> {
    this.#left = structuredClone(network.Containers ?? {});
    if (!truthy(this.#args.containers) && truthy(this.#args.reconnect)) {
      for (const [id, known] of Object.entries(this.#left)) Object.assign(known, await this.#namesOf(id));
    }
    const removed = await removeNetwork(this.#context, network);
    if (removed.result !== true) throw new StateEnd(removed);
    network.Containers = {};
  }

  /** Links and names of a container in the network. */
  async #namesOf(id: string): Promise<Values> {
    try {
      const { NetworkSettings: settings } = await this.#call("inspect_container", [id]) as Values;
      const { Networks: all } = (settings ?? {}) as { Networks?: Record<string, Values> };
      const { Links: links, Aliases: aliases } = all?.[str(this.#args.name)] ?? {};
      return {
        ...(truthy(links ?? null) ? { Links: links } : {}),
        ...(truthy(aliases ?? null) ? { Aliases: aliases } : {}),
      };
    } catch (error) {
      if (error instanceof CommandExecutionError) return {};
      throw error;
    }
  }

  async #create(options: Values, ipam: Ipam): Promise<void> {
    if (this.#context.test) this.#end(null, "Network will be created");
    const name = str(this.#args.name);
    try {
      await this.#call("create_network", [this.#args.name], { skip_translate: true, ...options, ipam });
    } catch (error) {
      const said = error instanceof CommandExecutionError ? commandError(error) : messageOf(error);
      this.#end(false, `Failed to create network '${name}': ${said}`);
    }
    const isNew = this.#network === undefined;
    this.#ret.changes[isNew ? "created" : "recreated"] = true;
    this.#ret.comment = `Network '${name}' ${isNew ? "created" : "was replaced with updated config"}`;
  }

  async #connect(): Promise<void> {
    if (this.#args.containers === null && truthy(this.#args.reconnect) && Object.keys(this.#left).length > 0) {
      this.#wanted = this.#left;
    }
    const inside = this.#network?.Containers ?? {};
    const missing = Object.entries(this.#wanted).filter(([id]) => !(id in inside));
    if (this.#context.test && missing.length > 0) {
      const names = missing.map(([, { Name: name }]) => str(name)).join(", ");
      this.#end(null, `The following containers would be connected: ${names}`);
    }
    const errors: string[] = [];
    for (const [id, known] of missing) {
      const was = id in this.#left;
      try {
        await this.#join(id, was ? placeOf(known) : {});
        this.#list(was ? "reconnected" : "connected", known);
      } catch (error) {
        errors.push(commandError(error));
      }
    }
    if (errors.length === 0) this.#ret.result = true;
    else this.#ret.comment = `${this.#ret.comment as string}. ${errors.join(". ")}.`;
    const staysOut = Object.entries(this.#left).filter(([id]) => !(id in this.#wanted));
    for (const [, known] of staysOut) this.#list("disconnected", known);
  }

  /** Where its place is taken, a container gets any. */
  async #join(id: string, place: Values): Promise<void> {
    const { name } = this.#args;
    try {
      await this.#call("connect_container_to_network", [id, name], place);
    } catch (error) {
      if (!(error instanceof CommandExecutionError) || Object.keys(place).length === 0) throw error;
      await this.#call("connect_container_to_network", [id, name]);
    }
  }

  #list(key: string, { Name: name }: Values): void {
    this.#ret.changes[key] = [...this.#ret.changes[key] as unknown[] | undefined ?? [], name];
  }
}
