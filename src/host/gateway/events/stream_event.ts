import type { BusEvent } from "../../../model/event/bus.ts";
import { json } from "../wire/json.ts";
import { withoutSecrets } from "./event_filter.ts";
import type { Audience } from "./event_sight.ts";

const encoder = new TextEncoder();

/** An event on its way to listeners. Its text and frames are made once and shared by all of them. */
export class StreamEvent {
  /** The number of the event within its hub, from 1. */
  readonly seq: number;
  readonly tag: string;
  readonly audience: Audience;
  readonly #event: BusEvent;
  readonly #frames = new Map<string, Uint8Array<ArrayBuffer>>();
  #text: string | undefined;

  constructor(seq: number, event: BusEvent, audience: Audience) {
    this.seq = seq;
    this.audience = audience;
    this.tag = event.tag;
    this.#event = event;
  }

  get data(): Record<string, unknown> {
    return this.#event.data;
  }

  /** The JSON text `{"data": …, "tag": …}`, without secrets. */
  get text(): string {
    return this.#text ??= json({ data: withoutSecrets(this.#event.data), tag: this.tag });
  }

  /** The server-sent event, with a `tag:` line for readers that filter by line. @param id the value of the `id:` line; `""` for none */
  frame(id: string): Uint8Array<ArrayBuffer> {
    let frame = this.#frames.get(id);
    if (frame === undefined) {
      // Clients choose tags, so a tag must not start a new line of the stream.
      const tag = this.tag.replace(/[\r\n]+/g, " ");
      const head = id === "" ? "" : `id: ${id}\n`;
      frame = encoder.encode(`${head}tag: ${tag}\ndata: ${this.text}\n\n`);
      this.#frames.set(id, frame);
    }
    return frame;
  }

  /** The minimum memory of the event in bytes, for the limit of the history. */
  get size(): number {
    return this.#event.bytes.length;
  }
}
