/** The bus of this host's minion, for functions of `salt-call`. */
import { deferred } from "../../../src/base/async/deferred.ts";
import type { MinionOpts } from "../../../src/model/config/minion_opts.ts";
import { type BusListener, type BusSender, listenBus, sendToBus } from "../../../src/model/event/bus_client.ts";
import type { MasterLink } from "../../../src/model/loader/context.ts";
import { localSockets } from "../../../src/host/minion/local_bus.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { eventStamp, packEvent } from "../../../src/protocol/wire/event_frame.ts";

/** What functions can do with the bus. If no minion is running, events are lost and requests get no answer. */
export interface MinionBus extends Pick<MasterLink, "fireLocal"> {
  askLocal: NonNullable<MasterLink["askLocal"]>;
  /** Resolves when the bus has received every event. */
  close(): Promise<void>;
}

/** Time between two events by which a new listener finds out that the bus has taken its connection, in milliseconds. */
const PROBE_MS = 50;

/** Connects to the bus when it is first used. */
export function minionBus(runtime: Runtime, opts: MinionOpts): MinionBus {
  const { net, clock, process } = runtime;
  let asked = 0;
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
      const answered = deferred<Record<string, unknown> | undefined>();
      // The bus may read an event, and answer it, before it takes a connection that was made earlier.
      const probe = `salt_call/${process.pid}/${++asked}`;
      let turn = deferred<void>();
      let isHeard = false;
      const heard = () => {
        isHeard = true;
        turn.resolve();
      };
      const gone = () => {
        answered.resolve(undefined);
        heard();
      };
      let listener: BusListener;
      try {
        listener = await listenBus(net, localSockets(runtime, opts, opts.id).pub, (event) => {
          if (event.tag === probe) heard();
          if (event.tag === answer) answered.resolve(event.data);
        }, gone);
      } catch {
        return undefined;
      }
      const cancel = clock.after(timeoutMs, gone);
      while (!isHeard) {
        turn = deferred<void>();
        const again = clock.after(PROBE_MS, turn.resolve);
        if (!await fire(probe, {})) gone();
        await turn.promise;
        again();
      }
      if (!await fire(tag, data)) gone();
      return await answered.promise.finally(() => {
        cancel();
        listener.close();
      });
    },
    close: async () => await (await sender)?.close(),
  };
}
