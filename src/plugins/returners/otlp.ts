import { EventsRefused, type ReturnerModule } from "../../model/loader/family.ts";
import { isRecord } from "../../base/record.ts";
import { VERSION } from "../../base/version.ts";
import { headersOf, postAddress, postEvents } from "./http_post.ts";
import { toJson } from "./json.ts";
import { numberOption, returnerOptions } from "./options.ts";

const attribute = (key: string, value: unknown) => ({ key, value: { stringValue: String(value) } });

/** Fields of an event that become attributes, by which logs are looked for. */
const ATTRIBUTES: Record<string, string> = { id: "salt.minion", jid: "salt.jid", fun: "salt.fun", user: "salt.user" };

/** Nanoseconds since the epoch, as text. */
function nanoseconds(stamp: unknown, nowMs: number): string {
  const [, seconds, fraction = ""] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?$/.exec(String(stamp)) ?? [];
  const ms = seconds === undefined ? Math.floor(nowMs) : Date.parse(`${seconds}Z`);
  return `${BigInt(ms) * 1_000_000n + BigInt(seconds === undefined ? 0 : fraction.padEnd(9, "0"))}`;
}

/**
 * Sends the events of a master to an OpenTelemetry collector as logs, over OTLP/HTTP with JSON. Options: `otlp.endpoint`, by
 * default the collector on this host; `.headers`, `.resource_attributes`, maps; `.service_name`; `.timeout` in seconds.
 */
export const returner: ReturnerModule = {
  returner: () => Promise.reject(new TypeError("Cannot send returns to otlp: it takes the events of a master alone")),
  async eventReturn(context, { events }) {
    const options = returnerOptions(context, "otlp", {
      endpoint: "http://127.0.0.1:4318/v1/logs" as unknown,
      headers: undefined as unknown,
      service_name: "salt-master" as unknown,
      resource_attributes: undefined as unknown,
      timeout: 10 as unknown,
    });
    const { opts, runtime: { clock } } = context;
    const headers = headersOf(options.headers, undefined, "otlp.headers");
    const advice = "Cannot post events: set otlp.endpoint to an address that begins with http:// or https://";
    const url = postAddress(String(options.endpoint), headers, advice);
    const observedTimeUnixNano = nanoseconds(undefined, clock.now());
    const logRecords = events.map(({ id, tag, data }) => ({
      timeUnixNano: nanoseconds(data._stamp, clock.now()),
      observedTimeUnixNano,
      severityNumber: 9,
      severityText: "INFO",
      eventName: "salt.event",
      body: { stringValue: toJson(data) },
      attributes: [
        attribute("salt.tag", tag),
        attribute("salt.event_id", id),
        ...Object.entries(ATTRIBUTES).flatMap(([field, name]) =>
          typeof data[field] === "string" ? [attribute(name, data[field])] : []
        ),
      ],
    }));
    const resource = {
      attributes: [
        attribute("service.name", options.service_name),
        attribute("service.version", VERSION),
        attribute("service.instance.id", opts.id),
        ...Object.entries(isRecord(options.resource_attributes) ? options.resource_attributes : {})
          .map(([key, value]) => attribute(key, value)),
      ],
    };
    const scopeLogs = [{ scope: { name: "brine", version: VERSION }, logRecords }];
    await postEvents(context, url, {
      headers,
      body: JSON.stringify({ resourceLogs: [{ resource, scopeLogs }] }),
      timeoutMs: numberOption("otlp.timeout", options.timeout) * 1000,
      // Some of them may be refused in an answer that says yes.
      read: (text) => {
        const [, rejected = "0"] = /"rejectedLogRecords"\s*:\s*"?(\d+)/.exec(text) ?? [];
        if (Number(rejected) === 0) return;
        if (events.length === 1 || Number(rejected) === events.length) {
          throw new EventsRefused(`The collector refuses ${rejected} of ${events.length} events`);
        }
        context.log.warning("the OpenTelemetry collector refuses some events", { refused: Number(rejected) });
      },
    });
  },
};
