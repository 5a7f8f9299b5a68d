import type { Host } from "../host.ts";
import { builtin } from "./builtin.ts";

const { readFileSync } = builtin("node:fs");
const os = builtin("node:os");
/** The resolver, loaded at its first use: few programs need it. */
const resolver = () => builtin("node:dns/promises");

/** The entry of a user number in the password file; containers often have none. */
function passwordEntry(uid: number): { name: string; home: string } | undefined {
  let text: string;
  try {
    text = readFileSync("/etc/passwd", "utf8");
  } catch {
    return undefined;
  }
  return entryIn(text, uid);
}

function entryIn(text: string, uid: number): { name: string; home: string } | undefined {
  for (const line of text.split("\n")) {
    const [name, , number, , , home] = line.split(":");
    if (number === String(uid) && name !== undefined && home !== undefined) return { name, home };
  }
  return undefined;
}

/** The entry of a user number in other sources than the password file, such as LDAP. */
function entryElsewhere(uid: number): { name: string; home: string } | undefined {
  const { stdout } = builtin("node:child_process").spawnSync("getent", ["passwd", String(uid)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    timeout: 30_000,
  });
  return entryIn(stdout ?? "", uid);
}

/** Facts of this machine, over `node:os` and the resolver. */
export function nodeHost(): Host {
  const elsewhere = new Map<number, ReturnType<typeof entryElsewhere>>();
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
            // Older runtimes return the family as 4 and 6.
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
        const { lookup, lookupService } = resolver();
        const { address } = await lookup(name);
        return (await lookupService(address, 0)).hostname;
      } catch {
        // Without a resolver there is no name: the caller has other sources.
        return undefined;
      }
    },
    async addresses(name, family) {
      try {
        return (await resolver().lookup(name, { family, all: true, verbatim: true })).map(({ address }) => address);
      } catch {
        // The name is unknown or there is no resolver: the caller cannot do anything about either.
        return [];
      }
    },
    user() {
      const uid = process.getuid?.() ?? 0;
      const gid = process.getgid?.() ?? 0;
      // Not os.userInfo(): Bun reads the name from the environment, which a service manager does not set.
      let entry = passwordEntry(uid);
      if (entry === undefined) {
        if (!elsewhere.has(uid)) elsewhere.set(uid, entryElsewhere(uid));
        entry = elsewhere.get(uid);
      }
      return { name: entry?.name ?? (uid === 0 ? "root" : String(uid)), uid, gid, home: entry?.home ?? os.homedir() };
    },
    runtimeVersion: () => ["node", process.versions.node],
  };
}
