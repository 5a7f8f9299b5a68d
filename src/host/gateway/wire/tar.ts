/** Bytes of a block. Like tar, an archive is padded to twenty of them. */
const BLOCK = 512;
const RECORD = 20 * BLOCK;

function header(name: string, size: number, seconds: number): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const put = (at: number, text: string) => block.set(new TextEncoder().encode(text), at);
  const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, "0")}\0`;
  put(0, name);
  put(100, octal(0o644, 8));
  put(108, octal(0, 8));
  put(116, octal(0, 8));
  put(124, octal(size, 12));
  put(136, octal(seconds, 12));
  // The checksum is computed with blanks in its own field.
  put(148, "        ");
  put(156, "0");
  put(257, "ustar\x0000");
  put(148, `${block.reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, "0")}\0 `);
  return block;
}

/**
 * An archive of a few texts, mode 0644.
 *
 * @param seconds since the epoch, of the files
 */
export function tar(files: readonly { name: string; text: string }[], seconds: number): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  for (const { name, text } of files) {
    const body = new TextEncoder().encode(text);
    const padded = new Uint8Array(Math.ceil(body.length / BLOCK) * BLOCK);
    padded.set(body);
    parts.push(header(name, body.length, Math.floor(seconds)), padded);
  }
  const size = parts.reduce((sum, part) => sum + part.length, 2 * BLOCK);
  const archive = new Uint8Array(Math.ceil(size / RECORD) * RECORD);
  let at = 0;
  for (const part of parts) {
    archive.set(part, at);
    at += part.length;
  }
  return archive;
}
