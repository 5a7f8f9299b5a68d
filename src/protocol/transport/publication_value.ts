import { ProtocolError } from "../../base/errors.ts";
import { encode } from "../wire/msgpack.ts";
import { contentOf, kindOf, MAP } from "../wire/msgpack_types.ts";

/** A publication as Salt's tcp and ws send it: the packed envelope, packed once more as bytes. */
export function packPublication(publication: Uint8Array): Uint8Array {
  return encode(publication, "bin");
}

/** The envelope of such a value; an envelope that was not packed again is taken, too. @throws {ProtocolError} if it is neither */
export function unpackPublication(value: Uint8Array): Uint8Array {
  if (kindOf(value[0] ?? 0) === MAP) return value;
  const content = contentOf(value);
  if (content === undefined) throw new ProtocolError("Cannot read publication: expected bytes or a map");
  return content;
}
