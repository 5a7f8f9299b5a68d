import type { EngineEvent, EngineModule } from "../../model/loader/engines.ts";
import { fnmatch } from "../../model/event/tag.ts";
import { str } from "../../language/python/values.ts";
import { eventJson, HttpOut } from "./sending.ts";

/**
 * Which events are posted: tags count where they are a list, functions where an event names one. As in Salt a text for `funs` chooses
 * whatever is a part of it.
 *
 * @see salt/engines/http_logstash.py start
 */
export function chosenEvents(tags: unknown, funs: unknown): (event: EngineEvent) => boolean {
  const globs = Array.isArray(tags) && tags.length > 0 ? tags.map((tag) => fnmatch(str(tag))) : undefined;
  const names = Array.isArray(funs) && funs.length > 0 ? new Set(funs.map(str)) : undefined;
  const isNamed = (fun: string) =>
    typeof funs === "string" && funs !== "" ? funs.includes(fun) : names?.has(fun) ?? true;
  return ({ tag, data }) =>
    (globs === undefined || globs.some((matches) => matches(tag))) &&
    (!("fun" in data) || isNamed(str(data.fun)));
}

/** Posts the data of events to a web server, as JSON. @see salt/engines/http_logstash.py */
export const engine: EngineModule = {
  signature: "url, funs=None, tags=None, headers=None",
  doc: "Posts the data of events to a web server, as JSON.",
  async start(engine, { url, funs, tags, headers }) {
    const out = new HttpOut(engine, url, headers);
    const isChosen = chosenEvents(tags, funs);
    for await (const event of engine.events()) if (isChosen(event)) await out.post(eventJson(event.data));
  },
};
