import { askProgram, fileText, type Grains, type GrainsContext, namesIn, pathExists, program } from "./source.ts";

function processors(context: GrainsContext): Grains {
  const text = fileText(context, "/proc/cpuinfo");
  const fields = text.split("\n").map((line): [string, string] => {
    const colon = line.indexOf(":");
    return colon < 0 ? [line.trim(), ""] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
  });
  const first = (...names: string[]) => fields.find(([name]) => names.includes(name))?.[1];
  const count = fields.filter(([name]) => name === "processor").length;
  const { host } = context.runtime;
  const flags = first("flags", "Features");
  return {
    num_cpus: count > 0 ? count : host.cpus().length,
    cpu_model: first("model name", "Processor", "cpu model") ?? host.cpus()[0]?.model ?? "Unknown",
    cpu_flags: flags === undefined || flags === "" ? [] : flags.split(/\s+/),
  };
}

/** Memory in MiB. */
function memory(context: GrainsContext): Grains {
  const text = fileText(context, "/proc/meminfo");
  const mebibytes = (name: string) => {
    const match = new RegExp(`^${name}:\\s*(\\d+) kB`, "m").exec(text);
    return match === null ? undefined : Math.floor(Number(match[1]) / 1024);
  };
  return {
    mem_total: mebibytes("MemTotal") ?? Math.floor(context.runtime.host.totalMemory() / 1024 / 1024),
    swap_total: mebibytes("SwapTotal") ?? 0,
  };
}

/** Grains read from the firmware's tables. */
const FIRMWARE: Record<string, string> = {
  biosversion: "bios_version",
  biosvendor: "bios_vendor",
  boardname: "board_name",
  productname: "product_name",
  manufacturer: "sys_vendor",
  biosreleasedate: "bios_date",
  uuid: "product_uuid",
  serialnumber: "product_serial",
};

function machine(context: GrainsContext): Grains {
  const grains: Grains = {};
  for (const [grain, file] of Object.entries(FIRMWARE)) {
    const path = `/sys/class/dmi/id/${file}`;
    const text = fileText(context, path).trim();
    // An empty file is a value, but not for these two: only root may read them, and unreadable files count as empty.
    if (text !== "" || pathExists(context, path) && file !== "product_uuid" && file !== "product_serial") {
      grains[grain] = grain === "uuid" ? text.toLowerCase() : text;
    }
  }
  const model = fileText(context, "/proc/device-tree/model").replaceAll("\0", "").trim();
  const serial = fileText(context, "/proc/device-tree/serial-number").replaceAll("\0", "").trim();
  if (model !== "") grains.productname ??= model;
  if (serial !== "") grains.serialnumber ??= serial;
  return grains;
}

/** Rotating disks and solid-state disks; virtual ones do not count. */
function disks(context: GrainsContext): Grains {
  const { fs } = context.runtime;
  const found = { disks: [] as string[], ssds: [] as string[] };
  for (const name of namesIn(context, "/sys/block")) {
    try {
      if (fs.readlink(`/sys/block/${name}`).startsWith("../devices/virtual/")) continue;
    } catch {
      continue;
    }
    const rotational = fileText(context, `/sys/block/${name}/queue/rotational`)[0];
    if (rotational === "0") found.ssds.push(name);
    if (rotational === "1") found.disks.push(name);
  }
  return found;
}

/** Vendors of graphics adapters, by PCI vendor id. */
const GPU_VENDORS: Record<string, string> = {
  "0x1002": "amd",
  "0x1013": "cirrus logic",
  "0x1022": "amd",
  "0x102b": "matrox",
  "0x10de": "nvidia",
  "0x15ad": "vmware",
  "0x1a03": "aspeed",
  "0x8086": "intel",
};

const PCI_NAMES = ["/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids"];

function gpus(context: GrainsContext): Grains {
  if (context.opts.enable_gpu_grains === false || context.opts.enable_lspci === false) return {};
  const devices = namesIn(context, "/sys/bus/pci/devices").map((name) => `/sys/bus/pci/devices/${name}`)
    // 0x03: display controllers; 0x12: processing accelerators.
    .filter((path) => /^0x(?:03|12)/.test(fileText(context, `${path}/class`)));
  if (devices.length === 0) return { num_gpus: 0, gpus: [] };
  const names = PCI_NAMES.map((path) => fileText(context, path)).find((text) => text !== "") ?? "";
  const list = devices.map((path) => {
    const vendor = fileText(context, `${path}/vendor`).trim();
    const device = fileText(context, `${path}/device`).trim();
    const known = Object.hasOwn(GPU_VENDORS, vendor) ? GPU_VENDORS[vendor]! : "unknown";
    return { vendor: known, model: deviceName(names, vendor, device) ?? device };
  });
  return { num_gpus: list.length, gpus: list };
}

/** Looks up a device in the list of PCI ids: below its vendor's line, indented by one tab. */
function deviceName(names: string, vendor: string, device: string): string | undefined {
  const start = names.indexOf(`\n${vendor.slice(2)}  `);
  if (start < 0) return undefined;
  for (const line of names.slice(start + 1).split("\n").slice(1)) {
    if (!line.startsWith("\t") && !line.startsWith("#")) return undefined;
    if (line.startsWith(`\t${device.slice(2)}  `)) return line.slice(7).trim();
  }
  return undefined;
}

function raids(context: GrainsContext): Grains {
  const text = fileText(context, "/proc/mdstat");
  if (text === "") return {};
  const names = text.split("\n").filter((line) => / : /.test(line) && !line.startsWith("Personalities"))
    .map((line) => line.split(" : ", 1)[0]!);
  return { mdadm: names.sort() };
}

async function volumes(context: GrainsContext): Promise<Grains> {
  const lvm = program(context, "lvm");
  if (lvm === undefined) return {};
  const groups: Record<string, string[]> = {};
  for (const line of (await askProgram(context, [lvm, "lvs", "-o", "vg_name,lv_name", "--noheadings"])).split("\n")) {
    const [group, volume] = line.trim().split(/\s+/);
    if (group !== undefined && volume !== undefined) (groups[group] ??= []).push(volume);
  }
  return { lvm: groups };
}

export async function hardware(context: GrainsContext): Promise<Grains> {
  return {
    ...processors(context),
    ...memory(context),
    ...machine(context),
    ...disks(context),
    ...gpus(context),
    ...raids(context),
    ...await volumes(context),
  };
}
