import type { EngineModule } from "../../model/loader/engines.ts";
import { dumpJson } from "../../language/python/json_dump.ts";

/** Characters of an event that the log shows. */
const SHOWN = 2000;

/** Writes each event into the log of its host, at the level `debug`. */
export const engine: EngineModule = {
  signature: "",
  doc: "Writes each event into the log, as JSON, at the level debug.",
  async start({ events, log }) {
    for await (const { data } of events()) {
      if (log.enabled("debug")) log.debug("event", { data: dumpJson(data, { ensureAscii: false }).slice(0, SHOWN) });
    }
  },
};
