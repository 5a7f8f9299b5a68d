import type { RunnerContext } from "../../model/loader/family.ts";
import { codeOf } from "../../base/errors.ts";
import { str, truthy } from "../../language/python/values.ts";
import { tcpSockets } from "../linux/sockets.ts";

const ESTABLISHED = "01";

/** `127.0.0.1`, `::1` and their kin. */
const isLoopback = (address: string) => address.startsWith("127.") || address === "::1";

/**
 * The connected minions with their addresses. A Brine master knows them; beside a real one they are the minions whose cached
 * grains have an address that is connected to its publish port, as real Salt finds them.
 */
export async function connectedMinions(context: RunnerContext): Promise<Map<string, string>> {
  const { opts } = context;
  const found = await askedOf(context) ??
    byAddress(context, ({ local }) => local.port === Number(opts.publish_port));
  if (!truthy(opts.detect_remote_minions)) return found;
  // Minions that the master reaches, not the other way: over a tunnel of SSH.
  const reached = byAddress(context, ({ remote }) => remote.port === Number(opts.remote_minions_port));
  return new Map([...reached, ...found]);
}

/** What a Brine master answers; undefined if the master on this host is Salt's own. */
async function askedOf(context: RunnerContext): Promise<Map<string, string> | undefined> {
  try {
    const { connected } = await context.ask("connected", {}) as { connected: Record<string, string> };
    return new Map(Object.entries(connected).map(([id, address]) => [id, ownAddress(context, id, address)]));
  } catch (error) {
    if (codeOf(error) === "NOT_BRINE") return undefined;
    throw error;
  }
}

/** The address of a minion; for one on this host, which connects over the loopback, its address on the network. */
function ownAddress(context: RunnerContext, id: string, address: string): string {
  return isLoopback(address) ? addressesOf(context, id).find((one) => !isLoopback(one)) ?? address : address;
}

/** Addresses of a minion by its cached grains, IPv4 first. */
function addressesOf({ minions }: RunnerContext, id: string): string[] {
  const { ipv4, ipv6 } = minions.data(id)?.grains ?? {};
  return [ipv4, ipv6].flatMap((known) => Array.isArray(known) ? known.map(str) : []);
}

/** Minions by the remote addresses of connections of this host. @see salt/utils/minions.py connected_ids */
function byAddress(
  context: RunnerContext,
  counts: (socket: ReturnType<typeof tcpSockets>[number]) => boolean,
): Map<string, string> {
  const { runtime, minions } = context;
  const remote = new Set(
    tcpSockets(runtime.fs).filter((socket) => socket.state === ESTABLISHED && counts(socket))
      .map((socket) => socket.remote.address),
  );
  for (const [loopback, family] of [["127.0.0.1", "IPv4"], ["::1", "IPv6"]] as const) {
    if (!remote.delete(loopback)) continue;
    for (const entries of Object.values(runtime.host.interfaces())) {
      for (const entry of entries) if (entry.family === family && !isLoopback(entry.address)) remote.add(entry.address);
    }
  }
  const found = new Map<string, string>();
  for (const id of minions.ids()) {
    const address = addressesOf(context, id).find((one) => remote.has(one));
    if (address !== undefined) found.set(id, address);
  }
  return found;
}
