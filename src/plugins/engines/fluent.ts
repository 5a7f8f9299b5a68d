import type { EngineModule } from "../../model/loader/engines.ts";
import { str } from "../../language/python/values.ts";
import { encode } from "../../protocol/wire/msgpack.ts";
import { Outgoing, tcpAddress } from "./sending.ts";

/** One message of the forward protocol: tag, seconds since the epoch, data. */
function fluentMessage(app: string, nowMs: number, data: Record<string, unknown>): Uint8Array {
  return encode([app === "" ? "saltstack" : `saltstack.${app}`, Math.floor(nowMs / 1000), data], "bin");
}

/** Sends the data of each event to fluentd or Fluent Bit, by their forward protocol. @see salt/engines/fluent.py */
export const engine: EngineModule = {
  signature: "host='localhost', port=24224, app='engine'",
  doc: "Sends the data of each event to fluentd or Fluent Bit, by their forward protocol.",
  async start(engine, { host, port, app }) {
    const { clock } = engine.runtime;
    const name = str(host);
    const to = name.startsWith("unix://")
      ? { kind: "unix" as const, path: name.slice("unix://".length) }
      : tcpAddress(host, port);
    const out = new Outgoing(engine, to);
    for await (const { data } of engine.events()) await out.send(fluentMessage(str(app), clock.now(), data));
  },
};
