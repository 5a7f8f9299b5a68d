import type { Arguments } from "../../model/loader/signature.ts";
import type { ExecutionFunction, ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunction } from "../../model/loader/family.ts";
import { splitLines } from "../../language/python/text.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import { programPath } from "../commands.ts";
import { firewall, firewallWords, listedZones, parseForwards, parseZones, type Zones } from "./firewalld/program.ts";

const PERMANENT = "\n\npermanent: of the configuration, rather than of what holds now";

const fun = <S extends string, R>(
  signature: S,
  says: string,
  example: string,
  run: (context: JobContext, args: Arguments<S>) => R,
) =>
  executionFunction({
    signature,
    doc: `${says}\n\n    salt '*' firewalld.${example}${signature.includes("permanent") ? PERMANENT : ""}`,
    run,
  });

const some = (zone: unknown): unknown => truthy(zone) ? zone : undefined;

async function listAll(context: JobContext, { zone, permanent }: Args): Promise<Zones> {
  return parseZones(await firewall(context, firewallWords(["--list-all"], some(zone), permanent)));
}

async function masquerades(context: JobContext, args: Args): Promise<boolean> {
  return Object.values(await listAll(context, args)).every((fields) => fields.masquerade?.[0] !== "no");
}

/** Makes or deletes a zone or service, which is in the configuration alone until that is read again. */
const managing = (kind: "zone" | "service", action: "new" | "delete", says: string) => {
  const name: string = kind === "zone" ? "zone" : "name";
  return fun(
    `${name}, restart=True`,
    `${says}\n\nrestart: read the configuration again`,
    `${action}_${kind} my_${kind}`,
    async (context, args) => {
      const said = await firewall(context, [`--${action}-${kind}=${str(args[name])}`, "--permanent"]);
      return truthy(args.restart) && said === "success" ? await firewall(context, ["--reload"]) : said;
    },
  );
};

/** A list of names: of firewalld, or of a zone. */
const listing = (option: string, says: string, example: string, signature = "zone, permanent=True") =>
  fun(
    signature,
    says,
    example,
    (context, { zone, permanent }) => listedZones(context, firewallWords([option], some(zone), permanent)),
  );

/** Adds something to a zone, or removes it; `--add-port=22/tcp`. */
const changing = (option: string, what: string, says: string, example: string) =>
  fun(
    `zone, ${what}, permanent=True`,
    says,
    example,
    (context, args) => firewall(context, firewallWords([`--${option}=${str(args[what])}`], args.zone, args.permanent)),
  );

/** A port or protocol of a service. */
const ofService = (option: string, what: string, says: string) =>
  fun(
    `service, ${what}`,
    says,
    `${option.replace("-", "_service_")} zone ${what === "port" ? "80/tcp" : "ssh"}`,
    async (context, args) => {
      if (
        what === "port" && !(await listedZones(context, ["--get-services", "--permanent"])).includes(str(args.service))
      ) {
        throw new CommandExecutionError("The service does not exist.");
      }
      return await firewall(context, [
        "--permanent",
        `--service=${str(args.service)}`,
        `--${option}=${str(args[what])}`,
      ]);
    },
  );

/** A service of a zone, or masquerading, where the zone may be left out. */
const ofZone = (signature: string, says: string, example: string, words: (args: Args) => string[]) =>
  fun(
    signature,
    says,
    example,
    (context, args) => firewall(context, firewallWords(words(args), some(args.zone), args.permanent)),
  );

async function masqueradeFirst(context: JobContext, { zone, force_masquerade: force }: Args): Promise<void> {
  if (!truthy(force) || await masquerades(context, { zone, permanent: true })) return;
  await firewall(context, firewallWords(["--add-masquerade"], some(zone), true));
}

const forwardWord = (verb: string, { src, dest, proto, dstaddr }: Args): string =>
  `--${verb}-forward-port=port=${str(src)}:proto=${str(proto)}:toport=${str(dest)}:toaddr=${str(dstaddr)}`;

/** Blocks a kind of ICMP, or lets it pass again. */
async function icmp(context: JobContext, { zone, icmp: kind, permanent }: Args, block: boolean): Promise<unknown> {
  if (!(await listedZones(context, firewallWords(["--get-icmptypes"], undefined, permanent))).includes(str(kind))) {
    context.log.error("Invalid ICMP type", { icmp: kind });
    return false;
  }
  const blocked = await listedZones(context, firewallWords(["--list-icmp-blocks"], zone, permanent));
  if (blocked.includes(str(kind)) === block) return "success";
  return await firewall(
    context,
    firewallWords([`--${block ? "add" : "remove"}-icmp-block=${str(kind)}`], zone, permanent),
  );
}

const richRule = (verb: "add" | "remove", says: string) =>
  changing(`${verb}-rich-rule`, "rule", says, `${verb}_rich_rule public 'rule service name="ssh" accept'`);

const GENERAL: Record<string, ExecutionFunction> = {
  version: fun("", "The version of firewalld.", "version", (context) => firewall(context, ["--version"])),
  reload_rules: fun(
    "",
    "Makes the configuration hold now; what was not permanent is gone.",
    "reload_rules",
    (context) => firewall(context, ["--reload"]),
  ),
  default_zone: fun(
    "",
    "The zone of interfaces that are in no other.",
    "default_zone",
    (context) => firewall(context, ["--get-default-zone"]),
  ),
  set_default_zone: fun(
    "zone: str",
    "Sets the default zone.",
    "set_default_zone damian",
    (context, { zone }) => firewall(context, [`--set-default-zone=${zone}`]),
  ),
  make_permanent: fun(
    "",
    "Makes what holds now the configuration.",
    "make_permanent",
    (context) => firewall(context, ["--runtime-to-permanent"]),
  ),
  list_zones: fun(
    "permanent=True",
    "All zones with what is in them.",
    "list_zones",
    async (context, { permanent }) =>
      parseZones(await firewall(context, firewallWords(["--list-all-zones"], undefined, permanent))),
  ),
  list_all: fun("zone=None, permanent=True", "A zone with what is in it.", "list_all my_zone", listAll),
  get_zones: listing("--get-zones", "The names of the zones.", "get_zones", "permanent=True"),
  get_services: listing("--get-services", "The names of the services.", "get_services", "permanent=True"),
  get_icmp_types: listing("--get-icmptypes", "The kinds of ICMP.", "get_icmp_types", "permanent=True"),
  new_zone: managing("zone", "new", "Makes a zone."),
  delete_zone: managing("zone", "delete", "Deletes a zone."),
  new_service: managing("service", "new", "Makes a service."),
  delete_service: managing("service", "delete", "Deletes a service."),
};

const SERVICES: Record<string, ExecutionFunction> = {
  list_services: listing(
    "--list-services",
    "The services of a zone.",
    "list_services my_zone",
    "zone=None, permanent=True",
  ),
  add_service: ofZone(
    "service, zone=None, permanent=True",
    "Adds a service to a zone.",
    "add_service ssh my_zone",
    ({ service }) => [`--add-service=${str(service)}`],
  ),
  remove_service: ofZone(
    "service, zone=None, permanent=True",
    "Removes a service from a zone.",
    "remove_service ssh my_zone",
    ({ service }) => [`--remove-service=${str(service)}`],
  ),
  add_service_port: ofService("add-port", "port", "Adds a port to a service."),
  remove_service_port: ofService("remove-port", "port", "Removes a port from a service."),
  get_service_ports: fun(
    "service: str",
    "The ports of a service.",
    "get_service_ports zone",
    (context, { service }) => listedZones(context, ["--permanent", `--service=${service}`, "--get-ports"]),
  ),
  add_service_protocol: ofService("add-protocol", "protocol", "Adds a protocol to a service."),
  remove_service_protocol: ofService("remove-protocol", "protocol", "Removes a protocol from a service."),
  get_service_protocols: fun(
    "service: str",
    "The protocols of a service.",
    "get_service_protocols zone",
    (context, { service }) => listedZones(context, ["--permanent", `--service=${service}`, "--get-protocols"]),
  ),
};

const PORTS: Record<string, ExecutionFunction> = {
  get_masquerade: fun(
    "zone=None, permanent=True",
    "True if a zone masquerades.",
    "get_masquerade zone",
    masquerades,
  ),
  add_masquerade: ofZone(
    "zone=None, permanent=True",
    "Makes a zone masquerade.",
    "add_masquerade dmz",
    () => ["--add-masquerade"],
  ),
  remove_masquerade: ofZone(
    "zone=None, permanent=True",
    "Makes a zone masquerade no longer.",
    "remove_masquerade dmz",
    () => ["--remove-masquerade"],
  ),
  add_port: fun(
    "zone, port: str, permanent=True, force_masquerade=False",
    "Opens a port in a zone.\n\nforce_masquerade: make the zone masquerade, too",
    "add_port internal 443/tcp",
    async (context, args) => {
      await masqueradeFirst(context, args);
      return await firewall(context, firewallWords([`--add-port=${args.port}`], args.zone, args.permanent));
    },
  ),
  remove_port: changing("remove-port", "port", "Closes a port in a zone.", "remove_port internal 443/tcp"),
  list_ports: listing("--list-ports", "The ports that are open in a zone.", "list_ports public"),
  add_port_fwd: fun(
    "zone, src, dest, proto='tcp', dstaddr='', permanent=True, force_masquerade=False",
    "Forwards a port.\n\nsrc: the port\ndest, dstaddr: port and address to which it goes\nforce_masquerade: make the " +
      "zone masquerade, too",
    "add_port_fwd public 80 443 tcp",
    async (context, args) => {
      await masqueradeFirst(context, args);
      return await firewall(context, firewallWords([forwardWord("add", args)], args.zone, args.permanent));
    },
  ),
  remove_port_fwd: fun(
    "zone, src, dest, proto='tcp', dstaddr='', permanent=True",
    "Forwards a port no longer.\n\nsrc: the port\ndest, dstaddr: port and address to which it goes",
    "remove_port_fwd public 80 443 tcp",
    (context, args) => firewall(context, firewallWords([forwardWord("remove", args)], args.zone, args.permanent)),
  ),
  list_port_fwd: fun(
    "zone, permanent=True",
    "The ports that a zone forwards.",
    "list_port_fwd public",
    async (context, { zone, permanent }) =>
      parseForwards(await firewall(context, firewallWords(["--list-forward-ports"], zone, permanent))),
  ),
};

const REST: Record<string, ExecutionFunction> = {
  block_icmp: fun(
    "zone, icmp, permanent=True",
    "Blocks a kind of ICMP in a zone; false if there is no such kind.",
    "block_icmp zone echo-reply",
    (context, args) => icmp(context, args, true),
  ),
  allow_icmp: fun(
    "zone, icmp, permanent=True",
    "Blocks a kind of ICMP in a zone no longer; false if there is no such kind.",
    "allow_icmp zone echo-reply",
    (context, args) => icmp(context, args, false),
  ),
  list_icmp_block: listing("--list-icmp-blocks", "The kinds of ICMP that a zone blocks.", "list_icmp_block zone"),
  get_interfaces: listing("--list-interfaces", "The interfaces of a zone.", "get_interfaces zone"),
  add_interface: changing("add-interface", "interface", "Puts an interface into a zone.", "add_interface zone eth0"),
  remove_interface: changing(
    "remove-interface",
    "interface",
    "Takes an interface from a zone.",
    "remove_interface zone eth0",
  ),
  get_sources: listing("--list-sources", "The addresses that a zone is for.", "get_sources zone"),
  add_source: changing("add-source", "source", "Makes a zone be for addresses.", "add_source zone 192.168.1.0/24"),
  remove_source: changing(
    "remove-source",
    "source",
    "Makes a zone be for addresses no longer.",
    "remove_source zone 192.168.1.0/24",
  ),
  get_rich_rules: fun(
    "zone, permanent=True",
    "The rules of a zone in firewalld's own language.",
    "get_rich_rules zone",
    async (context, { zone, permanent }) =>
      splitLines(await firewall(context, firewallWords(["--list-rich-rules"], zone, permanent))),
  ),
  add_rich_rule: richRule("add", "Adds a rule to a zone."),
  remove_rich_rule: richRule("remove", "Removes a rule from a zone."),
};

/** Zones and services of firewalld. */
export const module: ExecutionModule = {
  virtual: (context) =>
    programPath(context, "firewall-cmd") === undefined
      ? {
        unavailable: "The firewalld execution module cannot be loaded: the firewall-cmd binary is not in the path.",
      }
      : true,
  functions: { ...GENERAL, ...SERVICES, ...PORTS, ...REST },
};
