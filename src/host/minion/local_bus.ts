import type { MinionOpts } from "../../model/config/minion_opts.ts";
import { str } from "../../language/python/values.ts";
import { joinPath } from "../../base/paths.ts";
import { messageOf } from "../../base/errors.ts";
import { packageFraming } from "../../model/event/salt_framing.ts";
import { findSalt } from "../../model/loader/python/interpreter.ts";
import { once } from "../../base/async/deferred.ts";
import { EventBus } from "../../model/event/bus.ts";
import { serveBus } from "../../model/event/bus_server.ts";
import { ipcHash } from "../../protocol/crypto/hex.ts";
import type { Logger } from "../../base/log.ts";
import type { HashName } from "../../runtime/crypto.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { SocketAddress } from "../../runtime/net.ts";

/** The Unix sockets of a minion in `sock_dir`. */
export interface LocalSockets {
  /** Events of the bus come out here, and go in there: Salt's names. */
  pub: SocketAddress;
  pull: SocketAddress;
  jobs: SocketAddress;
}

/** The sockets of a minion: named by a hash of its id, so that several minions can share a directory. */
export function localSockets({ crypto }: Runtime, opts: MinionOpts, id: string): LocalSockets {
  const hash = ipcHash(crypto, str(opts.hash_id || id), opts.hash_type as HashName);
  const socket = (name: string) => ({ kind: "unix" as const, path: joinPath(opts.sock_dir, `${name}.ipc`) });
  return {
    pub: socket(`minion_event_${hash}_pub`),
    pull: socket(`minion_event_${hash}_pull`),
    jobs: socket(`minion_jobs_${hash}`),
  };
}

/** The minion's event bus, which programs on this host reach through its sockets. */
export async function openLocalBus(
  runtime: Runtime,
  { pub, pull }: LocalSockets,
  log: Logger,
  opts: Record<string, unknown> = {},
): Promise<{ bus: EventBus; close(): Promise<void> }> {
  const { clock, net, later, fs } = runtime;
  const bus = new EventBus(
    () => clock.now(),
    (error) => log.error("event listener failed", { error: messageOf(error) }),
  );
  // Python modules on this host listen by Salt's package.
  const framing = once(() => packageFraming(fs, log, findSalt(runtime, opts)));
  const server = await serveBus(bus, net, { pub, pull }, log.child("event"), {
    later: (call) => later(call),
    framing,
  });
  return { bus, close: () => server.close() };
}
