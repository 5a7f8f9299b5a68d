/** Bytes as lower-case hex, as Salt writes hashes, nonces and names of files. */
export function hex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text;
}
