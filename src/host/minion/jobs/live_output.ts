import type { Clock } from "../../../base/async/clock.ts";
import { type Deferred, deferred } from "../../../base/async/deferred.ts";
import type { OutputStream } from "../../../model/loader/family.ts";

/** One event of live output: what a command printed, in order of `seq`. */
export interface OutputEvent {
  jid: string;
  id: string;
  /** The number of the event from 0, without gaps unless an event was lost on the way. */
  seq: number;
  stream: OutputStream;
  text: string;
  /** How many bytes were not sent because there were too many; only on the last event. */
  dropped?: number;
}

interface OutputOptions {
  clock: Clock;
  jid: string;
  id: string;
  /** Sends one event; resolves when the master has it. */
  send(event: OutputEvent): Promise<unknown>;
  /** The most bytes that are sent; the rest of the output is only in the return. */
  bytes: number;
}

/** The most characters of one event. */
const CHUNK = 65_536;
/** How many bytes may wait to be sent before the program that prints them has to wait. */
const BUFFER = 262_144;
/** How long small pieces are gathered, in milliseconds: a program that prints dots must not make an event of each. */
const TOGETHER_MS = 30;

/** Sends the output of a running job in order, one piece at a time, and no more than the bound. */
export class JobOutput {
  readonly #options: OutputOptions;
  readonly #decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  #pieces: { stream: OutputStream; text: string }[] = [];
  #buffered = 0;
  #taken = 0;
  #dropped = 0;
  #seq = 0;
  #room: Deferred<void> | undefined;
  #sending: Promise<void> | undefined;
  #ended = false;

  constructor(options: OutputOptions) {
    this.#options = options;
  }

  /** Takes printed bytes; the promise resolves when there is room for more. */
  write(stream: OutputStream, chunk: Uint8Array): void | Promise<void> {
    const { bytes } = this.#options;
    if (this.#taken + chunk.length > bytes) {
      this.#dropped += chunk.length;
      return;
    }
    this.#taken += chunk.length;
    this.#add(stream, this.#decoders[stream].decode(chunk, { stream: true }));
    if (this.#buffered < BUFFER) return;
    this.#room ??= deferred<void>();
    return this.#room.promise;
  }

  #add(stream: OutputStream, text: string): void {
    if (text === "") return;
    const last = this.#pieces.at(-1);
    if (last?.stream === stream && last.text.length + text.length <= CHUNK) last.text += text;
    else {
      for (let at = 0; at < text.length; at += CHUNK) this.#pieces.push({ stream, text: text.slice(at, at + CHUNK) });
    }
    this.#buffered += text.length;
    this.#sending ??= this.#send().finally(() => this.#sending = undefined);
  }

  async #send(): Promise<void> {
    const { clock, jid, id, send } = this.#options;
    while (this.#pieces.length > 0) {
      if (!this.#ended && this.#buffered < CHUNK) await clock.sleep(TOGETHER_MS);
      const { stream, text } = this.#pieces.shift()!;
      this.#buffered -= text.length;
      // A master that is away misses this event, but gets the output with the return.
      await send({ jid, id, seq: this.#seq++, stream, text }).catch(() => {});
      if (this.#buffered < BUFFER) {
        this.#room?.resolve();
        this.#room = undefined;
      }
    }
  }

  /** Sends the rest of the output; resolves when everything was sent. */
  async end(): Promise<void> {
    this.#ended = true;
    for (const stream of ["stdout", "stderr"] as const) this.#add(stream, this.#decoders[stream].decode());
    await this.#sending;
    if (this.#dropped === 0) return;
    const { jid, id, send } = this.#options;
    await send({ jid, id, seq: this.#seq++, stream: "stdout", text: "", dropped: this.#dropped }).catch(() => {});
  }
}
