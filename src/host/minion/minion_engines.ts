import type { BusPaths } from "../../feature/engine/bus_link.ts";
import type { Engines } from "../../feature/engine/engines.ts";
import type { EventBus } from "../../model/event/bus.ts";
import type { LocalSockets } from "./local_bus.ts";
import type { Masters } from "./masters.ts";

interface MinionEnginesHost {
  id: string;
  bus: BusPaths;
  /** Their events go to its masters. */
  hasMaster: boolean;
}

/** Makes the engines of a minion, and what runs their processes. */
export type OpenEngines = (host: MinionEnginesHost) => { engines: Engines; close(): Promise<void> };

/** Starts the engines of a minion, which tell of themselves on its bus, and its masters under `salt/minion/<id>/engines/<name>`. */
export function openEngines(
  open: OpenEngines | undefined,
  { id, local, bus, masters, hasMaster }: {
    id: string;
    local: LocalSockets;
    bus: EventBus;
    masters: Masters;
    hasMaster: boolean;
  },
  stack: AsyncDisposableStack,
): Engines | undefined {
  if (open === undefined) return undefined;
  const path = (socket: LocalSockets["pub"]) => socket.kind === "unix" ? socket.path : "";
  const { engines, close } = open({ id, hasMaster, bus: { pub: path(local.pub), pull: path(local.pull) } });
  stack.defer(close);
  void engines.open((tag, data) => {
    bus.fire(tag, data);
    if (!hasMaster) return;
    const event = { tag: `salt/minion/${id}/engines/${String(data.name)}`, data: { id, ...data } };
    masters.sendToAll({ cmd: "_minion_event", pretag: null, events: [event] }).catch(() => {});
  });
  return engines;
}
