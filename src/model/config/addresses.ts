/** Reads the options of addresses and connections into the form that sockets take. */

/**
 * The addresses that a master listens on, from the option `interface`, a text or a list; clients on the same host use the
 * first.
 */
export function interfacesOf(value: unknown): string[] {
  const named = [value].flat().map((one) => String(one).trim().replace(/^\[(.*)\]$/, "$1")).filter((one) => one !== "");
  return named.length === 0 ? ["0.0.0.0"] : [...new Set(named)];
}

/** The option `ipv6`: 6 prefers IPv6, 4 means IPv4 only, undefined leaves the order to the system. */
export function familyOf(value: unknown): 4 | 6 | undefined {
  return value === true ? 6 : value === false ? 4 : undefined;
}

/**
 * The options `tcp_keepalive` and `tcp_keepalive_idle`: seconds before the first probe; 0 for the system's default, false for
 * no keepalive.
 */
export function keepAliveOf(opts: { tcp_keepalive: boolean; tcp_keepalive_idle: number }): number | false {
  return opts.tcp_keepalive ? Math.max(0, opts.tcp_keepalive_idle) : false;
}
