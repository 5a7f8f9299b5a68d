import { type BeaconEvent, type BeaconModule, settingsOf, VALID } from "../../model/loader/beacons.ts";
import { isMap } from "../../language/python/values.ts";
import { compileFinder } from "../../language/python/regexp.ts";
import { which } from "../linux/programs.ts";

const ATTRIBUTES = [
  ...["family", "txqlen", "ipdb_scope", "index", "operstate", "group", "carrier_changes", "ipaddr", "neighbours"],
  ...["ifname", "promiscuity", "linkmode", "broadcast", "address", "num_tx_queues", "ipdb_priority", "kind", "qdisc"],
  ...["mtu", "num_rx_queues", "carrier", "flags", "ifi_type", "ports"],
];

/** Attributes → where the program `ip` has them. Those that are absent here it does not tell. */
const FIELDS: Readonly<Record<string, string>> = {
  txqlen: "txqlen",
  index: "ifindex",
  operstate: "operstate",
  group: "group",
  carrier_changes: "carrier_changes",
  ifname: "ifname",
  promiscuity: "promiscuity",
  linkmode: "linkmode",
  broadcast: "broadcast",
  address: "address",
  num_tx_queues: "num_tx_queues",
  num_rx_queues: "num_rx_queues",
  qdisc: "qdisc",
  mtu: "mtu",
  flags: "flags",
  ifi_type: "link_type",
};

type Facts = Record<string, unknown>;

/** Attributes of each interface, as `ip -d -j address` tells them. */
async function readInterfaces(
  context: Parameters<BeaconModule["beacon"]>[1]["context"],
): Promise<Record<string, Facts>> {
  const text = await context.call("cmd.run_stdout", [["ip", "-d", "-j", "address", "show"]], { python_shell: false });
  const found: Record<string, Facts> = {};
  for (const link of JSON.parse(String(text)) as Facts[]) {
    const facts: Facts = {};
    for (const [name, field] of Object.entries(FIELDS)) if (link[field] !== undefined) facts[name] = link[field];
    const flags = Array.isArray(link.flags) ? link.flags : [];
    facts.carrier = flags.includes("LOWER_UP") ? 1 : 0;
    facts.ipaddr = (link.addr_info as Facts[] ?? []).map(({ local, prefixlen }) => `${local}/${prefixlen}`);
    found[String(link.ifname)] = facts;
  }
  return found;
}

/** Attributes of network interfaces that have changed. */
export const beacon: BeaconModule = {
  unavailable: ({ runtime: { fs, process } }) =>
    which(fs, "ip", process.env("PATH")) === undefined ? "there is no program ip: install iproute2" : undefined,
  validate(config) {
    const { interfaces = {} } = settingsOf(config);
    if (Array.isArray(interfaces)) {
      return [false, "interfaces section for network_settings beacon must be a dictionary."];
    }
    for (const own of Object.values(interfaces as object)) {
      if (!isMap(own)) return [false, "Interface attributes for network_settings beacon must be a dictionary."];
      if (!Object.keys(own as object).every((name) => ATTRIBUTES.includes(name))) {
        return [false, "Invalid attributes in beacon configuration."];
      }
    }
    return VALID;
  },
  async beacon(_config, { settings, context, memory }) {
    const now = await readInterfaces(context);
    const last = memory.get("last") as Record<string, Facts> | undefined ?? now;
    memory.set("last", now);
    const changes: Record<string, Facts> = {};
    for (
      const [pattern, wanted] of Object.entries((settings.interfaces ?? {}) as Record<string, Record<string, unknown>>)
    ) {
      for (const name of namesOf(pattern, Object.keys(now))) {
        const change = changeOf(last[name] ?? {}, now[name]!, wanted);
        if (Object.keys(change).length > 0) changes[name] = change;
      }
    }
    if (settings.coalesce === true) {
      return Object.keys(changes).length > 0 ? [{ tag: "result", changes }] : [];
    }
    return Object.entries(changes).map(([name, change]): BeaconEvent => ({ tag: name, interface: name, change }));
  },
};

/** The interface of that name, or those in whose names the expression is found. */
function namesOf(pattern: string, names: readonly string[]): string[] {
  if (names.includes(pattern)) return [pattern];
  const matches = compileFinder(pattern);
  return names.filter((name) => matches(name));
}

function changeOf(before: Facts, now: Facts, wanted: Record<string, unknown>): Facts {
  return Object.fromEntries(
    Object.entries(wanted).flatMap(([name, how]) => {
      const value = now[name];
      if (value === undefined || JSON.stringify(before[name]) === JSON.stringify(value)) return [];
      const onvalue = isMap(how) ? (how as { onvalue?: unknown }).onvalue : undefined;
      return onvalue === undefined || onvalue === null || JSON.stringify(onvalue) === JSON.stringify(value)
        ? [[name, value] as const]
        : [];
    }),
  );
}
