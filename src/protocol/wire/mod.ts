/**
 * Converts bytes to messages: Salt's msgpack, the envelopes of requests and publications, events and the frames of the local bus.
 * Nothing here encrypts, connects or decides.
 *
 * @example
 * ```ts
 * import { decode, encode } from "brine/wire";
 *
 * const bytes = encode({ fun: "test.ping", arg: [] }, "wire");
 * console.log(decode(bytes, { mode: "wire" }));
 * ```
 *
 * @module
 */
export { type ErrorCode, ProtocolError, SaltError } from "../../base/errors.ts";
// Events
export { eventStamp, eventTag, packEvent, type PackEventOptions, unpackEvent } from "./event_frame.ts";
// Frames of the local bus
export {
  type IpcFrame,
  IpcFrameReader,
  type IpcFrameReaderOptions,
  type IpcFraming,
  packIpcFrame,
  withLength,
} from "./ipc_frame.ts";
// Msgpack
export { checkPacked, decode, type DecodeOptions, type Mode, pick } from "./msgpack_decode.ts";
export { encode, type Profile } from "./msgpack_encode.ts";
export { pack, packedForBin, unpack } from "./msgpack_packed.ts";
export { type StreamDecodeOptions, StreamDecoder } from "./msgpack_stream.ts";
export { Constant, DateTime, Float, Packed } from "./msgpack_values.ts";
// Requests and publications
export {
  type AesEnvelope,
  type ClearEnvelope,
  packEnvelope,
  packPayload,
  packPublication,
  parseEnvelope,
  type ParseEnvelopeOptions,
  parsePublication,
  type PublicationEnvelope,
  type RefusedEnvelope,
  type RequestEnvelope,
  RequestTooLargeError,
  unpackPayload,
  type UnpackPayloadOptions,
} from "./payload.ts";
