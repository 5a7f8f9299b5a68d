/** A load as it came: its fields are checked where they are used. */
export type Load = Record<string, unknown>;

/** True for a map with text keys, as most fields of loads must be. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Map) &&
    !(value instanceof Uint8Array) && !(value instanceof Number);
}
