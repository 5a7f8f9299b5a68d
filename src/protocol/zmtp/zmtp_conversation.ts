import { ProtocolError, TimeoutError } from "../../base/errors.ts";
import {
  decodeCommand,
  decodeProperties,
  encodeCommand,
  encodeError,
  encodePing,
  encodeReady,
  encodeSubscription,
  PARTNERS,
  type SocketType,
} from "./command.ts";
import type { Conversation, Line, Wire } from "./conversation.ts";
import { FrameDecoder, type FrameSink, type Message } from "./frame.ts";
import { agreedMinor, checkGreeting, greeting, GREETING_SIZE } from "./greeting.ts";
import { encodeMessage, type OutboxBatch } from "./outbox.ts";

/** The most bytes of a command: READY with a few properties, a topic, a PING. */
const MAX_COMMAND_SIZE = 8192;
const NO_IDENTITY = new Uint8Array(0);
/** The patterns whose READY carries the identity, as in libzmq's mechanism.cpp. */
const WITH_IDENTITY: ReadonlySet<SocketType> = new Set(["REQ", "DEALER", "ROUTER"]);

/** ZMTP 3.1 over a byte stream. */
export const ZMTP: Wire = {
  peer: "a ZeroMQ peer",
  shakesHands: true,
  encodePublication: encodeMessage,
  converse: (line) => new ZmtpConversation(line),
};

/** ZMTP with one peer: greeting, READY, then messages, commands and heartbeats. */
class ZmtpConversation implements Conversation, FrameSink {
  readonly #line: Line;
  readonly #decoder: FrameDecoder;
  /** The part of the greeting that has arrived; undefined once it is complete. */
  #greeting: Uint8Array | undefined = new Uint8Array(GREETING_SIZE);
  #greetingFilled = 0;
  #minor: 0 | 1 = 1;
  #open = false;
  #heard = false;
  #stopTimer: (() => void) | undefined;
  #stopTtl: (() => void) | undefined;

  constructor(line: Line) {
    this.#line = line;
    const { maxMessageSize, maxFrames } = line.settings;
    this.#decoder = new FrameDecoder({ maxMessageSize, maxFrames, maxCommandSize: MAX_COMMAND_SIZE }, this);
  }

  start(): void {
    this.#line.write(greeting(this.#line.settings.minor));
  }

  get paused(): boolean {
    return this.#decoder.paused;
  }

  set paused(value: boolean) {
    this.#decoder.paused = value;
  }

  get pendingBytes(): number {
    return this.#decoder.pendingBytes;
  }

  get finished(): number {
    return this.#decoder.finished;
  }

  subscription(topic: Uint8Array, on: boolean): OutboxBatch {
    const bytes = encodeSubscription(topic, on, this.#minor);
    return { parts: [bytes], size: bytes.length, count: 0 };
  }

  stop(): void {
    this.#decoder.stop();
  }

  close(): void {
    this.#stopTimer?.();
    this.#stopTtl?.();
  }

  push(chunk?: Uint8Array): boolean {
    if (chunk !== undefined) {
      this.#heard = true;
      this.#stopTtl?.();
      this.#stopTtl = undefined;
    }
    if (this.#greeting === undefined || chunk === undefined) return this.#decoder.push(chunk);
    chunk = this.#greet(this.#greeting, chunk);
    // The bytes after the greeting are a view of the same chunk.
    if (chunk !== undefined) this.#decoder.push(chunk);
    return false;
  }

  /** Reads the greeting; returns the bytes after it. */
  #greet(bytes: Uint8Array, chunk: Uint8Array): Uint8Array | undefined {
    const take = Math.min(GREETING_SIZE - this.#greetingFilled, chunk.length);
    bytes.set(chunk.subarray(0, take), this.#greetingFilled);
    this.#greetingFilled += take;
    checkGreeting(bytes, this.#greetingFilled);
    if (this.#greetingFilled < GREETING_SIZE) return undefined;
    const { type, settings } = this.#line;
    this.#minor = Math.min(agreedMinor(bytes), settings.minor) as 0 | 1;
    this.#greeting = undefined;
    // READY is sent only after the peer's greeting: libzmq 4.3 closes the connection of a client that sends both together.
    this.#line.write(encodeReady(type, WITH_IDENTITY.has(type) ? settings.identity ?? NO_IDENTITY : undefined));
    return take === chunk.length ? undefined : chunk.subarray(take);
  }

  onMessage(frames: Message): void {
    this.#line.message(frames);
  }

  onCommand(body: Uint8Array): void {
    const { name, data } = decodeCommand(body);
    if (!this.#open) {
      if (name === "READY") return this.#ready(data);
      if (name === "ERROR") throw new ProtocolError(`Refused by the peer: ${textOf(data.subarray(1))}`);
      throw new ProtocolError(`Cannot read handshake: expected READY, got ${JSON.stringify(name)}`);
    }
    switch (name) {
      case "PING":
        return this.#pong(data);
      case "PONG":
        return;
      case "SUBSCRIBE":
        return this.#line.subscribed(data, true);
      case "CANCEL":
        return this.#line.subscribed(data, false);
      case "ERROR":
        throw new ProtocolError(`Error from the peer: ${textOf(data.subarray(1))}`);
      default:
        // Commands of later versions (JOIN, LEAVE, HELLO) are ignored: they are no reason to disconnect.
        return;
    }
  }

  #ready(data: Uint8Array): void {
    const { type, settings, clock } = this.#line;
    const properties = decodeProperties(data);
    const theirs = textOf(properties.get("socket-type") ?? NO_IDENTITY);
    if (!PARTNERS[type].includes(theirs as SocketType)) {
      this.#line.write(encodeError("Invalid socket type"));
      throw new ProtocolError(`A ${type} socket cannot talk to ${JSON.stringify(theirs)}`);
    }
    const identity = properties.get("identity") ?? NO_IDENTITY;
    if (identity.length > 255 || identity[0] === 0) {
      throw new ProtocolError(
        "Cannot accept the peer's identity: expected at most 255 bytes, the first of them not zero",
      );
    }
    this.#open = true;
    this.#decoder.commandsOnly = false;
    if (settings.heartbeatIntervalMs > 0 && this.#minor >= 1) {
      this.#stopTimer = clock.after(settings.heartbeatIntervalMs, () => this.#beat());
    }
    this.#line.opened(identity);
  }

  // Heartbeats

  #beat(): void {
    const { settings, clock } = this.#line;
    if (this.#heard) {
      this.#heard = false;
      this.#stopTimer = clock.after(settings.heartbeatIntervalMs, () => this.#beat());
      return;
    }
    if (!this.#line.blocked) this.#line.write(encodePing(settings.heartbeatTtlMs));
    this.#stopTimer = clock.after(settings.heartbeatTimeoutMs, () => {
      // While this side does not read (`paused`), the silence is not the peer's fault.
      if (this.#heard || this.paused) return this.#beat();
      this.#line.fail(new TimeoutError(`Nothing received within ${settings.heartbeatTimeoutMs} ms of a PING`));
    });
  }

  #pong(data: Uint8Array): void {
    if (data.length < 2) throw new ProtocolError("Cannot read PING: it is cut short");
    const ttlMs = (data[0]! * 256 + data[1]!) * 100;
    this.#stopTtl?.();
    this.#stopTtl = ttlMs === 0 ? undefined : this.#line.clock.after(ttlMs, () => {
      if (this.paused) return;
      this.#line.fail(new TimeoutError(`Nothing received within the ${ttlMs} ms that the peer announced`));
    });
    // No PONG for a peer that does not read: the replies would fill the memory.
    if (!this.#line.blocked) this.#line.write(encodeCommand("PONG", data.subarray(2, 18)));
  }
}

function textOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.subarray(0, 255));
}
