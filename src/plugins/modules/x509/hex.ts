import { hex } from "../../../protocol/crypto/hex.ts";

/** Bytes, or a number, as pairs of digits with colons between. */
export function prettyHex(value: Uint8Array | bigint): string {
  const digits = value instanceof Uint8Array ? hex(value) : value.toString(16);
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  return (even.match(/../g) ?? []).join(":").toUpperCase();
}

/** A time as functions of certificates write it, in UTC. */
export function timeText(time: Date): string {
  return time.toISOString().slice(0, 19).replace("T", " ");
}
