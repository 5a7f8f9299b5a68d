/** Rules of nftables, from arguments by name; and what may stand in a command of nft. */
import { SaltInvocationError } from "../../../model/loader/family.ts";
import { type Args, str } from "../../../language/python/values.ts";
import { strip } from "../../../language/python/text.ts";

/** The names of families that callers use, and nft's. */
const FAMILIES: Readonly<Record<string, string>> = {
  ipv4: "ip",
  ip4: "ip",
  ip: "ip",
  ipv6: "ip6",
  ip6: "ip6",
  inet: "inet",
  arp: "arp",
  bridge: "bridge",
  netdev: "netdev",
};

/** The families by nft's names, in the order in which rules are saved. */
export const ALL_FAMILIES: readonly string[] = ["ip", "ip6", "inet", "arp", "bridge", "netdev"];

/** @throws {SaltInvocationError} if there is no such family */
export function ruleFamily(family: unknown): string {
  const name = str(family);
  if (Object.hasOwn(FAMILIES, name)) return FAMILIES[name]!;
  throw new SaltInvocationError(
    `Cannot use "${name}" as a family of nftables: expected one of ${Object.keys(FAMILIES).join(", ")}`,
  );
}

/**
 * The name of a table or chain: nft reads its words as one text, in which other characters would begin another command.
 *
 * @throws {SaltInvocationError} if it is no such name
 */
export function chainName(value: unknown, what: string): string {
  const name = str(value);
  if (/^[A-Za-z_.][\w./\\-]*$/.test(name)) return name;
  throw new SaltInvocationError(
    `Cannot use "${name}" as the name of a ${what}: expected a letter, then letters, digits and _ - . /`,
  );
}

/**
 * The words of a rule or a part of one, which must be one statement of nft.
 *
 * @throws {SaltInvocationError} if another command could begin in it
 */
export function ruleWords(rule: unknown): string[] {
  const text = str(rule);
  const outside = text.replace(/"[^"\n]*"/g, '""').replace(/\{[^{}]*\}/g, "{}");
  if (/[;\n\r\0]/.test(outside) || outside.replaceAll('""', "").includes('"')) {
    throw new SaltInvocationError(
      `Cannot use "${text}" as a rule: it has ; or the end of a line, or an open quotation`,
    );
  }
  return text.split(" ").filter((word) => word !== "");
}

/** Ports from high to low, as nft lists them. */
function ports(value: unknown): string {
  const numbers = str(value).split(",").map((port) => {
    if (/^\s*\d+\s*$/.test(port)) return Number(port);
    throw new SaltInvocationError(`Cannot use "${str(value)}" as ports: expected numbers with commas, such as 80,443`);
  });
  return numbers.sort((one, other) => other - one).join(", ");
}

const first = (...values: unknown[]): string => str(values.find((value) => Boolean(value)) ?? null);

/** What a rule matches, in nft's order of words. */
const MATCHES: readonly [names: readonly string[], text: (args: Args, family: string) => string][] = [
  [["if"], (args) => `meta iifname ${str(args.if)}`],
  [["of"], (args) => `meta oifname ${str(args.of)}`],
  [["connstate"], (args) => `ct state { ${str(args.connstate)} }`],
  [["icmp-type"], (args) => `icmp type { ${str(args["icmp-type"])} }`],
  [["pkttype"], (args) => `meta pkttype { ${str(args.pkttype)} }`],
  [["counter"], () => "counter"],
  [["saddr", "source"], (args, family) => `${family} saddr ${first(args.saddr, args.source)}`],
  [["daddr", "destination"], (args, family) => `${family} daddr ${first(args.daddr, args.destination)}`],
  [["dport"], (args) => `dport { ${str(args.dport).replaceAll(":", "-")} }`],
  [["sport"], (args) => `sport { ${str(args.sport).replaceAll(":", "-")} }`],
  [["dports"], (args) => `dport { ${ports(args.dports)} }`],
  [["sports"], (args) => `sport { ${ports(args.sports)} }`],
  [["jump"], (args) => str(args.jump)],
  [["j"], (args) => str(args.j)],
  [["redirect-to", "to-port"], (args) => `redirect to ${first(args["redirect-to"], args["to-port"])}`],
  [["to-ports"], (args) => `--to-ports ${str(args["to-ports"])}`],
  [["to-source"], (args) => str(args["to-source"])],
  [["to-destination"], (args) => str(args["to-destination"])],
  [["reject-with"], (args) => `reject with ${str(args["reject-with"])}`],
];

/** The text of a rule; the protocol stands before each port. */
export function nftRuleText({ target, ...others }: Args, family: string): string {
  const args = target === undefined ? others : { ...others, jump: target };
  const parts = MATCHES.filter(([names]) => names.some((name) => Object.hasOwn(args, name)));
  const protocol = Object.hasOwn(args, "proto") ? str(args.proto) : "";
  const text = strip(parts.map(([, say]) => say(args, family)).join(" "));
  return text.replaceAll("dport", `${protocol} dport`).replaceAll("sport", `${protocol} sport`);
}
