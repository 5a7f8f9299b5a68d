/** What a serializer is: the texts or bytes of a file from a value, and back. */

export type SerializerOptions = Readonly<Record<string, unknown>>;

export interface Serializer {
  /** @throws {SerializationError} for a value that the format does not have */
  serialize(value: unknown, options: SerializerOptions): string | Uint8Array;
  /** Absent where a format is only written. May return a promise. @throws {DeserializationError} if the bytes are not in the format */
  deserialize?(bytes: Uint8Array, options: SerializerOptions): unknown;
}

/** A value cannot be written in a format. Salt's SerializationError. */
export class SerializationError extends Error {
  override name = "salt.serializers.SerializationError";
}

/** A file is not in a format. Salt's DeserializationError. */
export class DeserializationError extends Error {
  override name = "salt.serializers.DeserializationError";
}
