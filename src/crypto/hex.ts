/** Octets as lower-case hex, as Salt writes hashes, nonces and names of files. */
export function hex(octets: Uint8Array): string {
  let text = "";
  for (const octet of octets) text += octet.toString(16).padStart(2, "0");
  return text;
}
