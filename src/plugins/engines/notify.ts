import { fnmatch } from "../../model/event/tag.ts";
import type { EngineContext, EngineEvent, EngineModule } from "../../model/loader/engines.ts";
import { entriesOf, isMap, lookup, str } from "../../language/python/values.ts";
import { eventJson, HttpOut } from "./sending.ts";

/** Lines of one message, and characters of each; what is more is counted. */
const MOST_LINES = 20;
const LONGEST_LINE = 500;

/** The text of an event: `{tag}`, `{data}` and `{data.path.to.a.value}` stand for what they name. */
export function eventText(template: string, { tag, data }: EngineEvent): string {
  const text = template.replace(/\{(tag|data)((?:\.[\w-]+)*)\}/g, (whole, what: string, path: string) => {
    if (what === "tag") return path === "" ? tag : whole;
    let value: unknown = data;
    for (const name of path.split(".").slice(1)) value = isMap(value) ? lookup(value, name) : undefined;
    return value === undefined ? "" : typeof value === "object" && value !== null ? eventJson(value) : str(value);
  });
  return text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE - 1)}…` : text;
}

function hasFields(where: unknown): (data: Record<string, unknown>) => boolean {
  if (!isMap(where)) return () => true;
  const wanted = entriesOf(where).map(([name, values]) => [str(name), new Set([values].flat().map(str))] as const);
  return (data) => wanted.every(([name, values]) => data[name] !== undefined && values.has(str(data[name])));
}

/** Collects lines while a message is under way or has been a moment ago. */
class Messages {
  readonly #engine: EngineContext;
  readonly #send: (text: string) => Promise<unknown>;
  readonly #everyMs: number;
  #lines: string[] = [];
  #more = 0;
  #running: Promise<void> | undefined;

  constructor(engine: EngineContext, everyMs: number, send: (text: string) => Promise<unknown>) {
    this.#engine = engine;
    this.#everyMs = everyMs;
    this.#send = send;
  }

  add(line: string): void {
    if (this.#lines.length < MOST_LINES) this.#lines.push(line);
    else this.#more++;
    this.#running ??= this.#run().finally(() => this.#running = undefined);
  }

  async #run(): Promise<void> {
    const { runtime: { clock }, signal } = this.#engine;
    while (this.#lines.length > 0 && !signal.aborted) {
      const more = this.#more === 0 ? [] : [`… and ${this.#more} more`];
      const text = [...this.#lines, ...more].join("\n");
      [this.#lines, this.#more] = [[], 0];
      await this.#send(text);
      await clock.sleep(this.#everyMs, signal).catch(() => {});
    }
  }
}

/** Tells a chat, or another web server, of events: an incoming webhook of Slack, Mattermost, Teams, Discord and the like. */
export const engine: EngineModule = {
  signature: "url, tags, text='{tag} {data}', where=None, field='text', extra=None, every=1, headers=None",
  doc: "Tells a chat of events, by an incoming webhook: Slack, Mattermost, Discord and the like.",
  async start(engine, { url, tags, text, where, field, extra, every, headers }) {
    const out = new HttpOut(engine, url, headers);
    const globs = [tags].flat().map((tag: unknown) => fnmatch(str(tag)));
    const isWanted = hasFields(where);
    const more = isMap(extra) ? Object.fromEntries(entriesOf(extra).map(([key, value]) => [str(key), value])) : {};
    const seconds = Number(every);
    if (!(seconds >= 0)) throw new TypeError(`Cannot use ${str(every)} as every: expected a number of seconds`);
    const messages = new Messages(
      engine,
      Math.max(0.1, seconds) * 1000,
      (message) => out.post(eventJson({ ...more, [str(field)]: message })),
    );
    for await (const event of engine.events((tag) => globs.some((matches) => matches(tag)))) {
      if (isWanted(event.data)) messages.add(eventText(str(text), event));
    }
  },
};
