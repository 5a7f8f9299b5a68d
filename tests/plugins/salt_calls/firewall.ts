import type { CallScenario } from "./scenario.ts";
import type { StandIn } from "./stand_in.ts";

/** What nft 1.0.6 said of a table with two chains. */
const CHAIN = `table ip filter {
\tchain input { # handle 1
\t\ttype filter hook input priority filter; policy accept;
\t\ttcp dport { 22, 80 } accept # handle 3
\t\ttcp dport 443 accept # handle 4
\t}
}`;
const TABLE = `table ip filter {
\tchain input {
\t\ttype filter hook input priority 0; policy accept;
\t\ttcp dport { 22, 80 } accept
\t\ttcp dport 443 accept
\t}

\tchain mine {
\t}
}`;
const TABLES = "table ip filter\ntable ip nat";
const JSON_HEAD =
  '{"metainfo": {"version": "1.0.6", "release_name": "Lester Gooch #5", "json_schema_version": 1}}, {"table": {"family": "ip", "name": "filter", "handle": 1}}';
const JSON_CHAIN =
  '{"chain": {"family": "ip", "table": "filter", "name": "input", "handle": 1, "type": "filter", "hook": "input", "prio": 0, "policy": "accept"}}, {"chain": {"family": "ip", "table": "filter", "name": "mine", "handle": 2}}';
const ERROR = {
  err: "Error: Could not process rule: Device or resource busy\ndelete table ip filter\n             ^^^^^^",
  code: 1,
};

const NFT: StandIn = {
  "--version": "nftables v1.0.6 (Lester Gooch #5)",
  "list tables ip": TABLES,
  "list tables inet": "",
  "list table ip filter": TABLE,
  "list table ip none": { err: "Error: No such file or directory\nlist table ip none\n              ^^^^", code: 1 },
  "--handle list chain ip filter *": CHAIN,
  "--numeric --numeric --numeric --handle list chain ip filter input": CHAIN,
  "--json --numeric --numeric --numeric list tables ip": `{"nftables": [${JSON_HEAD}]}`,
  "--json --numeric --numeric --numeric list tables ip6": "no JSON",
  "--numeric --numeric --numeric list table ip filter": TABLE,
  "--numeric --numeric --numeric --json list ruleset ip": `{"nftables": [${JSON_HEAD}, ${JSON_CHAIN}]}`,
  "delete table ip filter": ERROR,
  "add rule ip filter input bogus": ERROR,
  "flush chain ip filter mine": ERROR,
};

const RULES: string[][] = [
  ["match=state", "connstate=RELATED,ESTABLISHED", "jump=ACCEPT"],
  ["filter", "input", "command=insert", "position=3", "full='True'", "connstate=new", "jump=accept"],
  ["filter", "input", "command=insert", "full='True'", "proto=tcp", "dport=80", "jump=accept"],
  ["filter", "input", "command=add", "full='True'", "proto=tcp", "dport=1000:2000", "sport=1025:65535", "j=drop"],
  ["full='True'"],
  ["filter", "full='True'"],
  ["filter", "input", "full='True'"],
  ["filter", "input", "full=True", "command=add", "jump=accept"],
  ["family=ipv6", "saddr=fe80::1", "daddr=fe80::2", "jump=accept"],
  ["source=10.0.0.1", "destination=10.0.0.2", "counter=True", "if=eth0", "of=eth1", "target=drop"],
  ["proto=tcp", "dports='80,443,22'", "sports='1,2'", "jump=accept"],
  ["proto=udp", "dports='53'", "pkttype=multicast", "icmp-type=echo-request", "jump=accept"],
  ["proto=tcp", "dport=80", "redirect-to=8080"],
  ["proto=tcp", "dport=80", "to-port=8080", "to-ports=1"],
  ["jump=snat", "to-source=10.0.0.9"],
  ["jump=dnat", "to-destination=10.0.0.9", "reject-with=icmp"],
  [],
];

export const FIREWALL: CallScenario[] = [
  {
    name: "nftables: rules as texts",
    standIns: { nft: NFT },
    calls: RULES.map((words) => ["nftables.build_rule", ...words]),
  },
  {
    name: "nftables: what there is",
    standIns: { nft: NFT },
    files: { rules: "#! nft -f\n\ntable ip filter {\n}\n", "dir/": "" },
    calls: [
      ["nftables.version"],
      ["nftables.get_saved_rules", "{D}/rules"],
      ["nftables.list_tables"],
      ["nftables.list_tables", "ipv6"],
      ["nftables.list_tables", "inet"],
      ["nftables.get_rules"],
      ["nftables.get_rules_json"],
      ["nftables.get_rules_json", "family=ipv6"],
      ["nftables.check_table", "filter"],
      ["nftables.check_table", "none"],
      ["nftables.check_table", "filter", "family=inet"],
      ["nftables.check_table"],
      ["nftables.check_chain", "filter", "input"],
      ["nftables.check_chain", "filter", "none"],
      ["nftables.check_chain", "none", "input"],
      ["nftables.check_chain"],
      ["nftables.check", "filter", "input", "tcp dport { 22, 80 } accept"],
      ["nftables.check", "filter", "input", "tcp dport { 443 } accept"],
      ["nftables.check", "filter", "input", "tcp dport 444 accept"],
      ["nftables.check", "filter", "none", "x"],
      ["nftables.check", "none", "input", "x"],
      ["nftables.check", "filter", "input"],
      ["nftables.check"],
      ["nftables.get_rule_handle", "filter", "input", "tcp dport 443 accept"],
      ["nftables.get_rule_handle", "filter", "input", "tcp dport 444 accept"],
      ["nftables.get_rule_handle"],
      ["nftables.get_rule_handle", "filter", "input"],
      ["nftables.get_policy"],
      ["nftables.get_policy", "filter", "mine"],
      ["nftables.save", "{D}/saved"],
      ["nftables.save", "{D}/dir"],
    ],
  },
  {
    name: "nftables: changes",
    standIns: { nft: NFT },
    calls: [
      ["nftables.new_table", "other"],
      ["nftables.new_table", "filter"],
      ["nftables.delete_table", "filter"],
      ["nftables.delete_table", "nat"],
      ["nftables.delete_table", "none"],
      ["nftables.new_chain", "filter", "new"],
      ["nftables.new_chain", "filter", "new", "table_type=filter", "hook=input", "priority=0"],
      ["nftables.new_chain", "filter", "new", "table_type=filter", "hook=input", "priority=-150"],
      ["nftables.new_chain", "filter", "new", "hook=input"],
      ["nftables.new_chain", "filter", "input"],
      ["nftables.new_chain", "none", "input"],
      ["nftables.new_chain"],
      ["nftables.delete_chain", "filter", "mine"],
      ["nftables.delete_chain", "filter", "none"],
      ["nftables.delete_chain"],
      ["nftables.append", "filter", "input", "tcp dport 8080 accept"],
      ["nftables.append", "filter", "input", "tcp dport 443 accept"],
      ["nftables.append", "filter", "input", "bogus"],
      ["nftables.append", "filter", "input"],
      ["nftables.append", "none", "input", "x"],
      ["nftables.insert", "filter", "input", "rule='tcp dport 8080 accept'"],
      ["nftables.insert", "filter", "input", "position=4", "rule='tcp dport 8080 accept'"],
      ["nftables.insert", "filter", "input"],
      ["nftables.insert", "filter"],
      ["nftables.delete", "filter", "input", "3", "tcp dport 443 accept"],
      ["nftables.delete", "none", "input", "rule='tcp dport 443 accept'"],
      ["nftables.flush", "filter"],
      ["nftables.flush", "filter", "input"],
      ["nftables.flush", "filter", "mine"],
      ["nftables.flush", "filter", "none"],
      ["nftables.flush", "none"],
      ["nftables.set_policy", "filter", "input", "drop"],
      ["nftables.set_policy", "filter", "mine", "drop"],
      ["nftables.set_policy", "filter", "none", "drop"],
      ["nftables.set_policy", "filter", "input"],
      ["nftables.set_policy", "filter"],
    ],
  },
];
