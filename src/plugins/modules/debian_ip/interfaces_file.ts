/** The file `/etc/network/interfaces`, and those of `interfaces.d`: read and written. */
import { type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { compareText, splitLines, splitWords } from "../../../language/python/text.ts";
import { isFloat, isInteger, repr, str, truthy } from "../../../language/python/values.ts";
import { join } from "../../../language/python/posixpath.ts";
import { tryIterate } from "../../../language/python/iterate.ts";
import { isDirectory, isFile } from "../../linux/paths.ts";
import { attributeValue, ETHTOOL, isAttribute } from "./attributes.ts";

export const FILE = "/etc/network/interfaces";
export const DIRECTORY = "/etc/network/interfaces.d";

export type InterfaceFields = Record<string, unknown>;

export interface Interface {
  enabled?: boolean;
  hotplug?: boolean;
  type?: string;
  /** By family, or `sources`. */
  data?: { inet?: InterfaceFields; inet6?: InterfaceFields; sources?: unknown[] } & Record<string, unknown>;
}

type Interfaces = Map<string, Interface>;

const malformed = (what: string) => new SaltInvocationError(`Interface file malformed: ${what}.`);

const COMMANDS = ["up", "pre-up", "post-up", "down", "pre-down", "post-down"];
const ETHTOOL_NAMES = new Set(Object.values(ETHTOOL));
/** Options in groups of their own, by how their names begin. */
const GROUPS: readonly [prefix: string, group: string][] = [["bond", "bonding"], ["bridge", "bridging"]];

function groupOf(fields: InterfaceFields, name: string): InterfaceFields {
  return (fields[name] ??= {}) as InterfaceFields;
}

/** An indented line, `address 10.0.0.1`. */
function addDetail(fields: InterfaceFields, family: string, line: string): void {
  const [, name = "", value] = /^\s*(\S+)\s+(\S.*)$/.exec(line.trimEnd()) ?? [];
  if (value === undefined) throw malformed(repr(line.trim()));
  const group = GROUPS.find(([prefix]) => name.startsWith(prefix));
  if (isAttribute(name)) {
    const key = name.replaceAll("-", "_");
    const kept = attributeValue(name, value, family) ?? value;
    if (key === "address" && "address" in fields) {
      (fields.addresses ??= []) as unknown[];
      (fields.addresses as unknown[]).push(kept);
    } else fields[key] = kept;
  } else if (ETHTOOL_NAMES.has(name)) groupOf(fields, "ethtool")[name] = value;
  else if (group !== undefined) groupOf(fields, group[1])[name.replace(/^[^_-]*[_-]?/, "")] = value;
  else if (COMMANDS.includes(name)) {
    const key = `${name.replaceAll("-", "_")}_cmds`;
    ((fields[key] ??= []) as unknown[]).push(value);
  }
}

/** Reads one file into the interfaces that are known so far. */
function readInto(found: Interfaces, text: string, filename: string): void {
  const named = (name: string): Interface => {
    if (!found.has(name)) found.set(name, {});
    return found.get(name)!;
  };
  let fields: InterfaceFields = {};
  let family = "";
  for (const line of splitLines(text)) {
    if (line.trim() === "" || line.trimStart().startsWith("#")) continue;
    const words = splitWords(line);
    if (line.startsWith("iface")) {
      if (words.length !== 4) throw malformed(repr(words));
      const [, name = "", kind = "", proto] = words;
      family = kind;
      const data = named(name).data ??= {};
      fields = (data[kind] ??= {}) as InterfaceFields;
      Object.assign(fields, { addrfam: kind, proto, filename });
    } else if (/^\s/.test(line)) addDetail(fields, family, line);
    else if (line.startsWith("auto")) { for (const name of words.slice(1)) named(name).enabled = true; }
    else if (line.startsWith("allow-hotplug")) { for (const name of words.slice(1)) named(name).hotplug = true; }
    else if (line.startsWith("source")) {
      const data = named("source").data ??= {};
      (data.sources ??= []).push(words[1] ?? "");
    }
  }
}

/** All interfaces of the files; those of which only half is said are left out. */
export function readInterfaces(context: JobContext): Interfaces {
  const { fs } = context.runtime;
  const found: Interfaces = new Map();
  if (isFile(fs, FILE)) readInto(found, fs.readText(FILE), FILE);
  if (isDirectory(fs, DIRECTORY)) {
    for (const name of fs.list(DIRECTORY)) {
      const path = join(DIRECTORY, name);
      if (isFile(fs, path)) readInto(found, fs.readText(path), path);
    }
  }
  for (const [name, { data }] of found) {
    if (data !== undefined) continue;
    context.log.error("Interface file malformed", { interface: name });
    found.delete(name);
  }
  return found;
}

/** Attributes in the order in which they are written. */
const WRITTEN = ("autoconf privext dhcp hwaddress hwaddr vlan_raw_device address addresses netmask metric gateway " +
  "pointopoint scope hostname media leasehours leasetime vendor client bootfile server mode endpoint dstaddr local ttl mtu " +
  "provider unit options master dns_nameservers wireless_mode wpa_ap_scan wpa_conf wpa_driver wpa_group wpa_key_mgmt " +
  "wpa_pairwise wpa_proto wpa_psk wpa_roam wpa_ssid accept_ra up_cmds down_cmds pre_up_cmds post_up_cmds pre_down_cmds " +
  "post_down_cmds").split(" ");

/** Those that are written under another name than with dashes. */
const CALLED: Readonly<Record<string, string>> = {
  addresses: "address",
  hwaddr: "hwaddress",
  up_cmds: "up",
  down_cmds: "down",
  pre_up_cmds: "pre-up",
  post_up_cmds: "post-up",
  pre_down_cmds: "pre-down",
  post_down_cmds: "post-down",
  master: "bond-master",
  accept_ra: "accept_ra",
};

const detail = (name: string, value: unknown): string => `    ${name} ${str(value)}\n`;

const joined = (value: unknown): string => [...tryIterate(value) ?? []].map(str).join(" ");

function attributeLines(name: string, value: unknown): string {
  const called = CALLED[name] ?? name.replaceAll("_", "-");
  if (name === "dns_nameservers" && tryIterate(value) !== undefined) return detail(called, joined(value));
  const single = typeof value === "string" || typeof value === "boolean" || isInteger(value) || isFloat(value);
  if (single) return detail(called, value);
  return [...tryIterate(value) ?? []].map((one) => detail(called, one)).join("");
}

/** Options of a group; numbers are left out, as in Salt. */
function groupLines(group: unknown, prefix: string): string {
  const options = Object.entries((group ?? {}) as InterfaceFields).sort(([one], [other]) => compareText(one, other));
  return options.map(([name, value]) => {
    if (typeof value === "string") return detail(`${prefix}${name}`, value);
    return tryIterate(value) === undefined ? "" : detail(`${prefix}${name}`, joined(value));
  }).join("");
}

function familyText(name: string, family: string, fields: InterfaceFields | undefined): string {
  if (fields === undefined || fields.addrfam !== family || !truthy(fields.proto)) return "";
  const attributes = WRITTEN.filter((attribute) => truthy(fields[attribute] ?? false))
    .map((attribute) => attributeLines(attribute, fields[attribute]));
  return `iface ${name} ${family} ${str(fields.proto)}\n${attributes.join("")}${groupLines(fields.ethtool, "")}` +
    `${groupLines(fields.bonding, "bond-")}${groupLines(fields.bridging, "bridge_")}`;
}

export function interfaceText(name: string, { enabled, hotplug, data }: Interface): string {
  const head = `${truthy(enabled) ? `auto ${name}\n` : ""}${truthy(hotplug) ? `allow-hotplug ${name}\n` : ""}`;
  return head + familyText(name, "inet", data?.inet) + familyText(name, "inet6", data?.inet6);
}

/** The text of the files that are read, too. */
export const sourceText = ({ data }: Interface): string =>
  (data?.sources ?? []).map((source) => `\nsource ${str(source)}\n`).join("");

/** Lines with their ends, as differences are made of them. */
export const interfaceLines = (text: string): string[] => text.split("\n").map((line) => `${line}\n`);
