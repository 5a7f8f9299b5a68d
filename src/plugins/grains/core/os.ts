import { tupleOf } from "../../../language/python/values.ts";
import { SALT_COMPAT, VERSION } from "../../../base/version.ts";
import { shellWords } from "../../linux/words.ts";
import { askOnce, fileText, type Grains, type GrainsContext, namesIn, pathExists, program } from "./source.ts";

/** Families of distributions, by the value of the grain `os`. A distribution that is not listed is its own family. */
const FAMILIES: Record<string, readonly string[]> = {
  Debian: [
    ..."AstraLinuxCE AstraLinuxSE Cumulus Deepin Devuan GCEL IDMS Kali Linaro Mendel Mint neon OSMC Pop".split(" "),
    ..."Raspbian Trisquel TurnKey Ubuntu Univention antiX elementary".split(" "),
    "elementary OS",
    "KDE neon",
    "Parrot OS",
  ],
  RedHat: [
    ..."ALT Alinux AlmaLinux AlterOS Amazon CentOS Chapeau CloudLinux FedBerry Fedora GoOSe Korora OEL OVS".split(" "),
    ..."RES Rocky Sangoma Scientific ScientificLinux XCP XCP-ng XenServer".split(" "),
    "CentOS Stream",
    "RED OS",
    "VMware Photon OS",
  ],
  Suse: [
    ..."SLED SLES SLES_SAP SUSE alfaLinux openSUSE".split(" "),
    "alfaLinux Rise",
    "openSUSE Leap",
    "openSUSE Tumbleweed",
    "SUSE Enterprise Server",
  ],
  Arch: ["Antergos", "Arch ARM", "EndeavourOS", "Manjaro", "Manjaro ARM"],
  Gentoo: ["Funtoo"],
  Mandriva: ["Mandrake"],
};

/** `ID` of os-release → the grain `os`, where Salt's name differs from the distribution's. */
const NAMES: Record<string, string> = {
  almalinux: "AlmaLinux",
  alpine: "Alpine",
  alt: "ALT",
  amzn: "Amazon",
  arch: "Arch",
  archarm: "Arch ARM",
  cloudlinux: "CloudLinux",
  debian: "Debian",
  fedora: "Fedora",
  gentoo: "Gentoo",
  linuxmint: "Mint",
  manjaro: "Manjaro",
  neon: "KDE neon",
  ol: "OEL",
  photon: "VMware Photon OS",
  pop: "Pop",
  raspbian: "Raspbian",
  rhel: "RedHat",
  rocky: "Rocky",
  scientific: "ScientificLinux",
  sles: "SUSE",
  sles_sap: "SUSE",
  ubuntu: "Ubuntu",
  univention: "Univention",
  void: "Void",
};

/** Words of `ID_LIKE` → family, for distributions that are not in the tables. */
const LIKE: Record<string, string> = {
  arch: "Arch",
  debian: "Debian",
  fedora: "RedHat",
  rhel: "RedHat",
  suse: "Suse",
  ubuntu: "Debian",
};

/** Parses shell assignments, as in os-release. */
function assignments(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const line of text.split("\n")) {
    const match = /^([A-Z][A-Z0-9_]*)=(.*)$/.exec(line.trim());
    if (match === null) continue;
    try {
      found[match[1]!] = shellWords(match[2]!).join(" ");
    } catch {
      // A line with an unclosed quote is ignored.
    }
  }
  return found;
}

/** The distribution, from os-release and lsb-release. */
function distribution(context: GrainsContext): Grains {
  const release = assignments(fileText(context, "/etc/os-release") || fileText(context, "/usr/lib/os-release"));
  const lsb = assignments(fileText(context, "/etc/lsb-release"));
  const id = release.ID ?? "";
  const name = release.NAME ?? lsb.DISTRIB_ID ?? "Linux";
  const version = release.VERSION_ID ?? lsb.DISTRIB_RELEASE ?? fileText(context, "/etc/debian_version").trim();
  const inVersion = /\(([^)]+)\)/.exec(release.VERSION ?? "")?.[1] ?? /, (.+)$/.exec(release.VERSION ?? "")?.[1];
  const codename = release.VERSION_CODENAME ?? lsb.DISTRIB_CODENAME ?? inVersion ?? "";
  const plainName = name.replace(/\W(?:gnu\/)?linux/i, "").trim();
  const os = Object.hasOwn(NAMES, id) ? NAMES[id]! : plainName;
  const family = Object.entries(FAMILIES).find(([, members]) => members.includes(os))?.[0];
  const like = (release.ID_LIKE ?? "").split(" ").find((word) => Object.hasOwn(LIKE, word));
  const info = tupleOf(version.split(".").map((part) => /^\d+$/.test(part) ? Number(part) : part));
  const finger = os === "Debian" || os === "Raspbian" ? os : name;
  return {
    os,
    os_family: family ??
      (Object.hasOwn(FAMILIES, os) || Object.hasOwn(NAMES, id) || like === undefined ? os : LIKE[like]),
    osfullname: name,
    oscodename: codename,
    osrelease: version,
    osrelease_info: info,
    ...(typeof info[0] === "number" ? { osmajorrelease: info[0] } : {}),
    osfinger: `${finger}-${os === "Ubuntu" || os === "Pop" ? version : info[0]}`,
    lsb_distrib_id: lsb.DISTRIB_ID ?? name,
    lsb_distrib_release: lsb.DISTRIB_RELEASE ?? version,
    lsb_distrib_codename: lsb.DISTRIB_CODENAME ?? codename,
    ...(lsb.DISTRIB_DESCRIPTION === undefined ? {} : { lsb_distrib_description: lsb.DISTRIB_DESCRIPTION }),
  };
}

/** Machine types → Debian's architecture names. */
const DEBIAN_ARCHITECTURES: Record<string, string> = {
  aarch64: "arm64",
  armv6l: "armhf",
  armv7l: "armhf",
  i386: "i386",
  i686: "i386",
  loongarch64: "loong64",
  ppc64le: "ppc64el",
  riscv64: "riscv64",
  s390x: "s390x",
  x86_64: "amd64",
};

function architecture(machine: string, family: unknown): string {
  return family === "Debian" && Object.hasOwn(DEBIAN_ARCHITECTURES, machine) ? DEBIAN_ARCHITECTURES[machine]! : machine;
}

/** Programs that are process 1 in containers → their value of the grain `init`. */
const SMALL_INITS: Record<string, string> = {
  "dumb-init": "dumb-init",
  my_init: "runit",
  runit: "runit",
  supervisord: "supervisord",
  tini: "tini",
};

function initSystem(context: GrainsContext): string {
  if (pathExists(context, "/run/systemd/system")) return "systemd";
  const words = fileText(context, "/proc/1/cmdline").split("\0").filter((word) => word !== "");
  const names = words.map((word) => word.slice(word.lastIndexOf("/") + 1));
  const small = names.find((name) => Object.hasOwn(SMALL_INITS, name));
  if (small !== undefined) return SMALL_INITS[small]!;
  if (names[0] !== "init") return "unknown";
  try {
    const { fs } = context.runtime;
    const path = fs.realpath(program(context, words[0]!) ?? "/sbin/init");
    if (path.endsWith("/systemd")) return "systemd";
    const text = new TextDecoder("latin1").decode(fs.readAt(path, 0, 4 * 1024 * 1024)).toLowerCase();
    return ["upstart", "sysvinit", "systemd"].find((name) => text.includes(name)) ?? "unknown";
  } catch {
    return "unknown";
  }
}

async function systemd(context: GrainsContext): Promise<Grains> {
  const systemctl = program(context, "systemctl");
  if (systemctl === undefined || program(context, "localectl") === undefined) return {};
  const [first = "", features = ""] = (await askOnce(context, "systemd.json", [systemctl, "--version"])).split("\n");
  const version = first.split(" ")[1];
  return version === undefined ? {} : { systemd: { version, features } };
}

function selinux(context: GrainsContext): Grains {
  if (program(context, "selinuxenabled") === undefined) return {};
  const enforce = fileText(context, "/sys/fs/selinux/enforce").trim();
  const enabled = enforce !== "";
  const enforced = enabled ? enforce === "1" ? "Enforcing" : "Permissive" : "Disabled";
  return { selinux: { enabled, enforced } };
}

/** The kernel parameters as pairs; a parameter without a value, or with more than one `=`, has null. */
function kernelParameters(context: GrainsContext): Grains {
  let words: string[];
  try {
    words = shellWords(fileText(context, "/proc/cmdline"));
  } catch {
    return {};
  }
  return {
    kernelparams: words.map((word) => {
      const parts = word.split("=");
      return [parts[0], parts.length === 2 ? parts[1]!.replace(/^"+|"+$/g, "") : null];
    }),
  };
}

function firmware(context: GrainsContext): Grains {
  const variables = ["/sys/firmware/efi/efivars", "/sys/firmware/efi/vars"].find((path) => pathExists(context, path));
  if (variables === undefined) return { efi: false, "efi-secure-boot": false };
  const name = namesIn(context, variables).find((entry) => entry.startsWith("SecureBoot-"));
  let secure = false;
  if (name !== undefined) {
    try {
      const path = variables.endsWith("efivars") ? `${variables}/${name}` : `${variables}/${name}/data`;
      secure = context.runtime.fs.read(path).at(-1) === 1;
    } catch {
      // Only root may read it.
    }
  }
  return { efi: true, "efi-secure-boot": secure };
}

function kernel(context: GrainsContext): Grains {
  const { host } = context.runtime;
  return {
    kernel: fileText(context, "/proc/sys/kernel/ostype").trim() || "Linux",
    kernelrelease: fileText(context, "/proc/sys/kernel/osrelease").trim() || host.kernelRelease(),
    kernelversion: fileText(context, "/proc/sys/kernel/version").trim() || host.kernelVersion(),
    cpuarch: host.machine(),
    ...kernelParameters(context),
  };
}

function versions(context: GrainsContext): Grains {
  const [name, version] = context.runtime.host.runtimeVersion();
  return {
    saltversion: SALT_COMPAT,
    saltversioninfo: SALT_COMPAT.split(".").map(Number),
    saltpath: new URL("../../..", import.meta.url).pathname.replace(/\/$/, ""),
    brineversion: VERSION,
    brineruntime: name,
    brineruntimeversion: version,
    // The version of the protocol, because no ZeroMQ library is used.
    zmqversion: "3.1",
  };
}

/** The software of the host: kernel, distribution, init system, Brine itself. */
export async function system(context: GrainsContext): Promise<Grains> {
  const distro = distribution(context);
  const zfs = pathExists(context, "/sys/module/zfs") && program(context, "zpool") !== undefined;
  return {
    ...kernel(context),
    ...await systemd(context),
    init: initSystem(context),
    ...selinux(context),
    ...distro,
    osarch: architecture(context.runtime.host.machine(), distro.os_family),
    ps: distro.os_family === "NILinuxRT" ? "ps -o user,pid,ppid,tty,time,comm" : "ps -efHww",
    ...firmware(context),
    transactional: program(context, "transactional-update") !== undefined,
    zfs_support: zfs,
    zfs_feature_flags: zfs,
    ...versions(context),
  };
}
