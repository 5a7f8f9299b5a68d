/** Raw facts about the machine: the source of the core grains. */

export interface InterfaceAddress {
  family: "IPv4" | "IPv6";
  address: string;
  netmask: string;
  /** The address with its prefix length, such as `"10.0.0.5/24"`, or null. */
  cidr: string | null;
  internal: boolean;
  mac: string;
  scopeid?: number | undefined;
}

/**
 * Facts of the machine and of this process's user.
 *
 * @internal
 */
export interface Host {
  hostname(): string;
  /** `"x86_64"`, as `uname -m` prints it. */
  machine(): string;
  /** Kernel: `uname -r` and `uname -v`. */
  kernelRelease(): string;
  kernelVersion(): string;
  cpus(): { model: string }[];
  /** The memory of the machine, in bytes. */
  totalMemory(): number;
  interfaces(): Record<string, InterfaceAddress[]>;
  /** The canonical name of this host from the resolver, or undefined. */
  canonicalName(): Promise<string | undefined>;
  /** Addresses of a name from the system's resolver, in its order; empty if it finds none. */
  addresses(name: string, family: 4 | 6): Promise<string[]>;
  /** The name, uid, gid and home directory of the current user. */
  user(): { name: string; uid: number; gid: number; home: string };
  /** Name and version of the runtime: `["node", "24.1.0"]`. */
  runtimeVersion(): [string, string];
}
