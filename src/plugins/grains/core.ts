import type { GrainsFunction } from "../../loader/family.ts";
import { SALT_COMPAT, VERSION } from "../../version.ts";

/** The facts that every minion has. */
export const grains: GrainsFunction = ({ runtime }) => {
  const { host } = runtime;
  const name = host.hostname();
  return Promise.resolve({
    os: "Linux",
    os_family: "Linux",
    kernel: "Linux",
    kernelrelease: host.kernelRelease(),
    cpuarch: host.machine(),
    host: name.split(".", 1)[0],
    nodename: name,
    saltversion: SALT_COMPAT,
    brineversion: VERSION,
  });
};
