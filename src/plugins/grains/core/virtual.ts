import { askProgram, fileText, type Grains, type GrainsContext, pathExists, program } from "./source.ts";

interface Kind {
  virtual: string;
  virtual_subtype?: string;
}

/** Patterns in the firmware of virtual machines → the hypervisor. The first match counts. */
const MACHINES: [pattern: RegExp, kind: Kind][] = [
  [/VirtualBox|innotek/, { virtual: "VirtualBox" }],
  [/VMware/, { virtual: "VMware" }],
  [/RHEV Hypervisor/, { virtual: "kvm", virtual_subtype: "rhev" }],
  [/oVirt/, { virtual: "kvm", virtual_subtype: "ovirt" }],
  [/Google/, { virtual: "gce" }],
  [/Amazon EC2/, { virtual: "Nitro", virtual_subtype: "Amazon EC2" }],
  [/HVM domU/, { virtual: "xen", virtual_subtype: "Xen HVM DomU" }],
  [/BHYVE/i, { virtual: "bhyve" }],
  [/Parallels/, { virtual: "Parallels" }],
  [/Microsoft[^]*Virtual Machine/, { virtual: "VirtualPC" }],
  [/QEMU|KVM|OpenStack|SeaBIOS|Bochs/, { virtual: "kvm" }],
];

/** Detects a container by a file, or a word in the environment or control group of process 1. */
function container(context: GrainsContext): Kind | undefined {
  const named = /(?:^|\0)container=([^\0]*)/.exec(fileText(context, "/proc/1/environ"))?.[1] ??
    fileText(context, "/run/systemd/container").trim();
  const groups = fileText(context, "/proc/1/cgroup");
  if (pathExists(context, "/run/.containerenv") || named === "podman" || groups.includes(":/libpod_parent/")) {
    return { virtual: "container", virtual_subtype: "Podman" };
  }
  if (named.startsWith("lxc") || groups.includes(":/lxc/")) return { virtual: "container", virtual_subtype: "LXC" };
  if (named === "systemd-nspawn") return { virtual: "systemd-nspawn" };
  if (groups.includes(":/kubepods")) return { virtual: "container", virtual_subtype: "kubernetes" };
  const docker = /:\/(?:system\.slice\/docker|docker\/|docker-ce\/)/.test(groups);
  if (docker || named === "docker" || pathExists(context, "/.dockerenv")) {
    return { virtual: "container", virtual_subtype: "Docker" };
  }
  return undefined;
}

function openvz(context: GrainsContext): Kind | undefined {
  const environment = /^envID:\s+(\d+)$/m.exec(fileText(context, "/proc/self/status"))?.[1];
  if (environment !== undefined) return { virtual: environment === "0" ? "openvzhn" : "openvzve" };
  if (pathExists(context, "/proc/vz/version")) return { virtual: "openvzhn" };
  return pathExists(context, "/proc/vz/veinfo") ? { virtual: "openvzve" } : undefined;
}

function xen(context: GrainsContext): Kind | undefined {
  if (!["/proc/sys/xen", "/sys/bus/xen", "/proc/xen"].some((path) => pathExists(context, path))) return undefined;
  if (pathExists(context, "/proc/xen/xsd_kva")) return { virtual: "xen", virtual_subtype: "Xen Dom0" };
  const capabilities = fileText(context, "/proc/xen/capabilities");
  if (capabilities.includes("control_d")) return { virtual: "xen", virtual_subtype: "Xen Dom0" };
  const isGuest = pathExists(context, "/proc/xen/capabilities") ||
    pathExists(context, "/sys/bus/xen/drivers/xenconsole");
  return isGuest ? { virtual: "xen", virtual_subtype: "Xen PV DomU" } : undefined;
}

function firmware(context: GrainsContext): Kind | undefined {
  const text = ["sys_vendor", "product_name", "bios_vendor", "board_vendor"]
    .map((file) => fileText(context, `/sys/class/dmi/id/${file}`)).join("\n");
  return MACHINES.find(([pattern]) => pattern.test(text))?.[1];
}

/** Detects a hypervisor that leaves no other traces: a processor instruction shows it, which a program has to run. */
async function hypervisor(context: GrainsContext): Promise<Kind | undefined> {
  const processors = fileText(context, "/proc/cpuinfo");
  if (processors.includes("QEMU Virtual CPU")) return { virtual: "kvm" };
  const detector = program(context, "systemd-detect-virt");
  if (detector === undefined || !/^(?:flags|Features)\s*:.*\bhypervisor\b/m.test(processors)) return undefined;
  const word = (await askProgram(context, [detector, "--vm"])).trim();
  return /^[a-z0-9-]+$/.test(word) && word !== "none" ? { virtual: word } : undefined;
}

/** The hypervisor or container that the host runs in; `physical` if none is found. */
export async function virtualization(context: GrainsContext): Promise<Grains> {
  const kind = container(context) ?? openvz(context) ?? firmware(context) ?? xen(context) ?? await hypervisor(context);
  return { ...(kind ?? { virtual: "physical" }) };
}
