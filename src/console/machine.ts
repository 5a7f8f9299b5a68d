/** Facts about the machine of a minion from its grains, for the fleet and minion pages. */

type Grains = Record<string, unknown> | undefined;

/** A text or number of grains; empty for anything else. */
export const factText = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

/** The first IPv4 address that is not a loopback address; empty if there is none. */
export function machineAddress(grains: Grains): string {
  for (const name of ["fqdn_ip4", "ipv4"]) {
    const list = grains?.[name];
    const found = Array.isArray(list)
      ? list.find((one) => typeof one === "string" && !one.startsWith("127."))
      : undefined;
    if (found !== undefined) return String(found);
  }
  return "";
}

/** Operating system and release: `Debian 12`. */
export const systemOf = (grains: Grains): string => `${factText(grains?.os)} ${factText(grains?.osrelease)}`.trim();

/** The program of the minion: `Brine 0.1.0`, or `Salt 3006.28`. */
export function programOf(grains: Grains): string {
  const brine = factText(grains?.brineversion);
  if (brine !== "") return `Brine ${brine}`;
  const salt = factText(grains?.saltversion);
  return salt === "" ? "" : `Salt ${salt}`;
}

/** Number of processors and architecture: `2 CPUs, x86_64`. */
function cpuOf(grains: Grains): string {
  const count = factText(grains?.num_cpus);
  return [count === "" ? "" : `${count} ${count === "1" ? "CPU" : "CPUs"}`, factText(grains?.cpuarch)]
    .filter((part) => part !== "").join(", ");
}

/** The text of a memory size in MiB, the unit of the grain: `23.5 GiB`. */
function memoryOf(mebibytes: unknown): string {
  const count = Number(mebibytes);
  if (mebibytes === undefined || !Number.isFinite(count)) return "";
  return count >= 1024 ? `${(count / 1024).toFixed(1).replace(/\.0$/, "")} GiB` : `${count} MiB`;
}

export function factsOf(grains: Grains): [string, string][] {
  const facts: [string, string][] = [
    ["System", systemOf(grains)],
    ["Kernel", `${factText(grains?.kernel)} ${factText(grains?.kernelrelease)}`.trim()],
    ["CPU", cpuOf(grains)],
    ["Memory", memoryOf(grains?.mem_total)],
    ["Address", machineAddress(grains)],
    ["Program", programOf(grains)],
  ];
  return facts.filter(([, value]) => value !== "");
}
