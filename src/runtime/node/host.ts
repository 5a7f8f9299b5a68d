import { lookup, lookupService } from "node:dns/promises";
import * as os from "node:os";
import process from "node:process";
import type { Host } from "../host.ts";

/** Facts of this machine, over `node:os` and the resolver. */
export function nodeHost(): Host {
  return {
    hostname: () => os.hostname(),
    machine: () => os.machine?.() ?? process.arch,
    kernelRelease: () => os.release(),
    kernelVersion: () => os.version(),
    cpus: () => os.cpus().map(({ model }) => ({ model })),
    totalMemory: () => os.totalmem(),
    interfaces: () =>
      Object.fromEntries(
        Object.entries(os.networkInterfaces()).map(([name, addresses = []]) => [
          name,
          addresses.map(({ family, address, netmask, cidr, internal, mac, ...rest }) => ({
            // Older runtimes say 4 and 6.
            family: String(family).includes("4") ? "IPv4" as const : "IPv6" as const,
            address,
            netmask,
            cidr,
            internal,
            mac,
            scopeid: (rest as { scopeid?: number }).scopeid,
          })),
        ]),
      ),
    async canonicalName() {
      try {
        const name = os.hostname();
        if (name.includes(".")) return name;
        const { address } = await lookup(name);
        return (await lookupService(address, 0)).hostname;
      } catch {
        // No resolver, no name: the caller has other sources.
        return undefined;
      }
    },
    user() {
      try {
        const { username, uid, gid, homedir } = os.userInfo();
        return { name: username, uid, gid, home: homedir };
      } catch {
        // A user number without an entry in the password file, as in many containers.
        const uid = process.getuid?.() ?? 0;
        return { name: uid === 0 ? "root" : String(uid), uid, gid: process.getgid?.() ?? 0, home: os.homedir() };
      }
    },
    runtimeVersion: () => ["node", process.versions.node],
  };
}
