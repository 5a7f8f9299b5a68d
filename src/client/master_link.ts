import type { BusEvent } from "../model/event/bus.ts";

/** What the functions of a master are called through: {@link LocalClient} is one. */
export interface MasterLink {
  /** Rejects once the connection to the master is lost. */
  readonly lost: Promise<never>;
  /** Sends one clear command and returns the reply as it is. */
  send(load: Record<string, unknown>, options?: { timeoutMs?: number }): Promise<unknown>;
  /** Calls `listener` with every event of the master's bus from now on; the returned function ends that. */
  onEvent(listener: (event: BusEvent) => void): () => void;
}
