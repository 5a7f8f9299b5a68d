import { CommandExecutionError } from "../../model/loader/family.ts";
import type { StateContext, StateModule } from "../../model/loader/states.ts";
import { outcome, stateFunction, stateFunctions } from "../../model/loader/states.ts";
import { type Args, equal, str, truthy } from "../../language/python/values.ts";
import { programPath } from "../commands.ts";
import { callError, nestedText } from "./outcome.ts";

type Changes = Record<string, { old: unknown; new: unknown }>;

/** What a state sees and changes of a zone; nothing is changed in a dry run. */
class Zone {
  readonly changes: Changes = {};
  readonly #context: StateContext;
  readonly #name: unknown;
  /** False in a dry run for a zone that is yet to be made: there is nothing to ask for. */
  #exists = true;

  constructor(context: StateContext, name: unknown) {
    this.#context = context;
    this.#name = name;
  }

  async ask<T>(fun: string, otherwise: T): Promise<T> {
    if (!this.#exists) return otherwise;
    return await this.#context.call(`firewalld.${fun}`, [this.#name], { permanent: true }) as T;
  }

  async change(fun: string, positional: unknown[], keyword: Record<string, unknown> = {}): Promise<void> {
    if (!this.#context.test) await this.#context.call(`firewalld.${fun}`, positional, keyword);
  }

  async make(): Promise<void> {
    const zones = await this.#context.call("firewalld.get_zones", [], { permanent: true }) as unknown[];
    if (zones.includes(this.#name)) return;
    await this.change("new_zone", [this.#name]);
    this.#exists = !this.#context.test;
    this.changes[str(this.#name)] = { old: zones, new: this.#name };
  }

  /** Sees that a list has these entries, and no others if it is pruned. */
  async list(
    kind: string,
    wanted: readonly unknown[],
    prune: unknown,
    how: { current: readonly unknown[]; add(one: unknown): Promise<void>; remove(one: unknown): Promise<void> },
  ): Promise<void> {
    const has = (list: readonly unknown[], one: unknown) => list.some((other) => equal(one, other));
    const unique = wanted.filter((one, at) => wanted.findIndex((other) => equal(one, other)) === at);
    const added = unique.filter((one) => !has(how.current, one));
    const removed = truthy(prune) ? how.current.filter((one) => !has(wanted, one)) : [];
    for (const one of added) await how.add(one);
    for (const one of removed) await how.remove(one);
    if (added.length === 0 && removed.length === 0) return;
    this.changes[kind] = { old: how.current, new: truthy(prune) ? wanted : [...how.current, ...added] };
  }
}

const KEEP = { permanent: true };

interface ListKind {
  argument: string;
  current: string;
  add: string;
  remove: string;
  /** The service comes before the zone. */
  valueFirst?: boolean;
  keyword?: Record<string, unknown>;
}

/** The lists of a zone whose entries are texts. */
const LISTS: readonly ListKind[] = [
  { argument: "services", current: "list_services", add: "add_service", remove: "remove_service", valueFirst: true },
  { argument: "interfaces", current: "get_interfaces", add: "add_interface", remove: "remove_interface" },
  { argument: "sources", current: "get_sources", add: "add_source", remove: "remove_source" },
  { argument: "rich_rules", current: "get_rich_rules", add: "add_rich_rule", remove: "remove_rich_rule" },
];
const PORTS: ListKind = {
  argument: "ports",
  current: "list_ports",
  add: "add_port",
  remove: "remove_port",
  keyword: { force_masquerade: false },
};

const itemsOf = (value: unknown): unknown[] => Array.isArray(value) ? value : [];

async function texts(zone: Zone, args: Args, kind: ListKind): Promise<void> {
  const prune = args[`prune_${kind.argument}`];
  const wanted = itemsOf(args[kind.argument]);
  if (wanted.length === 0 && !truthy(prune)) return;
  const words = (one: unknown) => kind.valueFirst === true ? [one, args.name] : [args.name, one];
  await zone.list(kind.argument, wanted, prune, {
    current: await zone.ask<unknown[]>(kind.current, []),
    add: (one) => zone.change(kind.add, words(one), { ...KEEP, ...kind.keyword }),
    remove: (one) => zone.change(kind.remove, words(one), KEEP),
  });
}

async function icmp(context: StateContext, zone: Zone, args: Args): Promise<void> {
  const prune = args.prune_block_icmp;
  let wanted = itemsOf(args.block_icmp);
  if (wanted.length === 0 && !truthy(prune)) return;
  const current = await zone.ask<unknown[]>("list_icmp_block", []);
  if (wanted.length > 0) {
    const known = await context.call("firewalld.get_icmp_types", [], KEEP) as unknown[];
    const unknown = wanted.filter((one) => !known.includes(one));
    if (unknown.length > 0) context.log.error("Invalid ICMP types", { types: unknown });
    wanted = wanted.filter((one) => known.includes(one));
  }
  await zone.list("icmp_types", wanted, prune, {
    current,
    add: (one) => zone.change("block_icmp", [args.name, one], KEEP),
    remove: (one) => zone.change("allow_icmp", [args.name, one], KEEP),
  });
}

async function defaultZone(context: StateContext, zone: Zone, { name, default: wanted }: Args) {
  if (!truthy(wanted)) return;
  const now = await context.call("firewalld.default_zone");
  if (name === now) return;
  await zone.change("set_default_zone", [name]);
  zone.changes.default = { old: now, new: name };
}

async function masquerade(zone: Zone, { name, masquerade: wanted }: Args): Promise<void> {
  if (truthy(wanted) === truthy(await zone.ask("get_masquerade", false))) return;
  await zone.change(truthy(wanted) ? "add_masquerade" : "remove_masquerade", [name], KEEP);
  zone.changes.masquerade = { old: "", new: `Masquerading successfully ${truthy(wanted) ? "set" : "disabled"}.` };
}

interface Forward {
  "Source port": string;
  "Destination port": string;
  Protocol: string;
  "Destination address": string;
}

/** @throws {CommandExecutionError} if it is no `22:2222:tcp` or `80:443:tcp:192.168.0.1` */
function forwardOf(text: unknown): Forward {
  const [, source, port = "", protocol = "", address = ""] = /^([^:]*):([^:]*):([^:]*)(?::(.*))?$/.exec(str(text)) ??
    [];
  if (source === undefined) {
    throw new CommandExecutionError(
      `Cannot forward "${str(text)}": expected port:port:protocol or port:port:protocol:address`,
    );
  }
  return { "Source port": source, "Destination port": port, Protocol: protocol, "Destination address": address };
}

async function forwards(zone: Zone, args: Args): Promise<void> {
  const wanted = itemsOf(args.port_fwd);
  if (wanted.length === 0 && !truthy(args.prune_port_fwd)) return;
  const words = (one: unknown) => {
    const forward = one as Forward;
    return [
      args.name,
      forward["Source port"],
      forward["Destination port"],
      forward.Protocol,
      forward["Destination address"],
    ];
  };
  const current = (await zone.ask<Forward[]>("list_port_fwd", [])).map((one) => ({
    "Source port": one["Source port"],
    "Destination port": one["Destination port"],
    Protocol: one.Protocol,
    "Destination address": one["Destination address"],
  }));
  await zone.list("port_fwd", wanted.map(forwardOf), args.prune_port_fwd, {
    current,
    add: (one) => zone.change("add_port_fwd", words(one), { ...KEEP, force_masquerade: false }),
    remove: (one) => zone.change("remove_port_fwd", words(one), KEEP),
  });
}

/** Zones and services of firewalld. */
export const states: StateModule = {
  virtual: (context) =>
    programPath(context, "firewall-cmd") === undefined
      ? { unavailable: "firewall-cmd is not available, firewalld is probably not installed." }
      : true,
  functions: stateFunctions({
    present: stateFunction({
      signature: `name, block_icmp=None, prune_block_icmp=False, default=None, masquerade=False, ports=None,
        prune_ports=False, port_fwd=None, prune_port_fwd=False, services=None, prune_services=False,
        interfaces=None, prune_interfaces=False, sources=None, prune_sources=False, rich_rules=None,
        prune_rich_rules=False`,
      doc: "The zone exists and has these entries; with `prune_…` it has no others.",
      async run(context, args) {
        const { name } = args;
        const zone = new Zone(context, name);
        try {
          await zone.make();
          await icmp(context, zone, args);
          await defaultZone(context, zone, args);
          await masquerade(zone, args);
          await texts(zone, args, PORTS);
          await forwards(zone, args);
          for (const kind of LISTS) await texts(zone, args, kind);
        } catch (error) {
          if (Object.keys(zone.changes).length > 0 && !context.test) await context.call("firewalld.reload_rules");
          return outcome(name, false, `Error: ${callError(error)}`, zone.changes);
        }
        if (Object.keys(zone.changes).length === 0) {
          return outcome(name, true, `'${str(name)}' is already in the desired state.`);
        }
        if (context.test) {
          return outcome(name, null, `Configuration for '${str(name)}' will change:\n${nestedText(zone.changes)}`);
        }
        await context.call("firewalld.reload_rules");
        return outcome(name, true, `'${str(name)}' was configured.`, zone.changes);
      },
    }),
    "service(name, ports=None, protocols=None)": {
      doc: "The service exists and has these ports and protocols, and no others.",
      async run(context, { name, ports, protocols }) {
        const there = (await context.call("firewalld.get_services") as unknown[]).includes(name);
        const changes: Changes = {};
        if (!there && !context.test) await context.call("firewalld.new_service", [name], { restart: false });
        const settle = async (kind: "port" | "protocol", wanted: unknown[]) => {
          const asks = there || !context.test;
          const current = asks ? await context.call(`firewalld.get_service_${kind}s`, [name]) as unknown[] : [];
          const added = [...new Set(wanted)].filter((one) => !current.includes(one));
          const removed = current.filter((one) => !wanted.includes(one));
          if (!context.test) {
            for (const one of added) await context.call(`firewalld.add_service_${kind}`, [name, one]);
            for (const one of removed) await context.call(`firewalld.remove_service_${kind}`, [name, one]);
          }
          if (added.length > 0 || removed.length > 0) changes[`${kind}s`] = { old: current, new: wanted };
        };
        try {
          await settle("port", itemsOf(ports));
          await settle("protocol", itemsOf(protocols));
        } catch (error) {
          return outcome(name, false, `Error: ${callError(error)}`, changes);
        }
        const changed = Object.keys(changes).length > 0;
        if (context.test && (changed || !there)) {
          return outcome(name, null, `Configuration for '${str(name)}' will change.`, changes);
        }
        if (!changed) return outcome(name, true, `'${str(name)}' is already in the desired state.`);
        await context.call("firewalld.reload_rules");
        return outcome(name, true, `'${str(name)}' was configured.`, changes);
      },
    },
  }),
};
