/** Bonded interfaces: what each mode takes. */
import type { JobContext } from "../../../model/loader/family.ts";
import { str } from "../../../language/python/values.ts";
import { integerSetting, type InterfaceSettings, NO, wrongOption, YES, yesOrNo } from "./errors.ts";

const DEFAULTS: Readonly<Record<string, string>> = {
  ad_select: "0",
  miimon: "100",
  arp_interval: "250",
  downdelay: "200",
  lacp_rate: "0",
  updelay: "0",
  use_carrier: "on",
};

const MODES = ["balance-rr", "active-backup", "balance-xor", "broadcast", "802.3ad", "balance-tlb", "balance-alb"];

type Part = (bond: InterfaceSettings, opts: InterfaceSettings, iface: string, context: JobContext) => void;

/** Numbers, each with its default. */
const numbers = (...names: string[]): Part => (bond, opts, iface) => {
  for (const name of names) {
    let value = opts[name] ?? DEFAULTS[name];
    if (name === "lacp_rate") value = value === "fast" ? "1" : value === "slow" ? "0" : value;
    if (integerSetting(value) === undefined) {
      throw wrongOption(iface, name, name === "lacp_rate" ? ["fast", "1", "slow", "0"] : ["integer"]);
    }
    bond[name] = value;
  }
};

const LINK = numbers("miimon", "downdelay", "updelay");

const targets: Part = (bond, opts, iface) => {
  const given = opts.arp_ip_target;
  if (!Array.isArray(given) || given.length < 1 || given.length > 16) {
    throw wrongOption(iface, "arp_ip_target", ["list of ips (up to 16)"]);
  }
  bond.arp_ip_target = given.map(str).join(",");
};

const primary: Part = (bond, opts) => {
  if ("primary" in opts) bond.primary = opts.primary;
};

const carrier: Part = (bond, opts, iface) => {
  if (!("use_carrier" in opts)) {
    bond.use_carrier = DEFAULTS.use_carrier;
    return;
  }
  const value = yesOrNo(opts.use_carrier);
  if (value === undefined) throw wrongOption(iface, "use_carrier", [...YES, ...NO]);
  bond.use_carrier = value ? "1" : "0";
};

/** Not on Ubuntu from 16 on. */
const olderCarrier: Part = (bond, opts, iface, context) => {
  const { os, osrelease } = context.grains;
  if (os !== "Ubuntu" || parseInt(str(osrelease), 10) < 16) carrier(bond, opts, iface, context);
};

const hashing: Part = (bond, opts, iface) => {
  if (!("hashing-algorithm" in opts)) return;
  const known = ["layer2", "layer2+3", "layer3+4"];
  if (!known.includes(str(opts["hashing-algorithm"]))) throw wrongOption(iface, "hashing-algorithm", known);
  bond.xmit_hash_policy = opts["hashing-algorithm"];
};

/** What each mode takes, in the order in which it is written. */
const PARTS: readonly (readonly Part[])[] = [
  [targets, numbers("arp_interval")],
  [LINK, primary, olderCarrier],
  [targets, numbers("arp_interval"), hashing],
  [LINK, carrier],
  [numbers("miimon", "downdelay", "updelay", "lacp_rate", "ad_select"), carrier, hashing],
  [LINK, carrier, primary],
  [LINK, carrier, primary],
];

/** The options of a bonded interface. @throws {SaltInvocationError} naming what is wrong */
export function bondOptions(context: JobContext, opts: InterfaceSettings, iface: string): InterfaceSettings {
  const mode = str(opts.mode ?? "");
  const number = MODES.includes(mode) ? MODES.indexOf(mode) : /^[0-6]$/.test(mode) ? Number(mode) : undefined;
  if (number === undefined) throw wrongOption(iface, "mode", [...MODES.map((_, at) => String(at)), ...MODES]);
  const bond: InterfaceSettings = { mode: String(number) };
  for (const part of PARTS[number]!) part(bond, opts, iface, context);
  return bond;
}

/** The configuration of the kernel's module. */
export const bondText = (iface: string, options: InterfaceSettings): string =>
  `alias ${iface} bonding\noptions ${iface} ${
    Object.entries(options).map(([name, value]) => `${name}=${str(value)} `).join("")
  }`;
