import type { BusEvent } from "../model/event/bus.ts";

/** The connection through which functions of a master are called, such as {@link LocalClient}. */
export interface MasterLink {
  /** Rejects once the connection to the master is lost. */
  readonly lost: Promise<never>;
  /** Sends one clear command and returns the reply unchanged. */
  send(load: Record<string, unknown>, options?: { timeoutMs?: number }): Promise<unknown>;
  /** Calls `listener` with every event of the master's bus from now on; the returned function removes the listener. */
  onEvent(listener: (event: BusEvent) => void): () => void;
}
