import { ProtocolError } from "../../base/errors.ts";
import { encode } from "../wire/msgpack.ts";
import { contentOf, kindOf, MAP } from "../wire/msgpack_types.ts";

/** Packs a publication for the transports tcp and ws: the packed envelope is packed once more as bytes. */
export function packPublication(publication: Uint8Array): Uint8Array {
  return encode(publication, "bin");
}

/** Reverses {@link packPublication}; an envelope that was not packed again is accepted, too. @throws {ProtocolError} for any other value */
export function unpackPublication(value: Uint8Array): Uint8Array {
  if (kindOf(value[0] ?? 0) === MAP) return value;
  const content = contentOf(value);
  if (content === undefined) throw new ProtocolError("Cannot read publication: expected bytes or a map");
  return content;
}
