/** From the settings of a state to an interface as the file has it. */
import { type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { isInteger, str, truthy } from "../../../language/python/values.ts";
import { splitWords } from "../../../language/python/text.ts";
import { type AddressFamily, attributeName, attributeValue, ETHTOOL } from "./attributes.ts";
import { bondOptions } from "./bonding.ts";
import { integerSetting, type InterfaceSettings, NO, wrongOption, YES, yesOrNo } from "./errors.ts";
import type { Interface, InterfaceFields } from "./interfaces_file.ts";

const FAMILIES: readonly AddressFamily[] = ["inet", "inet6"];

function onOrOff(
  opts: InterfaceSettings,
  name: string,
  iface: string,
  words: [string, string] = ["on", "off"],
): string {
  const value = yesOrNo(opts[name]);
  if (value === undefined) throw wrongOption(iface, name, [...YES, ...NO]);
  return value ? words[0] : words[1];
}

function ethtoolOptions(opts: InterfaceSettings, iface: string): InterfaceSettings {
  const found: InterfaceSettings = {};
  if ("autoneg" in opts) found.autoneg = onOrOff(opts, "autoneg", iface);
  if ("duplex" in opts) {
    if (opts.duplex !== "full" && opts.duplex !== "half") throw wrongOption(iface, "duplex", ["full", "half"]);
    found.duplex = opts.duplex;
  }
  if ("speed" in opts) {
    const speeds = ["10", "100", "1000", "10000"];
    if (!speeds.includes(str(opts.speed))) throw wrongOption(iface, opts.speed, speeds);
    found.speed = opts.speed;
  }
  for (const name of ["rx", "tx", "sg", "tso", "ufo", "gso", "gro", "lro"]) {
    if (name in opts) found[name] = onOrOff(opts, name, iface);
  }
  return Object.fromEntries(Object.entries(found).map(([name, value]) => [ETHTOOL[name]!, value]));
}

function portAndNumber(opts: InterfaceSettings, name: string, iface: string): string {
  const [port, number, more] = splitWords(str(opts[name]));
  if (number === undefined || more !== undefined || integerSetting(number) === undefined) {
    throw wrongOption(iface, name, ["interface integer"]);
  }
  return `${port} ${number}`;
}

function bridgeOptions(opts: InterfaceSettings, iface: string): InterfaceSettings {
  const found: InterfaceSettings = {};
  if ("ports" in opts) found.ports = Array.isArray(opts.ports) ? opts.ports.map(str).join(" ") : opts.ports;
  for (const name of ["ageing", "fd", "gcint", "hello", "maxage"]) {
    if (!(name in opts)) continue;
    if (!/^\s*[+-]?(?:\d+\.?\d*|\.\d+)\s*$/.test(str(opts[name]))) throw wrongOption(iface, name, ["float"]);
    found[name] = opts[name];
  }
  for (const name of ["bridgeprio", "maxwait"]) {
    if (!(name in opts)) continue;
    if (!isInteger(opts[name])) throw wrongOption(iface, name, ["integer"]);
    found[name] = opts[name];
  }
  if ("hw" in opts) {
    if (!/^[0-9a-f]{2}([-:])[0-9a-f]{2}(?:\1[0-9a-f]{2}){4}$/i.test(str(opts.hw))) {
      throw wrongOption(iface, "hw", ["valid MAC address"]);
    }
    found.hw = opts.hw;
  }
  for (const name of ["pathcost", "portprio"]) if (name in opts) found[name] = portAndNumber(opts, name, iface);
  if ("stp" in opts) found.stp = onOrOff(opts, "stp", iface);
  if ("waitport" in opts) {
    const [time = "", ...ports] = splitWords(str(opts.waitport));
    const right = isInteger(opts.waitport) || (/^\d+$/.test(time) && ports.length > 0);
    if (!right) throw wrongOption(iface, "waitport", ["integer [interfaces]"]);
    found.waitport = isInteger(opts.waitport) ? opts.waitport : [time, ...ports].join(" ");
  }
  return found;
}

const PPPOE = ("user password provider pppoe_iface noipdefault usepeerdns defaultroute holdoff maxfail hide-password " +
  "lcp-echo-interval lcp-echo-failure connect noauth persist mtu noaccomp linkname").split(" ");
const SWITCHES = ["noipdefault", "usepeerdns", "defaultroute", "hide-password", "noauth", "persist", "noaccomp"];

function pppoeOptions(opts: InterfaceSettings, iface: string): InterfaceSettings {
  if ("provider" in opts && !truthy(opts.provider)) throw wrongOption(iface, "provider", [...YES, ...NO]);
  const found = Object.fromEntries(PPPOE.filter((name) => name in opts).map((name) => [name, opts[name]]));
  for (const name of SWITCHES) if (name in opts) found[name] = onOrOff(opts, name, iface, ["True", "False"]);
  return found;
}

/** What a family has because of the kind of interface. */
function ofKind(
  context: JobContext,
  kind: string,
  family: AddressFamily,
  opts: InterfaceSettings,
  iface: string,
): InterfaceFields {
  const ethtool = kind === "bridge" ? {} : ethtoolOptions(opts, iface);
  const fields: InterfaceFields = Object.keys(ethtool).length > 0 ? { ethtool } : {};
  const own: Record<string, () => InterfaceFields> = {
    bridge: () => ({ bridging: bridgeOptions(opts, iface) }),
    bond: () => ({ bonding: { ...bondOptions(context, opts, iface), slaves: opts.slaves } }),
    slave: () => ({ master: opts.master }),
    vlan: () => ({ vlan_raw_device: iface.replace(/\.\d*/g, "") }),
    pppoe: () => pppoeOptions(opts, iface),
  };
  const more = Object.hasOwn(own, kind) ? own[kind]!() : undefined;
  return more === undefined ? fields : { ...fields, ...more, addrfam: family };
}

/** Options that make an interface have IPv4. */
const OF_IPV4 = ["ipaddr", "address", "ipaddresses", "addresses", "gateway", "proto"];

/** Puts an option into the families that know it. */
function place(data: Record<AddressFamily, InterfaceFields>, option: string, value: unknown): void {
  const prefix = /^ipv([46])/.exec(option)?.[1];
  const family: AddressFamily | undefined = prefix === "4" || (prefix === undefined && OF_IPV4.includes(option))
    ? "inet"
    : prefix === "6"
    ? "inet6"
    : undefined;
  if (family !== undefined) data[family].addrfam = family;
  const name = attributeName(prefix === undefined ? option : option.slice(4));
  const key = name.replaceAll("-", "_");
  for (const one of FAMILIES) {
    const kept = attributeValue(name, value, one);
    if (kept === undefined) continue;
    if (family === one || (family === undefined && !(key in data[one]))) data[one][key] = kept;
  }
}

const COMMANDS = ["up_cmds", "pre_up_cmds", "post_up_cmds", "down_cmds", "pre_down_cmds", "post_down_cmds"];

/** An interface as the file has it. @throws {SaltInvocationError} naming what is wrong with a setting */
export function interfaceOf(
  context: JobContext,
  iface: string,
  kind: string,
  enabled: unknown,
  settings: InterfaceSettings,
): Interface {
  const opts: InterfaceSettings = kind === "slave" ? { ...settings, proto: "manual" } : { ...settings };
  const data: Record<AddressFamily, InterfaceFields> = {
    inet: ofKind(context, kind, "inet", opts, iface),
    inet6: ofKind(context, kind, "inet6", opts, iface),
  };
  // Of a bond it is not what a tunnel has under this name.
  delete opts.mode;
  for (const [option, value] of Object.entries(opts)) place(data, option, value);
  for (const name of COMMANDS.filter((one) => one in opts)) {
    for (const family of FAMILIES) data[family][name] = opts[name];
  }
  const kept = FAMILIES.filter((family) =>
    opts[family === "inet" ? "enable_ipv4" : "enable_ipv6"] !== false && data[family].addrfam === family
  );
  return {
    type: kind,
    ...(truthy(enabled) ? { enabled: true } : {}),
    ...(truthy(opts.hotplug ?? false) ? { hotplug: true } : {}),
    data: Object.fromEntries(kept.map((family) => [family, data[family]])),
  };
}

/** A provider's file for pppd. @throws {SaltInvocationError} if it cannot be the name of a file */
export function providerOf(iface: Interface): string {
  const name = str(iface.data?.inet?.provider ?? "");
  if (/^[\w-][\w.-]*$/.test(name)) return name;
  throw new SaltInvocationError(`Cannot use "${name}" as a provider: expected the name of a file in /etc/ppp/peers`);
}
