import { InvalidArgumentsError } from "../model/loader/family.ts";
import { typeName } from "../language/python/values.ts";

/** The bytes of a text, in UTF-8, or bytes as they are. @throws {InvalidArgumentsError} if it is neither, in Salt's words */
export function toBytes(value: unknown): Uint8Array {
  if (typeof value === "string") return new TextEncoder().encode(value);
  if (value instanceof Uint8Array) return value;
  throw new InvalidArgumentsError(`expected str, bytes, or bytearray not <class '${typeName(value)}'>`);
}

/** The text that bytes are in UTF-8, or the bytes if they are none. */
export function textOrBytes(bytes: Uint8Array): string | Uint8Array {
  return textOf(bytes) ?? bytes;
}

/** The text that bytes are in UTF-8; undefined if they are none. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Bytes as a text of as many characters, so that expressions can be run over what is in no encoding. */
export function latin1(bytes: Uint8Array): string {
  let text = "";
  // In pieces: a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return text;
}

/** Undoes {@link latin1}. */
export function fromLatin1(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
