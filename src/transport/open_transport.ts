import type { Logger } from "../log.ts";
import type { Runtime } from "../runtime/mod.ts";
import { runtimeSockets } from "../zmtp/mod.ts";
import type { Transport } from "./transport.ts";

/** What a transport is opened with. */
export interface TransportOptions {
  runtime: Pick<Runtime, "net" | "clock" | "random" | "later">;
  log: Logger;
  /** The configuration of the master, minion or client. */
  opts: Record<string, unknown>;
}

/** Opens the transport that a configuration asks for. */
export function openTransport({ runtime, log }: TransportOptions): Transport {
  return runtimeSockets(runtime, log);
}
