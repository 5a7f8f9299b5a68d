/** Options of addresses, and of how connections are made, as sockets take them. */

/** The addresses that a master listens on: the option `interface`, one or a list; the first is that of clients on its host. */
export function interfacesOf(value: unknown): string[] {
  const named = [value].flat().map((one) => String(one).trim().replace(/^\[(.*)\]$/, "$1")).filter((one) => one !== "");
  return named.length === 0 ? ["0.0.0.0"] : [...new Set(named)];
}

/** The option `ipv6`: IPv6 first, IPv4 alone, or as the system orders addresses. */
export function familyOf(value: unknown): 4 | 6 | undefined {
  return value === true ? 6 : value === false ? 4 : undefined;
}

/** The options `tcp_keepalive` and `tcp_keepalive_idle`: seconds before the first probe, 0 as the system has it, false for none. */
export function keepAliveOf(opts: { tcp_keepalive: boolean; tcp_keepalive_idle: number }): number | false {
  return opts.tcp_keepalive ? Math.max(0, opts.tcp_keepalive_idle) : false;
}
