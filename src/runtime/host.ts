/** Raw facts about the machine: what the core grains are made of. */

export interface InterfaceAddress {
  family: "IPv4" | "IPv6";
  address: string;
  netmask: string;
  /** `"10.0.0.5/24"` or null. */
  cidr: string | null;
  internal: boolean;
  mac: string;
  scopeid?: number | undefined;
}

export interface Host {
  hostname(): string;
  /** `"x86_64"`, as `uname -m` says it. */
  machine(): string;
  /** Kernel: `uname -r` and `uname -v`. */
  kernelRelease(): string;
  kernelVersion(): string;
  cpus(): { model: string }[];
  /** Bytes. */
  totalMemory(): number;
  interfaces(): Record<string, InterfaceAddress[]>;
  /** The canonical name of this host as the resolver has it, or undefined. */
  canonicalName(): Promise<string | undefined>;
  /** Addresses of a name, as the resolver of the system has them, in its order; none if it knows of none. */
  addresses(name: string, family: 4 | 6): Promise<string[]>;
  /** The name, number, group and home of the user we are. */
  user(): { name: string; uid: number; gid: number; home: string };
  /** Name and version of the runtime: `["node", "24.1.0"]`. */
  runtimeVersion(): [string, string];
}
