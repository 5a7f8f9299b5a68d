import { deferred } from "../../base/async/deferred.ts";
import type { Clock } from "../../base/async/clock.ts";
import type { BusEvent, EventData } from "./bus.ts";
import type { BusListener } from "./bus_client.ts";

/** A bus of another process, on which a program asks. */
export interface AskedBus {
  clock: Clock;
  /** Connects a listener. @throws {SystemError} if no process serves the bus */
  listen(onEvent: (event: BusEvent) => void, onClose: () => void): Promise<BusListener>;
  /** Fires an event; false if no process takes it. */
  fire(tag: string, data: EventData): Promise<boolean>;
  /**
   * Tag of an event that only this listener waits for: it shows that the bus has taken the connection.
   * @default none: `listen` resolves when the bus has taken the connection
   */
  probe?: string;
}

interface Question {
  tag: string;
  data: EventData;
  answer: string;
  timeoutMs: number;
}

/** Milliseconds between two probes: a bus takes a connection within a turn of its loop. */
const PROBE_MS = 50;

/**
 * Asks by an event, and waits for the answer, which is an event too. The question is sent when the bus has taken the listener's
 * connection: a bus can read an event, and answer it, before it takes a connection that was made earlier.
 *
 * @returns the data of the answer; undefined if none comes in time, or if the bus goes away
 * @throws {SystemError} if no process serves the bus
 */
export async function askBus(
  { clock, listen, fire, probe }: AskedBus,
  { tag, data, answer, timeoutMs }: Question,
): Promise<EventData | undefined> {
  const answered = deferred<EventData | undefined>();
  let turn = deferred<void>();
  let isTaken = probe === undefined;
  const taken = () => {
    isTaken = true;
    turn.resolve();
  };
  const gone = () => {
    answered.resolve(undefined);
    taken();
  };
  const listener = await listen((event) => {
    if (event.tag === probe) taken();
    if (event.tag === answer) answered.resolve(event.data);
  }, gone);
  const cancel = clock.after(timeoutMs, gone);
  try {
    while (!isTaken) {
      turn = deferred<void>();
      const again = clock.after(PROBE_MS, turn.resolve);
      if (!await fire(probe!, {})) gone();
      await turn.promise;
      again();
    }
    if (!await fire(tag, data)) gone();
    return await answered.promise;
  } finally {
    cancel();
    listener.close();
  }
}
