/** The bus of this host's minion, for functions of `salt-call`. */
import { SystemError } from "../../../src/base/errors.ts";
import type { MinionOpts } from "../../../src/model/config/minion_opts.ts";
import { askBus, type AskedBus } from "../../../src/model/event/ask_bus.ts";
import { type BusSender, listenBus, sendToBus } from "../../../src/model/event/bus_client.ts";
import type { MasterLink } from "../../../src/model/loader/family.ts";
import { localSockets } from "../../../src/host/minion/local_bus.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { eventStamp, packEvent } from "../../../src/protocol/wire/event_frame.ts";

/** What functions can do with the bus. If no minion is running, events are lost and requests get no answer. */
export interface MinionBus extends Pick<MasterLink, "fireLocal"> {
  askLocal: NonNullable<MasterLink["askLocal"]>;
  /** Resolves when the bus has received every event. */
  close(): Promise<void>;
}

/** Connects to the bus when it is first used. */
export function minionBus(runtime: Runtime, opts: MinionOpts): MinionBus {
  const { net, clock, process } = runtime;
  let questions = 0;
  let sender: Promise<BusSender | undefined> | undefined;
  const fire = async (tag: string, data: Record<string, unknown>): Promise<boolean> => {
    sender ??= sendToBus(net, localSockets(runtime, opts, opts.id).pull).catch(() => undefined);
    const bus = await sender;
    bus?.send(packEvent(tag, { ...data, _stamp: eventStamp(clock.now()) }));
    return bus !== undefined;
  };
  return {
    fireLocal: (tag, data) => void fire(tag, data),
    async askLocal(tag, data, answer, timeoutMs) {
      const asked: AskedBus = {
        clock,
        listen: (onEvent, onClose) => listenBus(net, localSockets(runtime, opts, opts.id).pub, onEvent, onClose),
        fire,
        probe: `salt_call/${process.pid}/${++questions}`,
      };
      try {
        return await askBus(asked, { tag, data, answer, timeoutMs });
      } catch (error) {
        if (error instanceof SystemError) return undefined;
        throw error;
      }
    },
    close: async () => await (await sender)?.close(),
  };
}
