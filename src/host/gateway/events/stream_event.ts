import type { BusEvent } from "../../../model/event/bus.ts";
import { jsonAnswer } from "../wire/json.ts";
import type { Audience } from "./event_sight.ts";
import { fnmatch } from "../../../model/event/tag.ts";

/** A test of tags; undefined for a listener that wants every event. @param tag a glob */
export function tagFilter(tag: string | undefined): ((tag: string) => boolean) | undefined {
  return tag === undefined ? undefined : fnmatch(tag);
}

const MAKES_TOKENS = "runner.auth.mk_token";

/**
 * An event's data without secrets: the runner that makes tokens has a password among its arguments and a token as its return,
 * and every listener would see both.
 */
function withoutSecrets(data: Record<string, unknown>): Record<string, unknown> {
  if (data.fun !== MAKES_TOKENS) return data;
  const { return: made, fun_args: _, ...rest } = data;
  return { ...rest, fun_args: ["** hidden **"], ...(made === undefined ? {} : { return: "** hidden **" }) };
}

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
    return this.#text ??= jsonAnswer({ data: withoutSecrets(this.#event.data), tag: this.tag });
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
