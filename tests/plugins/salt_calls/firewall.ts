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

/** What firewalld 1.3 lists. */
const ZONES = `public (active)
  target: default
  icmp-block-inversion: no
  interfaces: eth0
  services: dhcpv6-client ssh
  ports: 22/tcp 80/tcp
  masquerade: no
  forward-ports: 
\tport=80:proto=tcp:toport=8080:toaddr=
\tport=81:proto=tcp:toport=8081:toaddr=10.0.0.1
  rich rules: 
\trule protocol value="icmp" accept

work
  target: default
  masquerade: yes
  rich rules: `;
const WORK = ZONES.slice(ZONES.indexOf("work"));
const PUBLIC = ZONES.slice(0, ZONES.indexOf("\n\nwork"));

const FIREWALL_CMD: StandIn = {
  "--version": "1.3.3",
  "--reload": "success",
  "--get-default-zone": "public",
  "--list-all-zones": ZONES,
  "--list-all-zones --permanent": WORK,
  "--list-all": PUBLIC,
  "--zone=work --list-all --permanent": WORK,
  "--zone=public --list-all --permanent": PUBLIC,
  "--zone=none *": { err: "Error: INVALID_ZONE: none", code: 112 },
  "--get-zones --permanent": "block dmz drop public work",
  "--get-services --permanent": "http ssh",
  "--get-icmptypes --permanent": "echo-reply echo-request",
  "--zone=public --list-icmp-blocks --permanent": "echo-reply",
  "--new-zone=mine --permanent": "success",
  "--new-zone=public --permanent": { err: "Error: NAME_CONFLICT: new_zone(): 'public'", code: 26 },
  "--delete-zone=old --permanent": "odd",
  "--new-service=mine --permanent": "success",
  "--delete-service=mine --permanent": "success",
  "--zone=public --list-forward-ports --permanent":
    "port=80:proto=tcp:toport=8080:toaddr=\nport=81:proto=tcp:toport=8081:toaddr=10.0.0.1",
  "--zone=public --list-rich-rules --permanent": 'rule protocol value="icmp" accept\nrule service name="ssh" accept',
  "--zone=public --list-ports --permanent": "22/tcp 80/tcp",
  "--permanent --service=ssh --get-ports": "22/tcp",
  "--permanent --service=ssh --get-protocols": "",
  "--zone=public --list-interfaces --permanent": "eth0",
  "--zone=public --list-sources --permanent": "10.0.0.0/8",
  "--zone=public --list-services --permanent": "dhcpv6-client ssh",
  "--set-default-zone=work": { out: "said on the output", code: 1 },
  "*": "success",
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
  {
    name: "firewalld: what there is",
    standIns: { "firewall-cmd": FIREWALL_CMD },
    calls: [
      ["firewalld.version"],
      ["firewalld.reload_rules"],
      ["firewalld.default_zone"],
      ["firewalld.list_zones", "permanent=False"],
      ["firewalld.list_zones"],
      ["firewalld.list_all", "permanent=False"],
      ["firewalld.list_all", "work"],
      ["firewalld.list_all", "none"],
      ["firewalld.get_zones"],
      ["firewalld.get_services"],
      ["firewalld.get_icmp_types"],
      ["firewalld.list_services", "public"],
      ["firewalld.get_service_ports", "ssh"],
      ["firewalld.get_service_protocols", "ssh"],
      ["firewalld.get_masquerade", "public"],
      ["firewalld.get_masquerade", "work"],
      ["firewalld.list_ports", "public"],
      ["firewalld.list_port_fwd", "public"],
      ["firewalld.list_icmp_block", "public"],
      ["firewalld.get_interfaces", "public"],
      ["firewalld.get_sources", "public"],
      ["firewalld.get_rich_rules", "public"],
      ["firewalld.get_rich_rules", "none"],
    ],
  },
  {
    name: "firewalld: changes",
    standIns: { "firewall-cmd": FIREWALL_CMD },
    calls: [
      ["firewalld.new_zone", "mine"],
      ["firewalld.new_zone", "mine", "restart=False"],
      ["firewalld.new_zone", "public"],
      ["firewalld.delete_zone", "old"],
      ["firewalld.new_service", "mine"],
      ["firewalld.delete_service", "mine", "False"],
      ["firewalld.set_default_zone", "work"],
      ["firewalld.make_permanent"],
      ["firewalld.add_service", "http"],
      ["firewalld.add_service", "http", "public", "permanent=False"],
      ["firewalld.remove_service", "http", "public"],
      ["firewalld.add_service_port", "ssh", "2222/tcp"],
      ["firewalld.add_service_port", "none", "2222/tcp"],
      ["firewalld.remove_service_port", "ssh", "2222/tcp"],
      ["firewalld.add_service_protocol", "ssh", "esp"],
      ["firewalld.remove_service_protocol", "ssh", "esp"],
      ["firewalld.add_masquerade"],
      ["firewalld.add_masquerade", "public"],
      ["firewalld.remove_masquerade", "public", "permanent=False"],
      ["firewalld.add_port", "public", "443/tcp"],
      ["firewalld.add_port", "public", "443/tcp", "force_masquerade=True"],
      ["firewalld.add_port", "work", "443/tcp", "force_masquerade=True"],
      ["firewalld.remove_port", "public", "443/tcp", "permanent=False"],
      ["firewalld.add_port_fwd", "public", "80", "443", "tcp"],
      ["firewalld.add_port_fwd", "public", "80", "443", "udp", "10.0.0.1", "force_masquerade=True"],
      ["firewalld.remove_port_fwd", "public", "80", "443"],
      ["firewalld.block_icmp", "public", "echo-reply"],
      ["firewalld.block_icmp", "public", "echo-request"],
      ["firewalld.block_icmp", "public", "none"],
      ["firewalld.allow_icmp", "public", "echo-reply"],
      ["firewalld.allow_icmp", "public", "echo-request"],
      ["firewalld.allow_icmp", "public", "none"],
      ["firewalld.add_rich_rule", "public", 'rule service name="ssh" accept'],
      ["firewalld.remove_rich_rule", "public", 'rule service name="ssh" accept'],
      ["firewalld.add_port", "none", "443/tcp"],
    ],
  },
  {
    name: "firewalld: interfaces and sources",
    // Salt asks first what there is, and then does the same.
    vary: ["programs.log"],
    standIns: { "firewall-cmd": FIREWALL_CMD },
    calls: [
      ["firewalld.add_interface", "public", "eth1"],
      ["firewalld.remove_interface", "public", "eth1"],
      ["firewalld.add_source", "public", "10.1.0.0/16"],
      ["firewalld.remove_source", "public", "10.1.0.0/16"],
    ],
  },
];
