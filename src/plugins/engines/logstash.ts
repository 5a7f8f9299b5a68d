import { messageOf } from "../../base/errors.ts";
import type { EngineContext, EngineEvent, EngineModule } from "../../model/loader/engines.ts";
import { str } from "../../language/python/values.ts";
import { utf8 } from "../../protocol/wire/utf8.ts";
import { eventJson, Outgoing, tcpAddress } from "./sending.ts";

/** Fields of events that Python's library leaves out: they have names of the record's own. */
const LEFT_OUT = new Set(
  ("args asctime created exc_info exc_text filename funcName id levelname levelno lineno module msecs message msg name " +
    "pathname process processName relativeCreated thread threadName extra auth_token password stack_info").split(" "),
);
/** Bytes of a datagram at most. */
const MOST_UDP = 65_507;
/** For how long an address of a name is used. */
const LOOKED_UP_MS = 60_000;

/**
 * An event in the format of logstash, version 1, with the fields and in the order of the library `python-logstash`.
 *
 * @param tag the message of all events
 */
function logstashRecord(
  { data }: Pick<EngineEvent, "data">,
  { tag, host, nowMs }: { tag: string; host: string; nowMs: number },
): string {
  const fields = Object.entries(data).filter(([name]) => !LEFT_OUT.has(name));
  return eventJson({
    "@timestamp": new Date(nowMs).toISOString(),
    "@version": "1",
    message: tag,
    host,
    path: "salt/engines/logstash_engine.py",
    tags: [],
    type: "logstash",
    level: "INFO",
    logger_name: "python-logstash-logger",
    ...Object.fromEntries(fields),
  });
}

/** Sends datagrams; one that is too large, or that nobody takes, is counted. */
class Datagrams {
  readonly #engine: EngineContext;
  readonly #to: { host: string; port: number };
  #address: { text: string; atMs: number } | undefined;
  readonly #counts = { sent: 0, not_sent: 0 };

  constructor(engine: EngineContext, to: { host: string; port: number }) {
    this.#engine = engine;
    this.#to = to;
  }

  async send(bytes: Uint8Array): Promise<void> {
    const { runtime: { net }, log, report } = this.#engine;
    try {
      if (bytes.length > MOST_UDP) throw new RangeError(`it has ${bytes.length} bytes, a datagram at most ${MOST_UDP}`);
      await net.datagram({ host: await this.#lookedUp(), port: this.#to.port }, bytes);
      this.#counts.sent++;
    } catch (error) {
      this.#counts.not_sent++;
      log.warning("event not sent", { error: messageOf(error) });
    }
    report(this.#counts);
  }

  async #lookedUp(): Promise<string> {
    const { clock, host } = this.#engine.runtime;
    const { host: name } = this.#to;
    if (/^[\d.]+$|:/.test(name)) return name;
    if (this.#address === undefined || clock.elapsed() - this.#address.atMs > LOOKED_UP_MS) {
      const [text] = [...await host.addresses(name, 4), ...await host.addresses(name, 6)];
      if (text === undefined) throw new TypeError(`the name ${name} has no address`);
      this.#address = { text, atMs: clock.elapsed() };
    }
    return this.#address.text;
  }
}

/** Sends the data of each event to logstash, over UDP or TCP. @see salt/engines/logstash_engine.py */
export const engine: EngineModule = {
  signature: "host, port=5959, tag='salt/engine/logstash', proto='udp'",
  doc: "Sends the data of each event to logstash, over UDP or TCP.",
  async start(engine, { host, port, tag, proto }) {
    const { runtime, events } = engine;
    const to = tcpAddress(host, port);
    if (proto !== "udp" && proto !== "tcp") {
      throw new TypeError(`Cannot use ${str(proto)} as proto: expected udp or tcp`);
    }
    const out = proto === "tcp" ? new Outgoing(engine, to) : new Datagrams(engine, to);
    const end = proto === "tcp" ? "\n" : "";
    for await (const event of events()) {
      const about = { tag: str(tag), host: runtime.host.hostname(), nowMs: runtime.clock.now() };
      await out.send(utf8(logstashRecord(event, about) + end));
    }
  },
};
