import { ProtocolError } from "../../../base/errors.ts";
import type { Connection } from "../../../runtime/net.ts";
import type { Conversation, Line, Wire } from "../../zmtp/conversation.ts";
import type { Message } from "../../zmtp/mod.ts";
import type { OutboxBatch } from "../../zmtp/outbox.ts";
import { packPublicationValue, unpackPublication } from "../transport.ts";
import { frameHeader, OPCODE, writeWsFrame, WsFrameReader, type WsFrameSink } from "./frames.ts";
import { checkReply, clientRequest, type HandshakeCrypto, serverReply } from "./handshake.ts";
import { type HttpHead, HttpHeadReader } from "../../../runtime/http_head.ts";

/** The path at which Salt's minions ask for publications; requests go to `/`. */
export const PUBLISH_PATH = "/ws";
const REQUEST_PATH = "/";

/** How often a client sends a PING, in milliseconds: proxies and firewalls close idle connections. */
const PING_MS = 30_000;
const NOTHING = new Uint8Array(0);
/** The payload of a CLOSE frame with code 1000, a normal end. */
const NORMAL = Uint8Array.of(0x03, 0xe8);
const COPY_LIMIT = 16_384;

interface WsWireOptions {
  crypto: HandshakeCrypto;
  /** Returns a function that accepts the connections of another path, if publications share the port. @default there is no other path */
  elsewhere?: ((path: string) => ((connection: Connection) => void) | undefined) | undefined;
}

/**
 * Salt's ws transport: each message of a WebSocket is a packed value. Replies come in the order of the requests, and
 * publications as soon as the handshake is done.
 *
 * @see salt/transport/ws.py
 */
export function wsWire(options: WsWireOptions): Wire {
  return {
    peer: "a master with transport: ws",
    shakesHands: true,
    encodePublication: (frames) => frameBatch(packPublicationValue(frames.at(-1)!)),
    converse: (line) => new WsConversation(line, options),
  };
}

/** A message as one unmasked frame. */
function frameBatch(payload: Uint8Array): OutboxBatch {
  if (payload.length <= COPY_LIMIT) {
    const bytes = writeWsFrame(OPCODE.BINARY, payload);
    return { parts: [bytes], size: bytes.length, count: 1 };
  }
  const header = frameHeader(OPCODE.BINARY, payload.length);
  return { parts: [header, payload], size: header.length + payload.length, count: 1 };
}

class WsConversation implements Conversation, WsFrameSink {
  readonly #line: Line;
  readonly #options: WsWireOptions;
  readonly #isClient: boolean;
  readonly #reader: WsFrameReader;
  /** Reads the head of the handshake; undefined once the handshake is done. */
  #head: HttpHeadReader | undefined = new HttpHeadReader();
  #accept = "";
  /** Random bytes for masks, drawn many at a time. */
  #random: Uint8Array = NOTHING;
  #stopPing: (() => void) | undefined;

  constructor(line: Line, options: WsWireOptions) {
    this.#line = line;
    this.#options = options;
    this.#isClient = line.endpoint !== undefined;
    const { maxMessageSize, maxFrames } = line.settings;
    this.#reader = new WsFrameReader({ maxMessageSize, maxFrames, masked: !this.#isClient }, this);
  }

  start(): void {
    if (!this.#isClient) return;
    const path = this.#line.type === "SUB" ? PUBLISH_PATH : REQUEST_PATH;
    const host = this.#line.endpoint!.replace(/^.*(?:;|:\/\/)/, "");
    const { bytes, accept } = clientRequest(this.#options.crypto, host, path);
    this.#accept = accept;
    this.#line.write(bytes);
  }

  get paused(): boolean {
    return this.#reader.paused;
  }

  set paused(value: boolean) {
    this.#reader.paused = value;
  }

  get pendingBytes(): number {
    return this.#reader.pendingBytes + (this.#head?.size ?? 0);
  }

  get finished(): number {
    return this.#reader.finished;
  }

  push(chunk?: Uint8Array): boolean {
    if (this.#head === undefined || chunk === undefined) return this.#reader.push(chunk);
    const found = this.#head.push(chunk);
    if (found === undefined) return true;
    const rest = this.#isClient ? this.#opened(found) : this.#answer(this.#head.bytes, found);
    if (rest !== undefined && rest.length > 0) this.#reader.push(rest);
    return false;
  }

  #opened({ head, rest }: { head: HttpHead; rest: Uint8Array }): Uint8Array {
    checkReply(head, this.#accept);
    this.#head = undefined;
    this.#line.opened(NOTHING);
    this.#ping();
    return rest;
  }

  /** Replies to a client's handshake; undefined if the connection was passed on to another socket. */
  #answer(bytes: Uint8Array, { head, rest }: { head: HttpHead; rest: Uint8Array }): Uint8Array | undefined {
    const reply = serverReply(this.#options.crypto, head);
    if ("refusal" in reply) {
      this.#line.write(reply.refusal);
      throw new ProtocolError(reply.reason);
    }
    const take = this.#options.elsewhere?.(reply.path);
    if (take !== undefined) {
      const seen = new Uint8Array(bytes.length + rest.length);
      seen.set(bytes);
      seen.set(rest, bytes.length);
      take(this.#line.handOver(seen));
      return undefined;
    }
    this.#head = undefined;
    this.#line.write(reply.bytes);
    this.#line.opened(NOTHING);
    // There are no topics: every subscriber receives everything.
    if (this.#line.type === "PUB") this.#line.subscribed(NOTHING, true);
    return rest;
  }

  #ping(): void {
    this.#stopPing = this.#line.clock.after(PING_MS, () => {
      if (!this.#line.blocked) this.#line.write(this.#frame(OPCODE.PING, NOTHING));
      this.#ping();
    });
  }

  readonly encode = (frames: Message): OutboxBatch => {
    const payload = frames.at(-1)!;
    if (!this.#isClient) return frameBatch(payload);
    const bytes = this.#frame(OPCODE.BINARY, payload);
    return { parts: [bytes], size: bytes.length, count: 1 };
  };

  get farewell(): Uint8Array {
    return this.#frame(OPCODE.CLOSE, NORMAL);
  }

  #frame(opcode: number, payload: Uint8Array): Uint8Array {
    return writeWsFrame(opcode, payload, this.#isClient ? this.#nextMask() : undefined);
  }

  #nextMask(): Uint8Array {
    if (this.#random.length < 4) this.#random = this.#options.crypto.randomBytes(256);
    const mask = this.#random.subarray(0, 4);
    this.#random = this.#random.subarray(4);
    return mask;
  }

  subscription(): undefined {
    return undefined;
  }

  stop(): void {
    this.#reader.stop();
  }

  close(): void {
    this.#stopPing?.();
  }

  onMessage(message: Uint8Array): void {
    switch (this.#line.type) {
      case "SUB":
        return this.#line.message([unpackPublication(message)]);
      case "PUB":
        // Messages of a subscriber are ignored.
        return;
      default:
        return this.#line.message([NOTHING, message]);
    }
  }

  onControl(opcode: number, payload: Uint8Array): void {
    if (opcode === OPCODE.CLOSE) this.#line.end();
    // No PONG for a peer that does not read: the replies would fill the memory.
    if (opcode === OPCODE.PING && !this.#line.blocked) this.#line.write(this.#frame(OPCODE.PONG, payload));
  }
}
