import { ProtocolError } from "../../base/errors.ts";
import { encode } from "../wire/msgpack.ts";

/** A publication as Salt's tcp and ws send it: the packed envelope, packed once more as bytes. */
export function packPublication(publication: Uint8Array): Uint8Array {
  return encode(publication, "bin");
}

/** Bytes before the content of text and bytes, by their msgpack type. */
const BEFORE_CONTENT: Record<number, number> = { 0xc4: 2, 0xd9: 2, 0xc5: 3, 0xda: 3, 0xc6: 5, 0xdb: 5 };

/** The envelope of such a value; an envelope that was not packed again is taken, too. @throws {ProtocolError} if it is neither */
export function unpackPublication(value: Uint8Array): Uint8Array {
  const type = value[0] ?? 0xc0;
  if (type >= 0x80 && type < 0x90 || type === 0xde || type === 0xdf) return value;
  const before = type >= 0xa0 && type < 0xc0 ? 1 : BEFORE_CONTENT[type];
  if (before === undefined) throw new ProtocolError("Cannot read publication: expected bytes or a map");
  return value.subarray(before);
}
