import { ProtocolError } from "../../base/errors.ts";
import { COMMAND, writeFrame } from "./frame.ts";

/**
 * Commands: frames with the command flag whose body is `name-size[1] name data`.
 *
 * @see https://rfc.zeromq.org/spec/37/#commands
 */
interface Command {
  name: string;
  data: Uint8Array;
}

const encoder = new TextEncoder();
const NOTHING = new Uint8Array(0);

/** The name of each ZeroMQ pattern on the wire. */
export type SocketType =
  | "PUB"
  | "SUB"
  | "XPUB"
  | "XSUB"
  | "REQ"
  | "REP"
  | "ROUTER"
  | "DEALER"
  | "PUSH"
  | "PULL";

/** The patterns that each pattern may connect to. @see https://rfc.zeromq.org/spec/37/#the-socket-type-property */
export const PARTNERS: Record<SocketType, readonly SocketType[]> = {
  PUB: ["SUB", "XSUB"],
  XPUB: ["SUB", "XSUB"],
  SUB: ["PUB", "XPUB"],
  XSUB: ["PUB", "XPUB"],
  REQ: ["REP", "ROUTER"],
  REP: ["REQ", "DEALER"],
  ROUTER: ["REQ", "DEALER", "ROUTER"],
  DEALER: ["REP", "DEALER", "ROUTER"],
  PUSH: ["PULL"],
  PULL: ["PUSH"],
};

/** A whole command frame, ready for the wire. */
export function encodeCommand(name: string, data: Uint8Array = NOTHING): Uint8Array {
  const body = new Uint8Array(1 + name.length + data.length);
  body[0] = name.length;
  body.set(encoder.encode(name), 1);
  body.set(data, 1 + name.length);
  return writeFrame(COMMAND, body);
}

/** Reads a command frame's body. @throws {ProtocolError} if the body is shorter than its name */
export function decodeCommand(body: Uint8Array): Command {
  const length = body[0] ?? 0;
  if (length === 0 || body.length < 1 + length) throw new ProtocolError("Cannot read command: its name is cut short");
  return { name: String.fromCharCode(...body.subarray(1, 1 + length)), data: body.subarray(1 + length) };
}

/** The READY command: properties as `name-size[1] name value-size[4] value`. */
export function encodeReady(type: SocketType, identity: Uint8Array | undefined): Uint8Array {
  const properties: [string, Uint8Array][] = [["Socket-Type", encoder.encode(type)]];
  if (identity !== undefined) properties.push(["Identity", identity]);
  const size = properties.reduce((sum, [name, value]) => sum + 5 + name.length + value.length, 0);
  const data = new Uint8Array(size);
  const view = new DataView(data.buffer);
  let at = 0;
  for (const [name, value] of properties) {
    data[at] = name.length;
    data.set(encoder.encode(name), at + 1);
    at += 1 + name.length;
    view.setUint32(at, value.length);
    data.set(value, at + 4);
    at += 4 + value.length;
  }
  return encodeCommand("READY", data);
}

/**
 * The properties of READY; names are lower-cased, since they are case-insensitive on the wire.
 *
 * @throws {ProtocolError} if a property is cut short
 */
export function decodeProperties(data: Uint8Array): Map<string, Uint8Array> {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const properties = new Map<string, Uint8Array>();
  for (let at = 0; at < data.length;) {
    const nameEnd = at + 1 + data[at]!;
    if (nameEnd === at + 1 || nameEnd + 4 > data.length) {
      throw new ProtocolError("Cannot read READY: a property is cut short");
    }
    const name = String.fromCharCode(...data.subarray(at + 1, nameEnd)).toLowerCase();
    const valueEnd = nameEnd + 4 + view.getUint32(nameEnd);
    if (valueEnd > data.length) throw new ProtocolError("Cannot read READY: a property is cut short");
    properties.set(name, data.slice(nameEnd + 4, valueEnd));
    at = valueEnd;
  }
  return properties;
}

/** An ERROR command: the reason is shown to the other side's operator. */
export function encodeError(reason: string): Uint8Array {
  const bytes = encoder.encode(reason).subarray(0, 255);
  const data = new Uint8Array(1 + bytes.length);
  data[0] = bytes.length;
  data.set(bytes, 1);
  return encodeCommand("ERROR", data);
}

/** A PING: `ttl[2]` in tenths of a second (0: none), then a context of up to 16 bytes that comes back in the PONG. */
export function encodePing(ttlMs: number): Uint8Array {
  const tenths = Math.min(0xffff, Math.ceil(ttlMs / 100));
  return encodeCommand("PING", Uint8Array.of(tenths >> 8, tenths & 0xff));
}

/** A subscription added or removed, in the form that the peer's version needs: a command since 3.1, a message before. */
export function encodeSubscription(topic: Uint8Array, on: boolean, minor: 0 | 1): Uint8Array {
  if (minor >= 1) return encodeCommand(on ? "SUBSCRIBE" : "CANCEL", topic);
  const body = new Uint8Array(1 + topic.length);
  body[0] = on ? 1 : 0;
  body.set(topic, 1);
  return writeFrame(0, body);
}
