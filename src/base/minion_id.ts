/** The most bytes of a file name on the file systems that hold the keys. */
const MAX_BYTES = 255;

/**
 * True if a value can be a minion's id: text that is a file name, since keys, sessions and caches are files named so. No
 * `/`, `\` or NUL, not empty, `.` or `..`, and at most 255 bytes.
 *
 * Everything else is valid, as in Salt: blanks, `*`, line feeds, other control characters. Escape an id before printing it.
 *
 * @see salt/utils/verify.py valid_id
 */
export function isMinionId(value: unknown): value is string {
  if (typeof value !== "string" || value === "" || value === "." || value === "..") return false;
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if (code === 0 || code === 0x2f || code === 0x5c) return false;
  }
  return value.length <= MAX_BYTES / 3 || new TextEncoder().encode(value).length <= MAX_BYTES;
}
