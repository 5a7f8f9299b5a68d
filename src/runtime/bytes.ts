/**
 * Gives back the memory of bytes at once, all of their buffer, which nobody else may hold: whatever has a view of it finds
 * that empty. A large array else stays until the engine looks for garbage, and each MiB of a file brings several of them:
 * on Node that took eight times as long as to use the same memory again, and 160 MB.
 */
export function release(bytes: Uint8Array): void {
  (bytes.buffer as ArrayBuffer).transfer(0);
}

/** The same for bytes that came from elsewhere: if they are all of their buffer, no view of something larger. */
export function releaseWhole(bytes: Uint8Array): void {
  if (bytes.length === bytes.buffer.byteLength) release(bytes);
}

/** True if two byte strings are equal. For secrets compare in constant time instead. */
export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}
