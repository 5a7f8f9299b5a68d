/** Reads the format `text/event-stream`, within bounds. */
import { ProtocolError } from "../../base/errors.ts";

export interface ServerSentEvent {
  /** The `event:` line of the message; `""` if there is none. */
  type: string;
  /** The last id, of this or an earlier message; `""` if there was none so far. */
  id: string;
  /** The `data:` lines of the message; undefined for a message that only sets the id. */
  data: string | undefined;
}

/** Cuts a text into lines, in whatever pieces it arrives; each byte is read once. */
class Lines {
  readonly #most: number;
  #parts: string[] = [];
  #size = 0;
  #skipNewline = false;

  constructor(most: number) {
    this.#most = most;
  }

  /** Adds text, and returns the complete lines. @throws {ProtocolError} for a line that is too long */
  *push(text: string): Generator<string> {
    let start = 0;
    if (this.#skipNewline && text.startsWith("\n")) start = 1;
    if (text !== "") this.#skipNewline = false;
    for (let at = start; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code !== 10 && code !== 13) continue;
      this.#keep(text.slice(start, at));
      const line = this.#parts.join("");
      this.#parts = [];
      this.#size = 0;
      if (code === 13) {
        if (at + 1 === text.length) this.#skipNewline = true;
        else if (text.charCodeAt(at + 1) === 10) at++;
      }
      start = at + 1;
      yield line;
    }
    this.#keep(text.slice(start));
  }

  #keep(part: string): void {
    if (part === "") return;
    this.#size += part.length;
    if (this.#size > this.#most) {
      throw new ProtocolError(`An event of the server has more than ${this.#most} characters: raise maxBytes`);
    }
    this.#parts.push(part);
  }
}

class Message {
  #type = "";
  #data: string[] = [];
  #size = 0;
  #id = "";
  #changed = false;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Adds a line; returns the message if the line ends it. */
  take(line: string): ServerSentEvent | undefined {
    if (line === "") return this.#end();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    switch (field) {
      case "event":
        this.#type = value;
        break;
      case "data":
        this.#size += value.length + 1;
        if (this.#size > this.#most) {
          throw new ProtocolError(`An event of the server has more than ${this.#most} characters: raise maxBytes`);
        }
        this.#data.push(value);
        break;
      case "id":
        if (!value.includes("\0") && value.length <= 256) this.#id = value;
        this.#changed = true;
    }
    return undefined;
  }

  #end(): ServerSentEvent | undefined {
    const data = this.#data.length > 0 ? this.#data.join("\n") : undefined;
    const message = data !== undefined || this.#changed ? { type: this.#type, id: this.#id, data } : undefined;
    this.#type = "";
    this.#data = [];
    this.#size = 0;
    this.#changed = false;
    return message;
  }
}

/**
 * The messages of a stream as they arrive; messages of one chunk together.
 *
 * @param most the most characters of one message
 * @param signal ends the stream
 * @throws {ProtocolError} for a longer message
 */
export async function* serverSentEvents(
  body: ReadableStream<Uint8Array>,
  most: number,
  signal: AbortSignal,
): AsyncGenerator<ServerSentEvent[]> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  const lines = new Lines(most);
  const message = new Message(most);
  // A host's own fetch may not end a body when the request is aborted.
  const cancel = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", cancel, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || signal.aborted) return;
      // Some hosts return an empty chunk for an empty body.
      if (value.length === 0) continue;
      const found: ServerSentEvent[] = [];
      for (const line of lines.push(decoder.decode(value, { stream: true }))) {
        const ended = message.take(line);
        if (ended !== undefined) found.push(ended);
      }
      yield found;
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}
