import { ProtocolError } from "../../base/errors.ts";

/**
 * The 64 bytes with which both sides begin: `FF 00*8 7F | major minor | mechanism[20] | as-server | 00*31`.
 *
 * @see https://rfc.zeromq.org/spec/37/#greeting
 */
export const GREETING_SIZE = 64;

const VERSION_AT = 10;
const MECHANISM_AT = 12;
const MECHANISM_SIZE = 20;

/** The greeting that this side sends, for ZMTP 3.`minor` with the NULL mechanism. */
export function greeting(minor: 0 | 1 = 1): Uint8Array {
  const bytes = new Uint8Array(GREETING_SIZE);
  bytes[0] = 0xff;
  bytes[9] = 0x7f;
  bytes[VERSION_AT] = 3;
  bytes[VERSION_AT + 1] = minor;
  bytes.set([0x4e, 0x55, 0x4c, 0x4c], MECHANISM_AT);
  return bytes;
}

/**
 * Checks as much of a peer's greeting as has arrived, so that a browser or a port scanner is refused at its first byte.
 * libzmq sends the first 10 bytes alone, and the rest once it has received the other side's greeting.
 *
 * @param bytes the first `filled` of 64 bytes
 * @throws {ProtocolError} as soon as the bytes cannot be the beginning of a valid greeting
 */
export function checkGreeting(bytes: Uint8Array, filled: number): void {
  if (filled > 0 && bytes[0] !== 0xff || filled > 9 && bytes[9] !== 0x7f) {
    throw new ProtocolError("Cannot speak ZMTP: the peer's first bytes are not a greeting");
  }
  if (filled > VERSION_AT && bytes[VERSION_AT]! < 3) {
    throw new ProtocolError(`Cannot speak ZMTP ${bytes[VERSION_AT]}: expected version 3`);
  }
  if (filled < GREETING_SIZE) return;
  const field = bytes.subarray(MECHANISM_AT, MECHANISM_AT + MECHANISM_SIZE);
  const zero = field.indexOf(0);
  const mechanism = String.fromCharCode(...field.subarray(0, zero < 0 ? MECHANISM_SIZE : zero));
  if (mechanism !== "NULL") {
    throw new ProtocolError(`Cannot speak ZMTP with mechanism ${JSON.stringify(mechanism)}: only "NULL" is supported`);
  }
}

/** The minor version that both sides understand; a peer with a major version above 3 is asked to speak 3.1. */
export function agreedMinor(bytes: Uint8Array): 0 | 1 {
  return bytes[VERSION_AT] === 3 && bytes[VERSION_AT + 1] === 0 ? 0 : 1;
}
