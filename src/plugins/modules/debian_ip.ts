import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { executionFunctions, SaltInvocationError } from "../../model/loader/family.ts";
import { dirname, normpath } from "../../language/python/posixpath.ts";
import { str, truthy } from "../../language/python/values.ts";
import { splitLinesKeepEnds } from "../../language/python/text.ts";
import { programPath, run } from "../commands.ts";
import { isDirectory } from "../linux/paths.ts";
import { bondOptions, bondText } from "./debian_ip/bonding.ts";
import { interfaceName, type InterfaceSettings, refuseLines, wrongOption } from "./debian_ip/errors.ts";
import type { Interface } from "./debian_ip/interfaces_file.ts";
import {
  DIRECTORY,
  FILE,
  interfaceLines,
  interfaceText,
  readInterfaces,
  sourceText,
} from "./debian_ip/interfaces_file.ts";
import { applySettings, buildSettings, fileLines, getSettings } from "./debian_ip/network_settings.ts";
import { providerText } from "./debian_ip/pppoe.ts";
import { buildRoutes, getRoutes } from "./debian_ip/routes.ts";
import { interfaceOf, providerOf } from "./debian_ip/settings.ts";
import { replaceContent } from "../host_files.ts";
import { ownKeywords } from "../keywords.ts";

const KINDS = ["eth", "bond", "alias", "clone", "ipsec", "dialup", "bridge", "slave", "vlan", "pppoe", "source"];
/** Kinds that the file can have. */
const WRITTEN = ["eth", "bond", "bridge", "slave", "vlan", "pppoe", "source"];
/** Interfaces of these are controlled by others. */
const NOT_SWITCHED = ["slave", "source"];

const NEEDED: Readonly<Record<string, [setting: string, interfaces: string]>> = {
  slave: ["master", "slave interfaces"],
  bond: ["slaves", "bond interfaces"],
  bridge: ["ports", "bridge interfaces on Debian or Ubuntu based systems"],
  source: ["source", "files that are read, too"],
};

/** The package with what a kind needs of programs. */
const PACKAGES: Readonly<Record<string, string>> = { vlan: "vlan", pppoe: "ppp", bridge: "bridge-utils" };

function write({ runtime: { fs } }: JobContext, path: string, text: string): void {
  if (!isDirectory(fs, dirname(path))) throw new SaltInvocationError(`${dirname(path)} cannot be written.`);
  replaceContent({ fs }, path, text);
}

/** Where an interface is written: the file of all, or one of its own. */
function fileFor(settings: InterfaceSettings): string {
  if (!("filename" in settings)) return FILE;
  const name = str(settings.filename);
  if (name.startsWith("/")) return name;
  const path = normpath(`${DIRECTORY}/${name}`);
  if (dirname(path) === DIRECTORY && name !== "") return path;
  throw new SaltInvocationError(`Cannot write "${name}": expected the name of a file in ${DIRECTORY}, or a whole path`);
}

const textOf = (name: string, iface: Interface): string =>
  iface.type === "source" ? sourceText(iface) : interfaceText(name, iface);

/** Writes an interface among the others, or into a file of its own. */
function save(context: JobContext, name: string, iface: Interface, settings: InterfaceSettings): string {
  const own = textOf(name, iface);
  const path = fileFor(settings);
  if ("filename" in settings) write(context, path, own);
  else {
    const all = readInterfaces(context).set(name, iface);
    write(context, path, [...all].map(([one, other]) => textOf(one, other)).join(""));
  }
  if (iface.type === "pppoe") {
    const text = providerText(iface.data?.inet ?? {});
    replaceContent(context.runtime, `/etc/ppp/peers/${providerOf(iface)}`, text, { mode: 0o640 });
  }
  return own;
}

const bondFile = (iface: unknown): string => `/etc/modprobe.d/${interfaceName(iface)}.conf`;

async function change(context: JobContext, program: string, { iface, iface_type: kind }: Record<string, unknown>) {
  if (NOT_SWITCHED.includes(str(kind))) return null;
  return await run(context, [program, interfaceName(iface)]);
}

const NAME = "\n\niface: its name, such as eth0";
const KIND = "\niface_type: eth, bond, bridge, slave, vlan, pppoe or source";

/** The files of network interfaces, of Debian and its relatives. */
export const module: ExecutionModule = {
  virtual(context) {
    if (context.grains.os_family !== "Debian") {
      return { unavailable: "The debian_ip module could not be loaded: unsupported OS family" };
    }
    const netplan = programPath(context, "netplan") !== undefined && isDirectory(context.runtime.fs, "/etc/netplan");
    return netplan ? { unavailable: "The debian_ip module is not loaded: netplan is the active renderer" } : true;
  },
  functions: executionFunctions({
    "get_interface(iface)": {
      doc: `What the files say of an interface, as lines.\n\n    salt '*' ip.get_interface eth0${NAME}`,
      run(context, { iface: given }): string[] {
        const name = str(given);
        const iface = readInterfaces(context).get(name);
        if (iface === undefined) return [];
        return interfaceLines(name === "source" ? sourceText(iface) : interfaceText(name, iface));
      },
    },
    "build_interface(iface, iface_type: str, enabled, **settings)": {
      doc: "Writes an interface into the file, and returns its lines; with test=True it only returns them.\n\n" +
        `    salt '*' ip.build_interface eth0 eth True proto=static ipaddr=10.0.0.5 netmask=24${NAME}${KIND}\n` +
        "enabled: bring it up when the system starts",
      async run(context, args): Promise<string[]> {
        const name = interfaceName(args.iface);
        const kind = args.iface_type.toLowerCase();
        const settings = args.settings;
        if (!KINDS.includes(kind)) throw wrongOption(name, kind, KINDS);
        if (!WRITTEN.includes(kind)) {
          throw new SaltInvocationError(
            `Cannot write an interface of the type ${kind}: expected one of ${WRITTEN.join(", ")}`,
          );
        }
        const [needed, interfaces] = NEEDED[kind] ?? [];
        if (needed !== undefined && !(needed in settings)) {
          throw new SaltInvocationError(`${needed} is a required setting for ${interfaces}`);
        }
        const given = ownKeywords(settings);
        refuseLines(given);
        const dry = truthy(given.test ?? false);
        const iface: Interface = kind === "source"
          ? { type: kind, data: { sources: [given.source] } }
          : interfaceOf(context, name, kind, args.enabled, given);
        if (kind === "pppoe") providerOf(iface);
        if (dry) return interfaceLines(textOf(name, iface));
        if (kind in PACKAGES) await context.call("pkg.install", [PACKAGES[kind]]);
        return interfaceLines(save(context, name, iface, given));
      },
    },
    "get_bond(iface)": {
      doc:
        `The lines of the file for the kernel's module of a bonded interface.\n\n    salt '*' ip.get_bond bond0${NAME}`,
      run: (context, { iface }) => fileLines(context, bondFile(iface)),
    },
    "build_bond(iface, **settings)": {
      doc: "Writes the file for the kernel's module of a bonded interface.\n\n" +
        `    salt '*' ip.build_bond bond0 mode=balance-alb${NAME}`,
      async run(context, { iface, settings: given }): Promise<string[] | ""> {
        const settings = given;
        refuseLines(settings);
        const text = bondText(interfaceName(iface), bondOptions(context, settings, interfaceName(iface)));
        if (truthy(settings.test ?? false)) return splitLinesKeepEnds(text);
        write(context, bondFile(iface), text);
        await context.call("kmod.load", ["bonding"]);
        await context.call("pkg.install", ["ifenslave"]);
        return fileLines(context, bondFile(iface));
      },
    },
    "get_routes(iface)": {
      doc: `The lines of the scripts for routes of an interface.\n\n    salt '*' ip.get_routes eth0${NAME}`,
      run: (context, { iface }) => getRoutes(context, iface),
    },
    "build_routes(iface, **settings)": {
      doc: "Writes the scripts for routes of an interface.\n\n" +
        "    salt '*' ip.build_routes eth0 routes='[{ipaddr: 10.1.0.0, netmask: 16, gateway: 10.0.0.1}]'" + NAME,
      run: (context, { iface, settings }) => buildRoutes(context, iface, settings),
    },
    get_network_settings: getSettings,
    "build_network_settings(**settings)": {
      doc: "Sets them.\n\n    salt '*' ip.build_network_settings enabled=True hostname=web1.example.com",
      run: (context, { settings }) => buildSettings(context, settings),
    },
    "apply_network_settings(**settings)": {
      doc: "Makes them hold: stops and starts the network, unless require_reboot=True.\n\n" +
        "    salt '*' ip.apply_network_settings",
      run: (context, { settings }) => applySettings(context, settings),
    },
    "up(iface, iface_type)": {
      doc: `Brings an interface up.\n\n    salt '*' ip.up eth0 eth${NAME}${KIND}`,
      run: (context, args) => change(context, "ifup", args),
    },
    "down(iface, iface_type)": {
      doc: `Takes an interface down.\n\n    salt '*' ip.down eth0 eth${NAME}${KIND}`,
      run: (context, args) => change(context, "ifdown", args),
    },
  }),
};
