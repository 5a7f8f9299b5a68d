/**
 * Salt's msgpack: both dialects, with integers, floats, map keys and bytes that come back to a Python peer as it sent
 * them, which the npm codecs do not support.
 *
 * @see docs/internals/protocol.md 1
 */
export { checkPacked, decode, type DecodeOptions, type Mode, pick } from "./msgpack_decode.ts";
export { encode, type Profile } from "./msgpack_encode.ts";
export { pack, packedForBin, unpack } from "./msgpack_packed.ts";
export { type StreamDecodeOptions, StreamDecoder } from "./msgpack_stream.ts";
export { Constant, DateTime, Float, Packed } from "./msgpack_values.ts";
