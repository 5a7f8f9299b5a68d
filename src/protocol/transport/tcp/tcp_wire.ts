import { ProtocolError } from "../../../base/errors.ts";
import { decode, encode } from "../../wire/msgpack.ts";
import type { Conversation, Line, Wire } from "../../zmtp/conversation.ts";
import type { Message } from "../../zmtp/mod.ts";
import type { OutboxBatch } from "../../zmtp/outbox.ts";
import { packPublicationValue, unpackPublication } from "../transport.ts";
import { type TcpFrame, TcpFrameReader } from "./frame_reader.ts";

const NOTHING = new Uint8Array(0);
/** The packed bytes of `{"head": `. */
const BEFORE_HEAD = Uint8Array.of(0x82, 0xa4, 0x68, 0x65, 0x61, 0x64);
/** The packed bytes of `"body": `. */
const BEFORE_BODY = Uint8Array.of(0xa4, 0x62, 0x6f, 0x64, 0x79);
const NO_HEAD = Uint8Array.of(0x80);
/** The most bytes of a body that is copied; a larger body is sent by reference. */
const COPY_LIMIT = 16_384;

/**
 * Salt's tcp transport: frames `{head: {mid}, body}`, one after the other. A reply has the head of its request, so that replies may
 * come in any order; publications have an empty head. There is no handshake.
 *
 * @see salt/transport/tcp.py
 */
export const TCP: Wire = {
  peer: "a master with transport: tcp",
  shakesHands: false,
  introduces: true,
  encodePublication: (frames) => encodeFrame(NO_HEAD, packPublicationValue(frames.at(-1)!)),
  converse: (line) => new TcpConversation(line),
};

class TcpConversation implements Conversation {
  readonly #line: Line;
  readonly #reader: TcpFrameReader;
  /** The number of the last request that was sent. */
  #mid = 0;

  constructor(line: Line) {
    this.#line = line;
    this.#reader = new TcpFrameReader({ maxFrameSize: line.settings.maxMessageSize }, (frame) => this.#deliver(frame));
  }

  start(): void {
    this.#line.opened(NOTHING);
    // There are no topics: every subscriber receives everything.
    if (this.#line.type === "PUB") this.#line.subscribed(NOTHING, true);
  }

  push(chunk?: Uint8Array): boolean {
    return this.#reader.push(chunk);
  }

  get paused(): boolean {
    return this.#reader.paused;
  }

  set paused(value: boolean) {
    this.#reader.paused = value;
  }

  get pendingBytes(): number {
    return this.#reader.pendingBytes;
  }

  get finished(): number {
    return this.#reader.finished;
  }

  readonly encode = (frames: Message): OutboxBatch => {
    const body = frames.at(-1)!;
    if (this.#line.type === "REQ") return encodeFrame(encode({ mid: String(++this.#mid) }, "wire"), body);
    return encodeFrame(frames.length > 2 ? frames[0]! : NO_HEAD, body);
  };

  subscription(): undefined {
    return undefined;
  }

  stop(): void {
    this.#reader.stop();
  }

  close(): void {}

  #deliver({ head, body }: TcpFrame): void {
    switch (this.#line.type) {
      case "REQ":
        // Another number breaks the protocol. It cannot be a late reply: the connection of an abandoned request is closed.
        if (midOf(head) !== String(this.#mid)) {
          throw new ProtocolError("Cannot read reply: its head does not match the request");
        }
        return this.#line.message([NOTHING, body]);
      case "ROUTER":
        return this.#line.message([head, NOTHING, body]);
      case "SUB":
        return this.#line.message([unpackPublication(body)]);
      default:
        // A subscriber's introduction is ignored: the master knows the minion from its requests.
        return;
    }
  }
}

function encodeFrame(head: Uint8Array, body: Uint8Array): OutboxBatch {
  const inFront = BEFORE_HEAD.length + head.length + BEFORE_BODY.length;
  const whole = body.length <= COPY_LIMIT;
  const bytes = new Uint8Array(whole ? inFront + body.length : inFront);
  bytes.set(BEFORE_HEAD);
  bytes.set(head, BEFORE_HEAD.length);
  bytes.set(BEFORE_BODY, BEFORE_HEAD.length + head.length);
  if (whole) bytes.set(body, inFront);
  return { parts: whole ? [bytes] : [bytes, body], size: inFront + body.length, count: 1 };
}

function midOf(head: Uint8Array): unknown {
  const value = decode(head, { mode: "wire", maxValues: 64, maxDepth: 4 }) as { mid?: unknown } | null;
  return typeof value === "object" && value !== null ? value.mid : undefined;
}
